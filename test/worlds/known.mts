// Worlds of the fixed set that still break a promise, by n8n, with the kinds. A change may shorten the list, and not lengthen it.
import type { HostVersion } from '../../n8n-host/versions.mts';

export const KNOWN: Record<HostVersion, Record<number, string[]>> = {
	'2.41': {},
	'1.123': {},
};
