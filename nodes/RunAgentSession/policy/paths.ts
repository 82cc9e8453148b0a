import {
	ANY,
	foldCase,
	Glob,
	hasWildcard,
	LEADS_OUT,
	parsePattern,
	type MatchBudget,
} from './globs';
import { doubt, held, NO, reachIf, YES, type Reach } from './reach';

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
	/** What follows `..` or `~`, if only the system knows the absolute path */
	readonly rest: string | undefined;
	readonly hasOtherNotation: boolean;

	constructor(text: string) {
		this.text = normalizePath(text.replaceAll('\\', '/'));
		this.folded = foldPath(this.text);
		this.hasOtherNotation = OTHER_NOTATION.test(this.text);
		this.guards = new Uint8Array(this.text.length);
		const [out] = OUT.exec(this.text) ?? [''];
		const parents = countParents(this.text);
		this.guards.fill(LEADS_OUT, 0, Math.max(out.length, parents));
		for (const { index } of this.text.matchAll(UNTYPED)) this.guards[index] = LEADS_OUT;
		if (parents > 0 || out === '~') this.rest = this.folded.replace(/^(?:~[^/]*|(?:\.\.\/?)+)/, '');
	}

	/** Returns the names by which rules are found. */
	segments(): string[] {
		return this.folded.split('/');
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

export class PathApproval {
	private readonly globs: readonly Glob[];

	constructor(pattern: string) {
		this.globs = listForms(pattern).map((form) => new Glob(form));
	}

	reach({ text, guards }: ComparedPath, budget: MatchBudget): Reach {
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
export function pathKey(pattern: string): string | undefined {
	const forms = listForms(foldCase(pattern)).map(withoutRest);
	const [name, ...others] = new Set(forms.map((form) => foldPath(form).split('/').pop()!));
	return others.length > 0 || hasWildcard(name) || /^[.~]*$/.test(name) ? undefined : name;
}

/** Returns the ends of an absolute path that have a name: `/a/b` and `/b`. */
function listEnds(folder: string): string[] {
	const names = folder.split('/').slice(1);
	return names
		.map((_, at) => `/${names.slice(at).join('/')}`)
		.filter((end) => !/^\/\uFDD0?$/.test(end));
}

export class PathObjection {
	/** Each with everything in the folder, for a path between two slashes */
	private readonly globs: readonly Glob[];
	private readonly absoluteGlobs: readonly Glob[];
	/** For what follows `..` */
	private readonly ends: readonly Glob[];

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
		this.ends = absolute.flatMap(listEnds).map(compile);
		this.globs = folders
			.filter((folder) => !isAbsolute(folder))
			.map((folder) => compile(`${ANY}/${folder}`));
	}

	reach({ folded, rest, hasOtherNotation }: ComparedPath, budget: MatchBudget): Reach {
		const { globs, absoluteGlobs, ends } = this;
		const isIn = globs.some((glob) => glob.matches(`/${folded}/`, budget));
		if (isIn || absoluteGlobs.some((glob) => glob.matches(`${folded}/`, budget))) return YES;
		if (hasOtherNotation) return doubt('its path has another notation');
		if (rest === undefined) return NO;
		const given = `${rest.startsWith('/') ? '' : '/'}${rest}/`;
		return ends.some((glob) => glob.matches(given, budget))
			? doubt('its path leaves the folder')
			: NO;
	}
}

/** Approves searches of `glob` behind a typed folder, such as `src/*`. */
export class SearchApproval {
	private readonly folder: string | undefined;

	constructor(pattern: string) {
		const parsed = parsePattern(pattern.trim());
		const isFolder = parsed.endsWith(`/${ANY}`) && !hasWildcard(parsed.slice(0, -1));
		if (isFolder) this.folder = parsed.slice(0, -1);
	}

	reach(text: string, permission: string): Reach {
		const { folder } = this;
		const isGlob = permission.trim().toLowerCase() === 'glob';
		return reachIf(isGlob && !!folder && text.startsWith(folder) && !text.includes('..'));
	}
}
