import { ANY, foldCase, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
import { doubt, held, NO, YES, type ComparedText, type Matcher, type Reach } from './matcher';
import { foldPath, normalizePath } from './paths';

// Rules about paths and searches

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
	private readonly globs: readonly Glob[];

	constructor(pattern: string) {
		this.globs = listForms(pattern).map((form) => new Glob(form));
	}

	reach({ path }: ComparedText, budget: MatchBudget): Reach {
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

export class PathObjection implements Matcher {
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
	}

	reach({ path }: ComparedText, budget: MatchBudget): Reach {
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
