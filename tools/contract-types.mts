// Makes the package's types from the contract: `npm run contract` writes them, a test fails when they are stale.
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import { contractFile } from '../openapi/contract.mts';

export const typesFile = new URL('../nodes/shared/contract.ts', import.meta.url);

const header =
	'// Made from openapi/workspace-automation.yaml by `npm run contract`. Do not edit.\n\n';

/** The text that `typesFile` should have. */
export async function contractTypes(): Promise<string> {
	const nodes = await openapiTS(await readFile(contractFile, 'utf8'), { alphabetize: false });
	return header + astToString(nodes);
}

if (import.meta.main) await writeFile(typesFile, await contractTypes());
