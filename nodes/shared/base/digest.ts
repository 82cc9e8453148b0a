import { createHash } from 'node:crypto';

/**
 * A short stand-in for a content of any length: equal for the same content, and else different but for chance.
 * @param bytes how many bytes of the hash are kept; each 3 bytes are 4 characters
 */
export function digest(content: string | Uint8Array, bytes = 16): string {
	return createHash('sha256').update(content).digest().subarray(0, bytes).toString('base64url');
}
