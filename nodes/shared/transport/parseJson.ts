/** Escapes, quotes, and what could be a number that JavaScript cannot hold: shorter ones survive. */
const MARKS = /\\[^]|"|-?\d[\d.eE+-]{15,}/g;
const LONG_NUMBER = /\d[\d.eE+-]{15}/;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Whether a number survives as JavaScript's: whole ones up to 2^53, others with the 17 digits that a double can have. */
function survives(number: string): boolean {
	if (/^-?\d+$/.test(number)) return Number.isSafeInteger(Number(number));
	const digits = number.replace(/[eE].*$/, '').replace(/^[-0.]+|\./g, '');
	return digits.length <= 17;
}

/** A JSON text in which every number that would lose digits is a string. */
function withLongNumbersQuoted(text: string): string {
	if (!LONG_NUMBER.test(text)) return text;
	let isInString = false;
	return text.replace(MARKS, (mark) => {
		if (mark === '"') isInString = !isInString;
		return isInString || !NUMBER.test(mark) || survives(mark) ? mark : `"${mark}"`;
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
