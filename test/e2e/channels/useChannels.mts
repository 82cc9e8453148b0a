// An n8n of its own whose channels are the stand-in.
import { startHost } from '../../../n8n-host/host.mts';
import type { OwnHost } from '../../../n8n-host/host.mts';
import type { Stage } from '../../../tools/demoStage.mts';
import { useOwnStage } from '../support.mts';
import { startChannels, type Channels } from './standIn.mts';

/** For the tests of one file; filled before them, and ended after them */
export function useChannels(): { stage: Stage<OwnHost>; channels: Channels } {
	const channels = {} as Channels;
	const stage = useOwnStage(async ({ packageDir }) => {
		Object.assign(channels, await startChannels());
		const host = await startHost({ packageDir, env: channels.env });
		const close = async () => {
			await host.close();
			await channels.close();
		};
		return { ...host, close };
	});
	return { stage, channels };
}
