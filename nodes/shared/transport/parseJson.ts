const QUOTE = 34;
const BACKSLASH = 92;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;

/** Fewer characters than this are no number that JavaScript cannot hold. */
const LONG = 16;

const isDigit = (code: number) => code >= ZERO && code <= NINE;
/** Digits, `.`, `e`, `E`, `+`, `-` */
const isOfNumber = (code: number) =>
	isDigit(code) || code === 46 || code === 101 || code === 69 || code === 43 || code === MINUS;

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Whether a number survives as JavaScript's: whole ones up to 2^53, others with the 17 digits that a double can have. */
function survives(number: string): boolean {
	if (/^-?\d+$/.test(number)) return Number.isSafeInteger(Number(number));
	const digits = number.replace(/[eE].*$/, '').replace(/^[-0.]+|\./g, '');
	return digits.length <= 17;
}

/**
 * Whether there is a number that does not survive, in a string or out of it. Most answers have none, and one of every sixteen
 * characters is enough to tell: whatever is that long covers one of them.
 */
function hasLongNumber(text: string): boolean {
	for (let at = LONG - 1; at < text.length; at += LONG) {
		if (!isOfNumber(text.charCodeAt(at))) continue;
		let start = at;
		while (isOfNumber(text.charCodeAt(start - 1))) start--;
		while (isOfNumber(text.charCodeAt(at + 1))) at++;
		if (at + 1 - start < LONG) continue;
		const run = text.slice(start, at + 1);
		if (NUMBER.test(run) && !survives(run)) return true;
	}
	return false;
}

/** A JSON text in which every number that would lose digits is a string. */
function withLongNumbersQuoted(text: string): string {
	if (!hasLongNumber(text)) return text;
	const pieces: string[] = [];
	let copied = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) {
			for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++)
				if (text.charCodeAt(at) === BACKSLASH) at++;
		} else if (isDigit(code) || code === MINUS) {
			const start = at;
			while (isOfNumber(text.charCodeAt(at + 1))) at++;
			if (at + 1 - start < LONG) continue;
			const number = text.slice(start, at + 1);
			if (survives(number)) continue;
			pieces.push(text.slice(copied, start), '"', number, '"');
			copied = at + 1;
		}
	}
	return pieces.join('') + text.slice(copied);
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
