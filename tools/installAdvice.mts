// What to do if n8n can't be installed, from what npm has printed.
import { ensureHost } from '../n8n-host/install.mts';
import type { Log } from '../n8n-host/pinned.mts';

const WITHOUT = '`npm run demo -- --once`, which works without n8n';

/** What a log says, and what to do then */
const ADVICE: Array<[log: RegExp, advice: string]> = [
	[/ENOSPC|no space left/i, `Free some disk space (n8n needs 3 GB), or use ${WITHOUT}.`],
	[
		/gyp|node-pre-gyp|not found: make|g\+\+|clang|MSBuild|Python/i,
		`Install a C++ compiler and Python, which n8n's database driver needs, or use ${WITHOUT}.`,
	],
	[
		/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|CERT|network|proxy|E40[137]|E5\d\d/i,
		`Set npm's registry or proxy (\`npm config set proxy <address>\`), because npm can't reach the packages, or use ${WITHOUT}.`,
	],
];

/** Returns one sentence that says what to do. */
export const adviseInstallation = (log: string): string =>
	ADVICE.find(([pattern]) => pattern.test(log))?.[1] ?? `Try again, or use ${WITHOUT}.`;

/** Installs n8n, unless that has been done. Throws with what to do first, if it cannot. */
export async function installHost(log: Log): Promise<void> {
	await ensureHost({ log }).catch(({ message }: Error) => {
		throw new Error(`${adviseInstallation(message)}\nn8n couldn't be installed:\n\n${message}`);
	});
}
