const MAX_QUOTED = 60;

/** Quotes a text in its own characters, and counts the rest. Where people see it, it's made safe to show. */
export function quoteText(text: string): string {
	// Never ends with half of a character
	const shown = text.slice(0, MAX_QUOTED).replace(/[\uD800-\uDBFF]$/, '');
	const hidden = text.length - shown.length;
	return `«${shown}»${hidden > 0 ? ` (cut off, ${hidden} more characters)` : ''}`;
}
