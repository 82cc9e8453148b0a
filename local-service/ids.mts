// Identifiers that are the same at every start, so that examples and tests can refer to seeded things.
import { hash } from 'node:crypto';

/** A UUID derived from a name: `idOf('project:1')` never changes. */
export function getId(name: string): string {
	const hex = hash('sha256', name);
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A whole number from 0 to `below - 1`, derived from a name. */
export function getNumber(name: string, below: number): number {
	return hash('sha256', name, 'buffer').readUInt32BE(0) % below;
}
