import { ANY, foldCase, Glob, hasWildcard, parsePattern } from './globs';
import { doubt, held, NO, YES, type Matcher } from './matcher';
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

export function approvePaths(pattern: string): Matcher {
	const globs = listForms(pattern).map((form) => new Glob(form));
	return {
		reach({ path }, budget) {
			if (!path) return NO;
			const { text, guards } = path;
			const matching = globs.filter((glob) => glob.matches(text, budget));
			if (matching.length === 0) return NO;
			return matching.some((glob) => glob.matches(text, budget, guards))
				? YES
				: held("its wildcard doesn't match a path that leads out of the folder");
		},
	};
}

export function denyPaths(pattern: string): Matcher {
	const folders = listForms(foldCase(pattern))
		// `~/x` is somewhere.
		.flatMap((form) => (form.startsWith('~/') ? [form, form.slice(2)] : [form]))
		.map((form) => foldPath(form.endsWith(`/${ANY}`) ? form.slice(0, -2) : form));
	const isAbsolute = (folder: string) => folder === '' || folder.startsWith('/');
	// Each with everything in the folder, for a path between two slashes
	const globs = folders.map((folder) => {
		const start = isAbsolute(folder) ? '/' : `${ANY}/`;
		return new Glob(`${start}${folder}${folder.endsWith('/') ? '' : '/'}${ANY}`);
	});
	const names = folders.filter(isAbsolute).flatMap((folder) => folder.split('/').slice(1));
	const nameGlobs = names.map((name) => new Glob(name));
	return {
		reach({ path }, budget) {
			if (!path) return NO;
			const { folded, nameOutside, hasOtherNotation } = path;
			if (globs.some((glob) => glob.matches(`/${folded}/`, budget))) return YES;
			if (hasOtherNotation) return doubt('its path has another notation');
			return nameOutside !== undefined &&
				nameGlobs.some((glob) => glob.matches(nameOutside, budget))
				? doubt('its path leaves the folder')
				: NO;
		},
	};
}

/** Approves searches of `glob` behind a typed folder, such as `src/*`. */
export function approveSearches(pattern: string): Matcher {
	const parsed = parsePattern(pattern.trim());
	const folder = parsed.slice(0, -1);
	const isFolder = parsed.endsWith(`/${ANY}`) && !hasWildcard(folder);
	return {
		reach({ permission, text = '' }) {
			const isGlob = permission.trim().toLowerCase() === 'glob';
			const isIn = isFolder && text.startsWith(folder) && !text.includes('..');
			return isGlob && isIn ? YES : NO;
		},
	};
}

export const denySearches = (): Matcher => ({
	reach: ({ approvedAs }) =>
		approvedAs === 'searches' ? doubt('rules compare a search only as a whole') : NO,
});
