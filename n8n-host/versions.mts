// The n8n versions that the package is run in. Each is pinned by its own package, in the folder of its name, and they share nothing.
import { fileURLToPath } from 'node:url';

/** The first is the default. */
export const hostVersions = ['2.41', '1.123'] as const;

export type HostVersion = (typeof hostVersions)[number];

/** The version with this name. Throws, listing the versions, if there is none. */
function versionNamed(name: string): HostVersion {
	const version = hostVersions.find((each) => each === name);
	if (version === undefined)
		throw new Error(`There is no n8n "${name}" here, only ${hostVersions.join(' and ')}.`);
	return version;
}

/** The versions that `N8N_HOST` names, separated by commas; all of them where it is not set. */
export function chosenVersions(): readonly HostVersion[] {
	const { N8N_HOST: names } = process.env;
	return names ? names.split(',').map(versionNamed) : hostVersions;
}

/** The version to run: the one that `N8N_HOST` names, or the default. */
export const hostVersion = (): HostVersion => chosenVersions()[0];

/** Folder of a version, beside the package.json that pins it */
export const hostFolder = (version: HostVersion): string =>
	fileURLToPath(new URL(version, import.meta.url));
