import { ANY, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
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
const LEADS_OUT = /^(?:\/|~|[a-z]:|[a-z][a-z\d+.-]*:\/)/i;
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
	/** Text after what leads out of the folder, if anything does */
	readonly rest: string | undefined;

	constructor(text: string) {
		this.text = normalizePath(text.replaceAll('\\', '/'));
		this.folded = this.text.toLowerCase();
		this.guards = new Uint8Array(this.text.length);
		const [out] = LEADS_OUT.exec(this.text) ?? [''];
		const parents = countParents(this.text);
		this.guards.fill(1, 0, Math.max(out.length, parents));
		for (const { index } of this.text.matchAll(UNTYPED)) this.guards[index] = 1;
		const isHome = out === '~';
		this.rest =
			parents > 0 || isHome
				? this.folded.slice(isHome ? this.folded.indexOf('/') + 1 : parents)
				: undefined;
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
			: held("its wildcard doesn't match a path that leads out of the folder");
	}
}

export class PathObjection {
	private readonly globs: readonly Glob[];
	/** Ends of an absolute path, which a path that leaves the folder can fit */
	private readonly ends: readonly Glob[];

	constructor(pattern: string) {
		const forms = listForms(pattern.toLowerCase()).flatMap((form) => [
			form,
			// `~/x` is somewhere, and `secrets/*` is also the folder.
			...(form.startsWith('~/') ? [form.slice(2)] : []),
			...(form.endsWith(`/${ANY}`) ? [form.slice(0, -2)] : []),
		]);
		this.globs = forms
			.flatMap((form) => (form.startsWith('/') ? [form] : [form, `${ANY}/${form}`]))
			.map((form) => new Glob(form));
		this.ends = forms
			.filter((form) => form.startsWith('/'))
			.flatMap((form) => {
				const segments = form.split('/').slice(1);
				return segments.map((_, at) => new Glob(segments.slice(at).join('/')));
			});
	}

	reach({ folded, rest }: ComparedPath, budget: MatchBudget): Reach {
		if (this.globs.some((glob) => glob.matches(folded, budget))) return YES;
		return rest !== undefined && this.ends.some((glob) => glob.matches(rest, budget))
			? doubt('its path leaves the folder, and its end fits')
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
