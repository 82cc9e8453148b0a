// npm run need -- <name...>: installs what a command needs. `n8n` is every version that the tests run on, `queue` what its queue mode needs.
import { ensureHost } from '../n8n-host/install.mts';
import { ensureQueue } from '../n8n-host/queue.mts';
import { chosenVersions } from '../n8n-host/versions.mts';
import { ensureChromium } from './editor/chromium.mts';
import { ensureParts, type Part } from './parts.mts';

const log = (line: string) => console.error(line);

const PROGRAMS: Record<string, () => Promise<unknown>> = {
	chromium: async () => await ensureChromium(log),
	queue: async () => await ensureQueue({ log }),
	async n8n() {
		for (const version of chosenVersions()) await ensureHost({ log, version });
	},
};

for (const name of process.argv.slice(2)) {
	const ensure = PROGRAMS[name] ?? (async () => await ensureParts([name as Part], log));
	await ensure().catch((error: Error) => {
		log(error.message);
		process.exitCode = 1;
	});
}
