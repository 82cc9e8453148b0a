// Characters that no wildcard of a rule matches: they lead out of the folder, or to another address.

import { GUARDED, LEADS_OUT, type Guards } from './globs';

/** A space can only be in quotation marks, where it counts as a letter. */
const OUTSIDE =
	/(?<![\p{L}\p{N}\p{M}._/)\]}*\s])\/|(?<![\p{L}\p{N}\p{M}\s])~|(?<![\p{L}\p{N}\p{M}.\s])\.\.(?![\p{L}\p{N}\p{M}.])/gu;
/** `C:\x` and `\\server` of Windows */
const WINDOWS = /(?<![\p{L}\p{N}\p{M}])(?:[a-z]:\\|\\\\)/giu;
/** Glued to a short option: `-I/x`, `-C..`, `-I~/x`, `-IC:\x` */
const GLUED = [
	/^-[\p{L}\p{N}]*\//u,
	/^-[\p{L}\p{N}]*~/u,
	/^-[\p{L}\p{N}]*\.\.(?![\p{L}\p{N}\p{M}.])/u,
	/^-[\p{L}\p{N}]*(?::\\|\\\\)/u,
];
const SCHEME_CHARACTER = /[a-z\d+.-]/i;
const ENDS_HOST = /[/?#\\]/g;
/** A host with a user, before the path: `git@host:path` */
const REMOTE = /^[^/:@]+@[^/:@]+:/;
const HIDDEN_IN_PATH = /%(?:2e|2f|5c)|\\/gi;

interface Address {
	start: number;
	/** Place of `://` */
	colon: number;
}

/** Finds addresses in one pass over the text. */
function findAddresses(text: string): Address[] {
	const found: Address[] = [];
	for (let colon = text.indexOf('://'); colon >= 0; colon = text.indexOf('://', colon + 3)) {
		let start = colon;
		while (start > 0 && SCHEME_CHARACTER.test(text[start - 1])) start--;
		while (start < colon && !/[a-z]/i.test(text[start])) start++;
		found.push({ start, colon });
	}
	return found;
}

/** Returns whether an address leads to another machine. A letter alone is a drive, and `file://` is here. */
function isRemote(text: string, { start, colon }: Address): boolean {
	const scheme = text.slice(start, colon).toLowerCase();
	return scheme.length > 1 && !scheme.includes('file') && text[colon + 3] !== '/';
}

/** Returns the places that lead out of the folder, or undefined if there are none. */
export function guardWord(word: string): Guards | undefined {
	if (!/[/~]|\.\.|:\\|\\\\/.test(word)) return undefined;
	const guards = new Uint8Array(word.length);
	for (const pattern of [OUTSIDE, WINDOWS])
		for (const { 0: found, index } of word.matchAll(pattern))
			guards.fill(LEADS_OUT, index, index + found.length);
	for (const address of findAddresses(word))
		if (isRemote(word, address)) guards[address.colon + 1] = 0;
	for (const pattern of GLUED) {
		const [found] = pattern.exec(word) ?? [''];
		if (found !== '')
			guards.fill(
				LEADS_OUT,
				found.length - (/(?:\.\.|:\\|\\\\)$/.test(found) ? 2 : 1),
				found.length,
			);
	}
	return guards.includes(LEADS_OUT) ? guards : undefined;
}

/** Adds the places that decide to which machine an address in a text leads. */
export function guardAddresses(text: string, guards: Guards = new Uint8Array(text.length)): Guards {
	for (const { start, colon } of findAddresses(text)) {
		ENDS_HOST.lastIndex = colon + 3;
		const end = ENDS_HOST.exec(text)?.index ?? text.length;
		const user = text.slice(colon + 3, end).lastIndexOf('@');
		guards.fill(GUARDED, colon, colon + 3);
		if (end < text.length) guards[end] = GUARDED;
		for (let at = colon + 3; at < end; at++) if (/[:@]/.test(text[at])) guards[at] = GUARDED;
		if (user >= 0) guards.fill(GUARDED, start, colon + 3 + user + 1);
	}
	guardHiddenPath(text, guards);
	const [remote] = REMOTE.exec(text) ?? [''];
	guards.fill(GUARDED, 0, remote.indexOf('@') + 1);
	if (remote !== '') guards[remote.length - 1] = GUARDED;
	return guards;
}

/** Servers read `%2e%2e%2f` as `../`. */
function guardHiddenPath(text: string, guards: Guards): void {
	const start = text.indexOf('://');
	if (start < 0) return;
	const [path] = text.slice(start).split(/[?#]/, 1);
	for (const { index } of path.matchAll(HIDDEN_IN_PATH)) guards[start + index] = GUARDED;
}
