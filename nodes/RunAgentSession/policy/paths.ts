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

/** A request's path in the forms that rules compare */
export class ComparedPath {
	readonly text: string;
	readonly folded: string;
	readonly guards: Uint8Array;
	/** True if only the system knows its absolute path */
	readonly leavesFolder: boolean;

	constructor(text: string) {
		this.text = normalizePath(text.replaceAll('\\', '/'));
		this.folded = foldCase(this.text.trim());
		this.guards = new Uint8Array(this.text.length);
		const [out] = OUT.exec(this.text) ?? [''];
		const parents = countParents(this.text);
		this.guards.fill(LEADS_OUT, 0, Math.max(out.length, parents));
		for (const { index } of this.text.matchAll(UNTYPED)) this.guards[index] = LEADS_OUT;
		this.leavesFolder = parents > 0 || out === '~';
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

/** Another notation of a path: `file:///x`, and `C:x` in the drive's current folder */
const OTHER_NOTATION = /^(?:file:|[a-z]:(?!\/))/;

export class PathObjection {
	/** Each with everything in the folder, for a path between two slashes */
	private readonly globs: readonly Glob[];
	private readonly absoluteGlobs: readonly Glob[];

	constructor(pattern: string) {
		const forms = listForms(foldCase(pattern)).flatMap((form) =>
			// `~/x` is somewhere.
			form.startsWith('~/') ? [form, form.slice(2)] : [form],
		);
		const folders = forms.map((form) => (form.endsWith(`/${ANY}`) ? form.slice(0, -2) : form));
		const isAbsolute = (folder: string) => folder === '' || folder.startsWith('/');
		const compile = (folder: string) => new Glob(`${folder}${folder === '/' ? '' : '/'}${ANY}`);
		this.absoluteGlobs = folders.filter(isAbsolute).map(compile);
		this.globs = folders
			.filter((folder) => !isAbsolute(folder))
			.map((folder) => compile(`${ANY}/${folder}`));
	}

	reach({ folded, leavesFolder }: ComparedPath, budget: MatchBudget): Reach {
		const { globs, absoluteGlobs } = this;
		const isIn = globs.some((glob) => glob.matches(`/${folded}/`, budget));
		if (isIn || absoluteGlobs.some((glob) => glob.matches(`${folded}/`, budget))) return YES;
		if (OTHER_NOTATION.test(folded)) return doubt('its path has another notation');
		return leavesFolder && absoluteGlobs.length > 0 ? doubt('its path leaves the folder') : NO;
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
