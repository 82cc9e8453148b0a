// Generated texts of any characters.
import fc from 'fast-check';

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/** Any character, but no half of a surrogate pair. fast-check's own unit `binary` makes a map of all of them first, in each process. */
const anyCharacter = fc
	.nat(0x10ffff - SURROGATES)
	.map((code) => String.fromCodePoint(code < FIRST_SURROGATE ? code : code + SURROGATES));

export const anyText = (maxLength: number) => fc.string({ unit: anyCharacter, maxLength });
