import { lazily } from '../../shared/lazily';
import { compareWord } from './addresses';
import { ANY, foldCase, Glob, hasWildcard, ONE, type MatchBudget } from './globs';
import { normalizePath } from './paths';
import { programName } from './programs';

// The words that a shell or another program may find in a text, whatever their place: a denial looks for its own in here.

const PIECE = /[\p{L}\p{N}\p{M}._/~+\uFDD0\uFDD1-]+/gu;
const ESCAPE = /\\+(?:x([\da-f]{1,2})|[uU]([\da-f]{1,6})|0?([0-7]{1,3}))/gi;
export const FOLDER_CHANGES = ['cd', 'pushd', 'popd', 'chdir'];
/** Places in a joined option where a word can begin: `rm` in `-tfxrm` */
const MAX_JOINED = 6;

/** Returns the pieces of a word if other characters separate words, too. */
export const splitWord = (word: string): string[] => word.match(PIECE) ?? [];

/** Returns a text without what shells remove. `$1` is empty. */
export const unquote = (text: string): string => text.replace(/\\\n|\$[\d@*]|['"\\]/g, '');

const unescape = (text: string): string =>
	text.replace(ESCAPE, (_, hex?: string, unicode?: string, octal?: string) => {
		const code = parseInt(hex ?? unicode ?? octal!, octal === undefined ? 16 : 8);
		return code > 0x10ffff ? '' : String.fromCodePoint(code);
	});

/** Returns the forms of a text in which words can be: as typed, without quotation marks, and with its escapes read. */
const listForms = (text: string): Set<string> =>
	new Set([text, unescape(text)].flatMap((each) => [each, unquote(each)]));

/** Returns a text of the shell with its wildcards. `{a,b}` and `[ab]` can be anything. */
function toGlob(token: string): string {
	const start = token.search(/[[{]/);
	const end = Math.max(token.lastIndexOf(']'), token.lastIndexOf('}'));
	const isExpanded = 0 <= start && start < end && /[[,]|\.\./.test(token.slice(start, end));
	const text = isExpanded ? token.slice(0, start) + ANY + token.slice(end + 1) : token;
	return text.replace(/\*+/g, ANY).replace(/\?/g, ONE);
}

export class Words {
	/** As typed, as paths in their shortest form, as names of programs, and what can follow a short option at once */
	readonly pieces = new Set<string>();
	/** What wildcards of the shell can be */
	readonly globs = new Set<string>();
	private readonly tokens: string[] = [];
	readonly addresses = lazily(() =>
		this.tokens.map((word) => ({ word, address: compareWord(word) })),
	);
	/** True if nobody knows in which folder the words are */
	readonly isAnywhere = lazily(() => FOLDER_CHANGES.some((name) => this.pieces.has(name)));
	/** Options without their dashes, and which forms they have */
	private readonly options = lazily(() => {
		const options = [...this.pieces, ...this.globs].filter((piece) => piece.startsWith('-'));
		return {
			names: options.map((option) => option.replace(/^-+/, '')),
			hasLong: options.some((option) => /^--./.test(option)),
			letters: new Set(options.flatMap((option) => [...(/^-([^-]+)/.exec(option)?.[1] ?? '')])),
		};
	});

	/** @param text of a command, or a part of one */
	constructor(text: string) {
		for (const form of listForms(foldCase(text)))
			for (const token of form.match(/[^\s;|<>()'"`]+/g) ?? []) {
				this.tokens.push(token);
				const glob = /[*?[{]/.test(token) ? toGlob(token) : '';
				for (const piece of [...splitWord(token), ...splitWord(glob)]) this.add(piece);
			}
	}

	private add(piece: string): void {
		const list = hasWildcard(piece) ? this.globs : this.pieces;
		if (list.has(piece)) return;
		const path = normalizePath(piece);
		list.add(piece).add(path).add(programName(path));
		if (!/^-[^-]/.test(piece)) return;
		for (let at = 2; at <= Math.min(piece.length - 1, MAX_JOINED); at++) this.add(piece.slice(at));
	}

	/** Returns whether a word matches a pattern, or could because it has wildcards. */
	has(pattern: Glob, budget: MatchBudget): boolean {
		const isHere = pattern.isLiteral
			? this.pieces.has(pattern.text)
			: [...this.pieces].some((word) => pattern.matches(word, budget));
		return isHere || [...this.globs].some((glob) => pattern.canMeet(glob, budget));
	}

	/** Returns whether an option may be here: joined, split, shortened, or as a long option for a short one and the reverse. */
	hasOption(option: string): boolean {
		const { names, hasLong, letters } = this.options();
		const [name] = option.replace(/^-+/, '').split('=', 1);
		return (
			names.some((each) => hasWildcard(each) || (each.length > 1 && name.startsWith(each))) ||
			(option.startsWith('--')
				? letters.size > 0
				: hasLong || [...name].every((letter) => letters.has(letter)))
		);
	}
}
