// Makes the package's types from the contract: `npm run contract` writes them, a test fails when they are stale.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { isInterfaceDeclaration } from 'typescript';
import { document } from '../openapi/contract.mts';

export const typesFile = new URL('../openapi/contract-types.mts', import.meta.url);

const header =
	'// Made from openapi/workspace-automation.yaml by `npm run contract`. Do not edit.\n\n';

/** The text that `typesFile` should have. */
export async function contractTypes(): Promise<string> {
	const nodes = await openapiTS(document as OpenAPI3, { alphabetize: false });
	// The package uses the schemas alone: operations are in their own table.
	const schemas = nodes.filter(
		(node) => isInterfaceDeclaration(node) && node.name.text === 'components',
	);
	const filepath = fileURLToPath(typesFile);
	return await format(header + astToString(schemas), {
		...(await resolveConfig(filepath)),
		filepath,
	});
}

if (process.argv[1] === import.meta.filename) await writeFile(typesFile, await contractTypes());
