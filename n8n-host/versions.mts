// The n8n versions that the package is run in. Each is pinned by a package of its own, in the folder of its name, and they share nothing.
import { fileURLToPath } from 'node:url';

/** The first is meant where nobody chooses. */
export const hostVersions = ['2.41', '1.123'] as const;

export type HostVersion = (typeof hostVersions)[number];

/** The version that `N8N_HOST` names, or undefined where nobody has chosen. Throws for one that there is not. */
export function chosenVersion(): HostVersion | undefined {
	const { N8N_HOST: name } = process.env;
	const version = hostVersions.find((each) => each === name);
	if (name && !version)
		throw new Error(`N8N_HOST is "${name}"; there is ${hostVersions.join(' and ')}.`);
	return version;
}

/** The version to run: the chosen one, or the default. */
export const hostVersion = (): HostVersion => chosenVersion() ?? hostVersions[0];

/** Where a version is installed, beside the package.json that pins it */
export const hostFolder = (version: HostVersion): string =>
	fileURLToPath(new URL(version, import.meta.url));
