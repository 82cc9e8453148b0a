// A copy of the repository in a temporary folder, with the installed packages of the original.
import { cpSync, existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Copies the repository, and returns the folder of the copy.
 * @param isCopied decides about a path. A folder that isn't copied has no copied files.
 * @param withPackages the folders whose `node_modules` the copy shares, if they're installed
 */
export function copyRepository(
	isCopied: (path: string) => boolean,
	withPackages: readonly string[] = ['.'],
): string {
	const copy = mkdtempSync(join(tmpdir(), 'repository-'));
	const filter = (file: string) => isCopied(relative(repository, file).replaceAll('\\', '/'));
	cpSync(repository, copy, { recursive: true, filter });
	for (const folder of withPackages) {
		const installed = join(repository, folder, 'node_modules');
		// A link to nothing couldn't be installed into.
		if (existsSync(installed))
			symlinkSync(installed, join(copy, folder, 'node_modules'), 'junction');
	}
	return copy;
}
