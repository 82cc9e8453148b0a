// node tools/need.mts <part...>: what a command begins with that needs these parts.
import { ensureParts, type Part } from './parts.mts';

try {
	await ensureParts(process.argv.slice(2) as Part[], (line) => console.error(line));
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
