const QUOTE = 34;
const BACKSLASH = 92;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;

/** Fewer characters than this are no number that JavaScript cannot hold. */
const LONG = 16;

const isDigit = (code: number) => code >= ZERO && code <= NINE;
/** Digits, `.`, `e`, `E`, `+`, `-` */
const isOfNumber = (code: number) => isDigit(code) || code === 46 || code === 101 || code === 69 || code === 43 || code === MINUS;

/** Whether a number survives as JavaScript's: whole ones up to 2^53, others with the 17 digits that a double can have. */
function survives(number: string): boolean {
	if (/^-?\d+$/.test(number)) return Number.isSafeInteger(Number(number));
	const digits = number.replace(/[eE].*$/, '').replace(/^[-0.]+|\./g, '');
	return digits.length <= 17;
}

/** A JSON text in which every number that would lose digits is a string. A walk by hand: of a large answer it takes less time than to parse it. */
function withLongNumbersQuoted(text: string): string {
	const pieces: string[] = [];
	let copied = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) {
			for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
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
	return pieces.length === 0 ? text : pieces.join('') + text.slice(copied);
}

/**
 * What a JSON text says; undefined where it is none. A number that JavaScript cannot hold becomes a text of the same digits: ids
 * and sums of 64 bits, such as analytics answers, arrive as they were sent.
 */
export function parseAnswer(text: string): unknown {
	try {
		return JSON.parse(withLongNumbersQuoted(text)) as unknown;
	} catch {
		return undefined;
	}
}
