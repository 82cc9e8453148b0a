import {
	ANY,
	DEEP,
	foldCase,
	Glob,
	hasWildcard,
	listDeepForms,
	normalizePath,
	parsePattern,
} from '../../shared/globs';
import { lazily } from '../../shared/values';
import { doubt, held, NO, YES, type Reach } from './rule';

// Paths are plain text: brackets, spaces and `&` are characters of file names.

const DRIVE = /^[a-z]:$/i;
/** Another notation of a path: `file:///x`, and `C:x` in the drive's current folder */
const OTHER_NOTATION = /^(?:file:|[a-z]:(?!\/))/i;

/** `/`, `~`, `C:`, `file:/` or `../` at the start, all of which has to be typed */
const OUT = /^(?:\/|~|[a-z]:|[a-z][a-z\d+.-]*:\/|(?:\.\.(?:\/|$))+)/i;
const UNTYPED = /\p{Cc}|(?<![^/])\.\.(?![^/])/gu;
const NAME_OUTSIDE = /^(?:\.\.\/)*(~|(?<=\/)[^/]+)/;

/** Also quotation marks, which the words of commands have lost */
const IGNORED_CHARACTERS = /['"\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** A folder of a process that is the current one, or the root */
const OF_PROCESS = /^(?:\/[^/]+)+\/(?:cwd|root|fd\/\d+)(?=\/|$)/;

/** Returns a path as denials compare it: some systems don't distinguish cases, `key.`, `key ` and `key::$DATA`. */
function foldPath(path: string): string {
	const segments = foldCase(path.replace(IGNORED_CHARACTERS, ''))
		.split('/')
		.map((segment, at) => {
			const name = at === 0 && DRIVE.test(segment) ? segment : segment.replace(/:.*$/s, '');
			return /^\.+$/.test(name) ? name : name.replace(/(?<![. ])[. ]+$/, '');
		});
	return normalizePath(segments.join('/').trim()).replace(OF_PROCESS, '..');
}

const IS_NAMED = /[^\uFDD0\uFDD1.]/;

/** Paths as denials compare them: each on a line of its own, between slashes */
export class Places {
	/** Of folders and files. `~~` is any home folder. */
	readonly names: Set<string>;
	/** Names behind `..`, and `~` for a home folder: only the system knows the absolute path. */
	readonly outside: readonly string[];
	/** Names with wildcards of the shell */
	readonly globs: readonly Glob[][];
	private readonly isOpen: boolean;
	private readonly lines: readonly string[];
	private readonly text: string;

	/** @param isOpen true if a name that is only wildcards can be any */
	constructor(paths: Iterable<string>, isOpen = true) {
		this.isOpen = isOpen;
		const folded = [...paths].map(foldPath);
		const plain = folded.filter((path) => !hasWildcard(path));
		this.lines = plain.map((path) => `\n/${path}/\n`);
		this.text = this.lines.join('');
		this.outside = folded.flatMap((path) => NAME_OUTSIDE.exec(path)?.slice(1) ?? []);
		this.names = new Set(folded.flatMap((path) => path.replace(/^~[^/]*/, '$&/~~').split('/')));
		// What leads out of a folder with an unknown name can be anywhere.
		const ends = folded.filter(hasWildcard).map((path) => path.replace(/^(?:.*\/)?\.\.\//s, ''));
		this.globs = ends.map((path) => path.split('/').map((name) => new Glob(name)));
	}

	/** Returns whether a line has a text in it. */
	has(glob: Glob, needle: string): boolean {
		if (!this.text.includes(needle)) return false;
		return glob.isLiteral || this.lines.some((line) => glob.matches(line));
	}

	/** Returns whether wildcards of the shell can be the first of some names, or names behind others. */
	canBe(denied: readonly Glob[], isBehind: boolean): boolean {
		return this.globs.some((path) => {
			// zsh's `**/` is any number of names.
			const deep = path.findIndex(({ text }) => text === DEEP);
			const begins = (from: number): boolean => {
				const nameAt = (at: number) => path[deep < from ? from + at : Math.min(from + at, deep)];
				return (
					(deep >= from || from + denied.length <= path.length) &&
					denied.every((name, at) => name.canMeet(nameAt(at))) &&
					(this.isOpen || denied.some((_, at) => IS_NAMED.test(nameAt(at).text)))
				);
			};
			return isBehind ? path.some((_, from) => begins(from)) : begins(0);
		});
	}
}

/** A text that a line of `Places` has in it */
function placeGlob(text: string) {
	const glob = hasWildcard(text) ? new Glob(ANY + text + ANY) : new Glob(text);
	const [needle] = text.split(/[\uFDD0\uFDD1]/).sort((one, other) => other.length - one.length);
	return (places: Places): boolean => places.has(glob, needle);
}

/** Compares paths with a folder or file that is denied, and all in it. */
function denyFolder(folder: string) {
	const isAbsolute = folder === '' || folder.startsWith('/');
	const names = folder.split('/').slice(isAbsolute ? 1 : 0);
	const globs = names.map((name) => new Glob(name));
	const isIn = placeGlob(isAbsolute ? `\n/${folder}/` : `/${folder}/`);
	/** What is left of it in each of its folders */
	const ends = lazily(() =>
		names.map((_, at) => ({
			globs: globs.slice(at),
			begins: placeGlob(`\n/${names.slice(at).join('/')}/`),
			hasFolder: placeGlob(`/${names.slice(0, at).join('/')}/\n`),
		})),
	);
	const literals = names.filter((name) => name !== '' && !hasWildcard(name));
	const last = names[names.length - 1] ?? '';
	return {
		keys: hasWildcard(last) || last === '' ? undefined : isAbsolute ? [...literals, '~~'] : [last],
		isIn,
		/** Returns whether a path may be in it: in another spelling, or from a folder that a command names or changes to. */
		mayBeIn(places: Places, all: () => Places, isAnywhere: boolean): boolean {
			const isNamed = (name: string) => name === '~' || globs.some((each) => each.matches(name));
			if (isAbsolute && places.outside.some(folder === '' ? Boolean : isNamed)) return true;
			return ends().some(({ globs: rest, begins, hasFolder }, at) => {
				const isHere = at === 0 || isAbsolute || isAnywhere;
				const canBe = begins(places) || places.canBe(rest, at === 0);
				return canBe && (isHere || hasFolder(all()) || all().canBe(globs.slice(0, at), true));
			});
		},
	};
}

/** Returns the folder or file that a form of a pattern denies: `secrets` for `secrets/*`, and anything below any folder. */
const toFolder = (form: string): string =>
	foldPath(
		form
			.replace(/^~\//, '')
			.replace(/^(?:\uFDD0\/)+/, '')
			.replace(/(?:\/\uFDD0)+$/, ''),
	);

/** @param parsed pattern */
export function denyPaths(parsed: string) {
	const forms = listDeepForms(foldCase(parsed.trim())).map(normalizePath);
	const folders = [...new Set(forms.map(toFolder))].map(denyFolder);
	const keys = folders.map((folder) => folder.keys);
	const covers = (places: Places): boolean => folders.some(({ isIn }) => isIn(places));
	return {
		/** Names of which a path has one. Undefined if it's compared with each. */
		keys: keys.every((each) => each !== undefined) ? keys.flat() : undefined,
		/** Returns whether a word of a command may be denied. `isAnywhere` is true if nobody knows its folder. */
		mayMean: (places: Places, all: () => Places, isAnywhere: boolean): boolean =>
			covers(places) || folders.some((folder) => folder.mayBeIn(places, all, isAnywhere)),
		reach({ places, hasOtherNotation }: ComparedPath): Reach {
			if (covers(places)) return YES;
			if (hasOtherNotation) return doubt('its path has another notation');
			return folders.some((folder) => folder.mayBeIn(places, () => places, false))
				? doubt('it may be the same file')
				: NO;
		},
	};
}

export function approvePaths(pattern: string) {
	const forms = listDeepForms(parsePattern(pattern.trim()));
	const globs = forms.map((form) => new Glob(normalizePath(form)));
	return ({ text, guards }: ComparedPath): Reach => {
		const matching = globs.filter((glob) => glob.matches(text));
		if (matching.length === 0) return NO;
		return matching.some((glob) => glob.matches(text, guards))
			? YES
			: held("its wildcard doesn't match a path that leads out of the folder");
	};
}

/** Returns whether an approval covers a search of `glob` behind a typed folder, such as `src/*`. */
export function approveSearches(pattern: string) {
	const [folder] = /^[^\uFDD0\uFDD1]*\/(?=\uFDD0$)/.exec(parsePattern(pattern.trim())) ?? [];
	return (text: string, permission: string): Reach =>
		folder !== undefined &&
		permission.trim().toLowerCase() === 'glob' &&
		text.startsWith(folder) &&
		!text.includes('..')
			? YES
			: NO;
}

export type ComparedPath = ReturnType<typeof comparePath>;

/** Returns a request's path in the forms that rules compare. */
export function comparePath(requestPath: string) {
	const text = normalizePath(requestPath.replaceAll('\\', '/'));
	const guards = new Uint8Array(text.length);
	guards.fill(1, 0, OUT.exec(text)?.[0].length ?? 0);
	for (const { index } of text.matchAll(UNTYPED)) guards[index] = 1;
	return {
		text,
		guards,
		places: new Places([text]),
		hasOtherNotation: OTHER_NOTATION.test(text),
	};
}
