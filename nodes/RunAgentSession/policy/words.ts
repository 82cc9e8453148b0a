import { ANY, foldCase, Glob, hasWildcard, ONE, type MatchBudget } from './globs';
import { normalizePath } from './paths';
import { programName } from './programs';

// The words that a shell or another program may find in a text, whatever their place: a denial looks for its own in here.

const PIECE = /[\p{L}\p{N}\p{M}._/~+-]+/gu;
const GLOB_PIECE = /[\p{L}\p{N}\p{M}._/~+\uFDD0\uFDD1-]+/gu;
const ESCAPE = /\\+(?:x([\da-f]{1,2})|[uU]([\da-f]{1,6})|0?([0-7]{1,3}))/gi;
const MAX_EXPANDED = 64;

/** Returns what `{a,b}` can be. Of too many, and of `{a..z}`, any text. */
function expandBraces(token: string): string[] {
	let forms = [token];
	for (let at = 0; at < forms.length;) {
		const form = forms[at];
		const [group, inner] = /\{([^{}]*(?:,|\.\.)[^{}]*)\}/.exec(form) ?? [];
		if (group === undefined) at++;
		else {
			const choices = inner.includes(',') ? inner.split(',') : [ANY];
			const isTooMany = forms.length + choices.length > MAX_EXPANDED;
			const filled = (isTooMany ? [ANY] : choices).map((choice) =>
				form.replace(group, () => choice),
			);
			forms = [...forms.slice(0, at), ...filled, ...forms.slice(at + 1)];
		}
	}
	return forms;
}

const unquote = (text: string): string => text.replace(/\\\n|['"\\]/g, '');

const unescape = (text: string): string =>
	text.replace(ESCAPE, (_, hex?: string, unicode?: string, octal?: string) => {
		const code = parseInt(hex ?? unicode ?? octal!, octal === undefined ? 16 : 8);
		return code > 0x10ffff ? '' : String.fromCodePoint(code);
	});

/** Returns the forms of a folded text in which words can be: as typed, without quotation marks, and with its escapes read. */
function listForms(text: string): string[] {
	const unquoted = unquote(text);
	const read = unescape(text);
	return [...new Set([text, unquoted, read, unquote(read)])];
}

const toGlob = (text: string): string =>
	text
		.replace(/\[[^\]\s]+\]/g, ONE)
		.replace(/\*+/g, ANY)
		.replace(/\?/g, ONE);

/** Returns whether a path leads out of the folder. */
export const leadsOut = (path: string): boolean => /^(?:[/~]|\.\.)/.test(path);

/** Parts of words that the last letters of a joined option can be: `-tfxrm` */
const MAX_JOINED = 6;

export class Words {
	/** Whole words, in the forms that rules compare */
	readonly pieces = new Set<string>();
	/** The same without folders: what a program is called */
	readonly names = new Set<string>();
	/** Paths that lead out of the folder */
	readonly outside = new Set<string>();
	/** What can follow a short option at once: `rm` in `-Irm` */
	readonly glued = new Set<string>();
	/** Letters of short options */
	readonly letters = new Set<string>();
	/** Long options without dashes */
	readonly longs = new Set<string>();
	/** Single-dash words, each of which can be one option */
	readonly singles = new Set<string>();
	/** What wildcards of the shell can be */
	readonly globs = new Map<string, Glob>();
	private readonly texts: string[] = [];

	/** @param text of a command, or a part of one */
	add(text: string): this {
		this.texts.push(text);
		const forms = listForms(foldCase(text));
		for (const form of forms) for (const [piece] of form.matchAll(PIECE)) this.addPiece(piece);
		if (/[*?[{]/.test(text)) for (const form of forms) this.addGlobs(form);
		return this;
	}

	/** Adds a word that the shell finds in another folder. */
	addIn(folder: string): void {
		const within = (path: string) => normalizePath(`${foldCase(folder)}/${path}`);
		for (const piece of [...this.pieces]) if (!piece.startsWith('-')) this.addPath(within(piece));
		for (const path of [...this.globs.keys()]) this.addGlob(within(path));
	}

	addAll(other: Words): void {
		for (const name of [
			'pieces',
			'outside',
			'names',
			'glued',
			'letters',
			'longs',
			'singles',
		] as const)
			for (const each of other[name]) this[name].add(each);
		for (const [text, glob] of other.globs) this.globs.set(text, glob);
		this.texts.push(...other.texts);
	}

	private addPiece(piece: string): void {
		if (this.pieces.has(piece)) return;
		this.pieces.add(piece);
		if (piece.startsWith('-')) return this.addOption(piece);
		const path = normalizePath(piece);
		this.addPath(path);
		this.names.add(programName(path));
	}

	private addPath(path: string): void {
		this.pieces.add(path);
		if (leadsOut(path)) this.outside.add(path);
	}

	private addOption(piece: string): void {
		const name = piece.replace(/^-+/, '');
		if (piece.startsWith('--')) {
			if (name !== '') this.longs.add(name);
			return;
		}
		this.singles.add(name);
		for (const letter of /^[\p{L}\p{N}]*/u.exec(name)?.[0] ?? '') this.letters.add(letter);
		for (let at = 1; at < Math.min(name.length, MAX_JOINED); at++) {
			const rest = normalizePath(name.slice(at));
			this.glued.add(rest).add(programName(rest));
		}
	}

	private addGlobs(form: string): void {
		for (const token of form.match(/[^\s;&|<>()'"`]+/g) ?? []) {
			if (!/[*?[{]/.test(token)) continue;
			for (const expanded of expandBraces(token))
				for (const piece of toGlob(expanded).match(GLOB_PIECE) ?? []) {
					if (!hasWildcard(piece)) this.addPiece(piece);
					else {
						const path = normalizePath(piece);
						this.addGlob(path);
						this.addGlob(programName(path));
					}
				}
		}
	}

	private addGlob(path: string): void {
		if (!this.globs.has(path)) this.globs.set(path, new Glob(path));
	}

	/** Returns whether a word is here, or could be what a wildcard is. */
	has(word: string, budget: MatchBudget): boolean {
		if (this.pieces.has(word) || this.glued.has(word)) return true;
		for (const glob of this.globs.values()) if (glob.matches(word, budget)) return true;
		return false;
	}

	hasProgram(name: string, budget: MatchBudget): boolean {
		return this.names.has(name) || this.has(name, budget);
	}

	/** Returns whether any word matches a pattern, or could. */
	hasMatch(pattern: Glob, budget: MatchBudget): boolean {
		for (const list of [this.pieces, this.names, this.glued])
			for (const word of list) if (pattern.matches(word, budget)) return true;
		for (const text of this.globs.keys()) if (pattern.canMeet(text)) return true;
		return false;
	}

	/** Returns the texts between blanks and quotation marks, for addresses. */
	tokens(): string[] {
		return this.texts.flatMap((text) =>
			[text, unquote(text)].flatMap((form) =>
				(form.match(/[^\s;|<>()'"`]+/g) ?? []).flatMap((token) => expandBraces(token)),
			),
		);
	}
}
