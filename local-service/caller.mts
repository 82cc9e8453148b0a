// Values to call the service: the headers of a request, and the package's credential.
import type { Overrides } from './dialects/dialect.mts';

/** The API version that most operations need */
export const CURRENT_VERSION = '2026-10-05';

/** Returns the headers of a request with this key. */
export const apiHeaders = (key: string, version: string = CURRENT_VERSION) => ({
	authorization: `Bearer ${key}`,
	'service-api-version': version,
});

/** Returns what someone enters in the credential for a service. */
export const credentialFor = ({
	baseUrl,
	key,
	overrides = {},
}: {
	baseUrl: string;
	key: string;
	overrides?: Overrides;
}) => ({
	baseUrl,
	accessToken: key,
	apiVersion: CURRENT_VERSION,
	overrides: JSON.stringify(overrides),
});
