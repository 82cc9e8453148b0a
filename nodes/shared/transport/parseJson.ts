/** Fewer characters than this are no number that JavaScript cannot hold. */
const LONG = 16;
/** Escapes, quotes and what could be a long number: all that tells a number from a text that looks like one */
const MARKS = /\\[^]|"|-?\d[\d.eE+-]{15,}/g;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Whether a run of characters is a number that loses digits: a whole one beyond 2^53, or one of more digits than a double's 17. */
function losesDigits(run: string): boolean {
	if (run.length < LONG || !NUMBER.test(run)) return false;
	if (/^-?\d+$/.test(run)) return !Number.isSafeInteger(Number(run));
	return run.replace(/[eE].*$/, '').replace(/^[-0.]+|\./g, '').length > 17;
}

const isOfNumber = (character: string | undefined) =>
	character !== undefined && '0123456789.eE+-'.includes(character);

/**
 * Whether there is such a number, in a string or out of it. Most answers have none, and one of every sixteen characters is enough
 * to tell: whatever is that long covers one of them.
 */
function mayLoseDigits(text: string): boolean {
	for (let at = LONG - 1; at < text.length; at += LONG) {
		if (!isOfNumber(text[at])) continue;
		let start = at;
		while (isOfNumber(text[start - 1])) start--;
		while (isOfNumber(text[at + 1])) at++;
		if (losesDigits(text.slice(start, at + 1))) return true;
	}
	return false;
}

/** A JSON text in which every number that would lose digits is a string. */
function withLongNumbersQuoted(text: string): string {
	if (!mayLoseDigits(text)) return text;
	let isInString = false;
	return text.replace(MARKS, (mark) => {
		if (mark === '"') isInString = !isInString;
		return !isInString && losesDigits(mark) ? `"${mark}"` : mark;
	});
}

/**
 * What a JSON text says; undefined where it is not JSON. A number that JavaScript cannot hold becomes a text of the same digits: ids
 * and sums of 64 bits, such as analytics answers, arrive as they were sent.
 */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(withLongNumbersQuoted(text)) as unknown;
	} catch {
		return undefined;
	}
}
