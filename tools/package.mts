// Packs the package as `npm publish` would, and unpacks the result: the host runs exactly what would be published.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startGuarded } from '../n8n-host/guarded.mts';
import { build } from './build.mts';
import { npmCommand } from '../n8n-host/pinned.mts';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface PackedPackage {
	/** The unpacked package, with its package.json */
	folder: string;
	/** The file that would be published */
	archive: string;
	remove(): void;
}

/**
 * Packs what was built and unpacks it into a temporary folder, or unpacks the file in the folder that PACKED_PACKAGE in the environment
 * names. The caller removes what is unpacked.
 * @param shouldBuild whether to build first; not while others read `dist/`
 */
export async function packedPackage(shouldBuild: boolean): Promise<PackedPackage> {
	const temporary = mkdtempSync(join(tmpdir(), 'packed-package-'));
	const remove = () => rmSync(temporary, { recursive: true, force: true });
	process.once('exit', remove); // so that Ctrl-C leaves nothing behind either
	try {
		const packed = process.env.PACKED_PACKAGE ?? mkdtempSync(join(temporary, 'packed-'));
		if (process.env.PACKED_PACKAGE === undefined) {
			if (shouldBuild) await build();
			await run(...npmCommand(['pack', '--ignore-scripts', '--pack-destination', packed]));
		}
		const archive = join(packed, readdirSync(packed)[0]);
		await run('tar', ['-xzf', archive, '-C', temporary]);
		return { folder: join(temporary, 'package'), archive, remove };
	} catch (error) {
		remove();
		throw error;
	}
}

async function run(command: string, args: string[]): Promise<void> {
	const child = startGuarded(command, args, { cwd: root });
	const code = await child.exited;
	if (code !== 0)
		throw new Error(`${command} ${args.join(' ')} failed (exit code ${code}):\n${child.tail()}`);
}
