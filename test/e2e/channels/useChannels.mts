// Its own n8n whose channels are the mock.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WITHOUT_EDITOR } from '../../../n8n-host/environment.mts';
import {
	freeHostPorts,
	startHost,
	type HostOptions,
	type OwnHost,
} from '../../../n8n-host/host.mts';
import { hostVersion, type HostVersion } from '../../../n8n-host/versions.mts';
import type { Stage } from '../../../tools/demoStage.mts';
import { useOwnStage } from '../support.mts';
import { PUBLIC, startChannels, type Channels } from './standIn.mts';

const OF_VERSION: Record<HostVersion, NodeJS.ProcessEnv> = {
	'2.41': { WEBHOOK_URL: `${PUBLIC}/` },
	// It signs its own address into links.
	'1.123': {},
};

export interface WithChannels {
	stage: Stage<OwnHost>;
	channels: Channels;
	/** Kills n8n (`kill -9`), and starts it again where it was. */
	restart(): Promise<void>;
}

/** For the tests of one file; filled before them, and ended after them. Options: see the host's; `env` says by default that nobody opens the editor. */
export function useChannels({
	waitsFaster,
	env = WITHOUT_EDITOR,
}: Pick<HostOptions, 'waitsFaster' | 'env'> = {}): WithChannels {
	const channels = {} as Channels;
	const userFolder = mkdtempSync(join(tmpdir(), 'n8n-channels-'));
	let begin: (login?: OwnHost['login']) => Promise<OwnHost>;
	let host: OwnHost;
	const stage = useOwnStage(async ({ packageDir }) => {
		Object.assign(channels, await startChannels());
		const ports = await freeHostPorts();
		begin = async (login) =>
			await startHost({
				packageDir,
				waitsFaster,
				userFolder,
				ports,
				login,
				env: { ...channels.env, ...OF_VERSION[hostVersion()], ...env },
			});
		host = await begin();
		const close = async () => {
			await host.close();
			await channels.close();
			rmSync(userFolder, { recursive: true, force: true });
		};
		return { ...host, close };
	});
	const restart = async () => {
		await host.kill();
		host = await begin(host.login);
		stage.host = host;
	};
	return { stage, channels, restart };
}
