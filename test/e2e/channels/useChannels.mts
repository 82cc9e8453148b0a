// An n8n of its own whose channels are the stand-in.
import { startHost, type HostOptions, type OwnHost } from '../../../n8n-host/host.mts';
import { hostVersion, type HostVersion } from '../../../n8n-host/versions.mts';
import type { Stage } from '../../../tools/demoStage.mts';
import { useOwnStage } from '../support.mts';
import { PUBLIC, startChannels, type Channels } from './standIn.mts';

const OF_VERSION: Record<HostVersion, NodeJS.ProcessEnv> = {
	'2.41': { WEBHOOK_URL: `${PUBLIC}/` },
	// It signs its own address into links. Its database takes one writer at a time unless it is told otherwise.
	'1.123': { DB_SQLITE_POOL_SIZE: '2' },
};

/** For the tests of one file; filled before them, and ended after them. `waitsFaster`: see the host's options. */
export function useChannels({ waitsFaster }: Pick<HostOptions, 'waitsFaster'> = {}): {
	stage: Stage<OwnHost>;
	channels: Channels;
} {
	const channels = {} as Channels;
	const stage = useOwnStage(async ({ packageDir }) => {
		Object.assign(channels, await startChannels());
		const host = await startHost({
			packageDir,
			waitsFaster,
			env: { ...channels.env, ...OF_VERSION[hostVersion()] },
		});
		const close = async () => {
			await host.close();
			await channels.close();
		};
		return { ...host, close };
	});
	return { stage, channels };
}
