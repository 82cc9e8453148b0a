// npm run need -- <part...>: what a command begins with that needs these parts; `n8n` is every version that the tests run on.
import { ensureHost } from '../n8n-host/install.mts';
import { chosenVersions } from '../n8n-host/versions.mts';
import { ensureParts, type Part } from './parts.mts';

const log = (line: string) => console.error(line);
const wanted = process.argv.slice(2);

try {
	await ensureParts(wanted.filter((name) => name !== 'n8n') as Part[], log);
	if (wanted.includes('n8n'))
		for (const version of chosenVersions()) await ensureHost({ log, version });
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
