// Installs parts that only some commands use, at their first use. Each part is pinned in the folder that uses it, so that what
// is there imports it as if everybody had it.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePinned, type Log, type Pinned } from '../n8n-host/pinned.mts';
import preflight from './preflight.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const PARTS = {
	/** For the local mock service's analytics */
	clickHouse: { folder: 'local-service/analytics', name: 'ClickHouse', size: { seconds: 20 } },
	/** For tests of the editor and its pictures */
	browser: { folder: 'tools/editor', name: 'what drives Chromium', size: { seconds: 5 } },
	/** A mock server that others make from the contract */
	prism: { folder: 'test/prism', name: 'Prism', size: { seconds: 20 } },
	/** Community packages that the cold-start benchmark loads */
	compared: {
		folder: 'bench/compared',
		name: 'the packages to compare with',
		size: { seconds: 20 },
	},
	/** n8n's own check of a package */
	scanner: { folder: 'n8n-host/scanner', name: "n8n's scanner", size: { seconds: 10 } },
} satisfies Record<string, Pinned>;

export type Part = keyof typeof PARTS;

/** Folder of each part */
export const partFolders = (): string[] => Object.values(PARTS).map(({ folder }) => folder);

/** Installs these parts, unless that has been done, and says in one line what this machine lacks for them. Throws if one cannot be installed. */
export async function ensureParts(parts: Part[], log: Log): Promise<void> {
	const pinned = parts.map((part) => PARTS[part]);
	await Promise.all(
		pinned.map((one) => ensurePinned({ ...one, folder: join(root, one.folder) }, log)),
	);
	if (parts.includes('clickHouse') && !preflight.clickHouseLoads()) log(preflight.noClickHouse);
}
