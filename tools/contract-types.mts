// Makes the package's types from the contract: `npm run contract` writes them, a test fails when they are stale.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { contractFile } from '../openapi/contract.mts';

export const typesFile = new URL('../nodes/shared/base/contract.ts', import.meta.url);

const header =
	'// Made from openapi/workspace-automation.yaml by `npm run contract`. Do not edit.\n\n';

/** The text that `typesFile` should have. */
export async function contractTypes(): Promise<string> {
	const nodes = await openapiTS(await readFile(contractFile, 'utf8'), { alphabetize: false });
	const filepath = fileURLToPath(typesFile);
	return await format(header + astToString(nodes), {
		...(await resolveConfig(filepath)),
		filepath,
	});
}

if (import.meta.main) await writeFile(typesFile, await contractTypes());
