// Its own n8n whose channels are the mock.
import { WITHOUT_EDITOR } from '../../../n8n-host/environment.mts';
import { startHost, type HostOptions, type OwnHost } from '../../../n8n-host/host.mts';
import { hostVersion, type HostVersion } from '../../../n8n-host/versions.mts';
import type { Stage } from '../../../tools/demoStage.mts';
import { useOwnStage } from '../support.mts';
import { PUBLIC, startChannels, type Channels } from './standIn.mts';

const OF_VERSION: Record<HostVersion, NodeJS.ProcessEnv> = {
	'2.41': { WEBHOOK_URL: `${PUBLIC}/` },
	// It signs its own address into links.
	'1.123': {},
};

interface WithChannels {
	stage: Stage<OwnHost>;
	channels: Channels;
}

/** For the tests of one file; filled before them, and ended after them. Options: see the host's; `env` says by default that nobody opens the editor. */
export function useChannels({
	clock,
	env = WITHOUT_EDITOR,
}: Pick<HostOptions, 'clock' | 'env'> = {}): WithChannels {
	const channels = {} as Channels;
	const stage = useOwnStage(async ({ packageDir }) => {
		Object.assign(channels, await startChannels());
		const host = await startHost({
			packageDir,
			clock,
			env: { ...channels.env, ...OF_VERSION[hostVersion()], ...env },
		});
		const close = async () => {
			await host.close();
			await channels.close();
		};
		return { ...host, close };
	});
	return { stage, channels };
}
