import { ANY, foldCase, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
import {
	doubt,
	held,
	NO,
	YES,
	type ComparedRequest,
	type ComparedText,
	type Matcher,
	type Reach,
} from './matcher';

// Paths are plain text: brackets, spaces and `&` are characters of file names.

/** `~` and `C:` aren't folders that `..` leaves. */
const ROOT = /^~|:$/;
const DRIVE = /^[a-z]:$/i;
/** Another notation of a path: `file:///x`, and `C:x` in the drive's current folder */
const OTHER_NOTATION = /^(?:file:|[a-z]:(?!\/))/i;

/** Removes `//`, `./`, `a/../` and a last `/`. */
export function normalizePath(path: string): string {
	if (!path.includes('/')) return path;
	const kept: string[] = [];
	for (const [index, segment] of path.split('/').entries()) {
		const last = kept[kept.length - 1] ?? '..';
		if (segment === '.' || (segment === '' && index > 0)) continue;
		if (segment !== '..') kept.push(segment);
		else if (last === '..' || hasWildcard(last) || ROOT.test(last)) kept.push(segment);
		else if (last !== '') kept.pop();
	}
	return kept.length === 1 && kept[0] === '' ? '/' : kept.join('/') || '.';
}

/** `/`, `~`, `C:`, `file:/` or `../` at the start, all of which has to be typed */
const OUT = /^(?:\/|~|[a-z]:|[a-z][a-z\d+.-]*:\/)/i;
const PARENTS = '../';
const UNTYPED = /\p{Cc}|(?<![^/])\.\.(?![^/])/gu;

function countParents(path: string): number {
	let end = 0;
	while (path.startsWith(PARENTS, end)) end += PARENTS.length;
	return path.slice(end) === '..' ? path.length : end;
}

const INVISIBLE = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Returns a path as denials compare it: some systems don't distinguish cases, `key.`, `key ` and `key::$DATA`. */
const foldPath = (path: string): string =>
	normalizePath(
		foldCase(path.replace(INVISIBLE, ''))
			.split('/')
			.map((segment, at) => {
				const name = at === 0 && DRIVE.test(segment) ? segment : segment.replace(/:.*$/s, '');
				return /^\.+$/.test(name) ? name : trimEnd(name);
			})
			.join('/')
			.trim(),
	);

function trimEnd(segment: string): string {
	let end = segment.length;
	while (end > 0 && '. '.includes(segment[end - 1])) end--;
	return segment.slice(0, end);
}

/** A request's path in the forms that rules compare */
export class ComparedPath {
	readonly text: string;
	readonly folded: string;
	readonly guards: Uint8Array;
	/** The name that follows `..` or `~`, if only the system knows the absolute path */
	readonly nameOutside: string | undefined;
	readonly hasOtherNotation: boolean;

	constructor(text: string) {
		this.text = normalizePath(text.replaceAll('\\', '/'));
		this.folded = foldPath(this.text);
		this.hasOtherNotation = OTHER_NOTATION.test(this.text);
		this.guards = new Uint8Array(this.text.length);
		const [out] = OUT.exec(this.text) ?? [''];
		const parents = countParents(this.text);
		this.guards.fill(1, 0, Math.max(out.length, parents));
		for (const { index } of this.text.matchAll(UNTYPED)) this.guards[index] = 1;
		if (parents > 0 || out === '~')
			this.nameOutside = /^(?:~[^/]*|\.\.)(?:\/\.\.)*\/([^/]+)/.exec(this.folded)?.[1];
	}
}

const MAX_DEEP = 4;

/** Returns a pattern's forms, because two stars and a slash can also be nothing. */
function listForms(pattern: string): string[] {
	const [first, ...others] = pattern.trim().split(/(?<![^/])\*\*\//);
	const joints = others.length > MAX_DEEP ? ['*/'] : ['*/', ''];
	const forms = others.reduce(
		(all, other) => all.flatMap((form) => joints.map((joint) => form + joint + other)),
		[first],
	);
	return [...new Set(forms.map((form) => normalizePath(parsePattern(form))))];
}

export class PathApproval implements Matcher {
	readonly key: string | undefined;
	private readonly globs: readonly Glob[];

	constructor(pattern: string) {
		this.key = findName(pattern);
		this.globs = listForms(pattern).map((form) => new Glob(form));
	}

	reach({ path }: ComparedText, _: ComparedRequest, budget: MatchBudget): Reach {
		if (!path) return NO;
		const { text, guards } = path;
		const matching = this.globs.filter((glob) => glob.matches(text, budget));
		if (matching.length === 0) return NO;
		return matching.some((glob) => glob.matches(text, budget, guards))
			? YES
			: held(() => "its wildcard doesn't match a path that leads out of the folder");
	}
}

/** Returns the folder that a pattern is about, without a last `/*`. */
const withoutRest = (form: string): string => (form.endsWith(`/${ANY}`) ? form.slice(0, -2) : form);

/** Returns a name that each path of a pattern has, if there's one. */
function findName(pattern: string): string | undefined {
	const forms = listForms(foldCase(pattern)).map(withoutRest);
	const [name, ...others] = new Set(forms.map((form) => foldPath(form).split('/').pop()!));
	return others.length > 0 || hasWildcard(name) || /^[.~]*$/.test(name) ? undefined : name;
}

export class PathObjection implements Matcher {
	readonly key: string | undefined;
	/** Each with everything in the folder, for a path between two slashes */
	private readonly globs: readonly Glob[];
	private readonly absoluteGlobs: readonly Glob[];
	/** Of the folders of an absolute path */
	private readonly names: readonly Glob[];

	constructor(pattern: string) {
		const forms = listForms(foldCase(pattern)).flatMap((form) =>
			// `~/x` is somewhere.
			form.startsWith('~/') ? [form, form.slice(2)] : [form],
		);
		const folders = forms.map((form) => foldPath(withoutRest(form)));
		const isAbsolute = (folder: string) => folder === '' || folder.startsWith('/');
		const compile = (folder: string) =>
			new Glob(`${folder}${folder.endsWith('/') ? '' : '/'}${ANY}`);
		const absolute = folders.filter(isAbsolute);
		this.absoluteGlobs = absolute.map(compile);
		this.globs = folders
			.filter((folder) => !isAbsolute(folder))
			.map((folder) => compile(`${ANY}/${folder}`));
		this.names = absolute.flatMap((folder) =>
			folder
				.split('/')
				.slice(1)
				.map((name) => new Glob(name)),
		);
		// What `..` is can be any of its folders.
		if (absolute.length === 0) this.key = findName(pattern);
	}

	reach({ path }: ComparedText, _: ComparedRequest, budget: MatchBudget): Reach {
		if (!path) return NO;
		const { folded, nameOutside, hasOtherNotation } = path;
		const isIn = this.globs.some((glob) => glob.matches(`/${folded}/`, budget));
		if (isIn || this.absoluteGlobs.some((glob) => glob.matches(`${folded}/`, budget))) return YES;
		if (hasOtherNotation) return doubt('its path has another notation');
		const mayBeIn =
			nameOutside !== undefined && this.names.some((name) => name.matches(nameOutside, budget));
		return mayBeIn ? doubt('its path leaves the folder') : NO;
	}
}

/** Approves searches of `glob` behind a typed folder, such as `src/*`. */
export class SearchApproval implements Matcher {
	private readonly folder: string = '';

	constructor(pattern: string) {
		const parsed = parsePattern(pattern.trim());
		const isFolder = parsed.endsWith(`/${ANY}`) && !hasWildcard(parsed.slice(0, -1));
		if (isFolder) this.folder = parsed.slice(0, -1);
	}

	reach({ permission, text = '' }: ComparedText): Reach {
		const { folder } = this;
		const isGlob = permission.trim().toLowerCase() === 'glob';
		const isIn = folder !== '' && text.startsWith(folder) && !text.includes('..');
		return isGlob && isIn ? YES : NO;
	}
}

export class SearchObjection implements Matcher {
	reach({ approvedAs }: ComparedText): Reach {
		return approvedAs === 'searches' ? doubt('rules compare a search only as a whole') : NO;
	}
}
