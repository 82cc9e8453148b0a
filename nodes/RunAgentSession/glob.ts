/**
 * Whether the whole text matches a glob: `*` stands for any characters (slashes and spaces too), `?` for one, `\` makes the
 * next character plain. Takes at most text times pattern steps, so that no pattern can stall n8n.
 */
export function globMatches(pattern: string, text: string): boolean {
	const parts = [...pattern.matchAll(/\\?([\s\S])/gu)].map(([token, character]) => ({
		token,
		character,
	}));
	const characters = [...text];
	let part = 0;
	let at = 0;
	let star = -1;
	let starAt = 0;
	while (at < characters.length) {
		const token = parts[part]?.token;
		if (token === '*') {
			star = part++;
			starAt = at;
		} else if (token === '?' || (token !== undefined && parts[part].character === characters[at])) {
			part++;
			at++;
		} else if (star >= 0) {
			part = star + 1;
			at = ++starAt;
		} else {
			return false;
		}
	}
	while (parts[part]?.token === '*') part++;
	return part === parts.length;
}
