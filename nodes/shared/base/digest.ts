import { createHash } from 'node:crypto';

/**
 * A short stand-in for a text of any length: equal for the same text, and else different but for chance.
 * @param bytes how many bytes of the hash are kept; each 3 bytes are 4 characters
 */
export function digest(text: string, bytes = 16): string {
	return createHash('sha256').update(text).digest().subarray(0, bytes).toString('base64url');
}
