// The community packages that ours is compared with, installed as n8n installs them: without peers, which n8n has itself.
import { createHash } from 'node:crypto';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { INSTALL, npm } from '../n8n-host/pinned.mts';

const wanted = fileURLToPath(new URL('./compared/', import.meta.url));
const cache = fileURLToPath(new URL('../.cache/compared/', import.meta.url));
const FILES = ['package.json', 'package-lock.json'];

interface ComparedPackage {
	/** With its version */
	title: string;
	folder: string;
}

/** Installs them into `.cache/`, if they are not there yet. */
export async function comparedPackages(log: (line: string) => void): Promise<ComparedPackage[]> {
	const hash = createHash('sha256');
	for (const file of FILES) hash.update(readFileSync(join(wanted, file)));
	const folder = join(cache, hash.digest('hex').slice(0, 12));
	if (!existsSync(folder)) await install(folder, log);
	const { dependencies } = JSON.parse(readFileSync(join(wanted, 'package.json'), 'utf8')) as {
		dependencies: Record<string, string>;
	};
	return Object.entries(dependencies).map(([name, version]) => ({
		title: `${name} ${version}`,
		folder: join(folder, 'node_modules', name),
	}));
}

/** Either the folder is there with all in it, or not at all. */
async function install(folder: string, log: (line: string) => void): Promise<void> {
	log('installing the packages to compare with, once');
	mkdirSync(cache, { recursive: true });
	const temporary = mkdtempSync(join(cache, 'installing-'));
	try {
		for (const file of FILES) cpSync(join(wanted, file), join(temporary, file));
		await npm(temporary, INSTALL);
		renameSync(temporary, folder);
	} finally {
		rmSync(temporary, { recursive: true, force: true });
	}
}
