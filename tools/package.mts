// `npm run pack` packs the package into the working folder. Others unpack what it packs: they run exactly what would be published.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from '../n8n-host/pinned.mts';
import { omit } from '../nodes/shared/values.ts';
import { build } from './build.mts';

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
			await pack(packed);
		}
		const archive = join(packed, readdirSync(packed)[0]);
		execFileSync('tar', ['-xzf', archive, '-C', temporary]);
		return { folder: join(temporary, 'package'), archive, remove };
	} catch (error) {
		remove();
		throw error;
	}
}

/**
 * Packs what was built. npm packs a copy, because package.json without what only developers need must not stay in the repository if npm
 * is interrupted. npm runs no script that could change it while it packs: `.npmrc` forbids scripts.
 */
async function pack(destination: string): Promise<void> {
	const copy = mkdtempSync(join(tmpdir(), 'package-to-pack-'));
	try {
		const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
		for (const file of [...manifest.files, 'README.md', 'LICENSE'])
			cpSync(join(root, file), join(copy, file), { recursive: true });
		const shipped = omit(manifest, 'workspaces', 'scripts', 'devDependencies');
		writeFileSync(join(copy, 'package.json'), `${JSON.stringify(shipped, null, 2)}\n`);
		await npm(copy, ['pack', '--ignore-scripts', '--pack-destination', destination]);
	} finally {
		rmSync(copy, { recursive: true, force: true });
	}
}

if (process.argv[1] === import.meta.filename) {
	await build();
	await pack(process.cwd());
	const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	const file = `./${name}-${version}.tgz`;
	console.log(`Packed ${file}. To install it, run this command, and restart n8n:

npm install --prefix ~/.n8n/nodes --legacy-peer-deps ${file}`);
}
