// n8n's check of a community package, as n8n runs it before it lists one.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureParts } from '../../tools/parts.mts';

/** Folder of the scanner */
const scanner = fileURLToPath(new URL('../../n8n-host/scanner', import.meta.url));

/**
 * The scanner's analysis of a folder: of a tarball's content, or of sources, of which only some files count.
 * In its own process, because n8n's lint rules judge every file as if it were a node when they see that a test runs them.
 */
export async function scan(folder: string, what: 'tarball' | 'sources' = 'tarball') {
	await ensureParts(['scanner'], console.error);
	const script = `
		const { analyzePackage, SOURCE_FILE_PATTERNS } = await import('@n8n/scan-community-package/scanner/scanner.mjs');
		const patterns = ${what === 'sources' ? 'SOURCE_FILE_PATTERNS' : 'undefined'};
		console.log(JSON.stringify(await analyzePackage(${JSON.stringify(folder)}, patterns)));`;
	const { NODE_ENV: _, ...env } = process.env;
	const { stdout } = await promisify(execFile)(
		process.execPath,
		['--input-type=module', '-e', script],
		{ cwd: scanner, env },
	);
	return JSON.parse(stdout.trim().split('\n').at(-1)!) as {
		passed: boolean;
		message?: string;
		details?: string;
	};
}
