// The package and the real ClickHouse agree on quotes, comments and code.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { plainTemplate, tokenize } from '../../nodes/shared/analytics/tokenizer.ts';
import { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import {
	shortText,
	finished,
	marks,
	getMix,
	orRefusal,
	useClickHouse,
	type Piece,
} from './clickHouse.mts';

const clickHouse = useClickHouse('tokens');

/** Code between texts, names and comments as one piece: how it is divided makes no difference. The same for spaces. */
const merged = (pieces: Piece[]): Piece[] =>
	pieces.reduce<Piece[]>((all, [type, text]) => {
		const last = all.at(-1);
		if (last?.[0] !== type || !['code', 'space'].includes(type)) all.push([type, text]);
		else last[1] += text;
		return all;
	}, []);

const CODE = ['word', 'number', 'parameter', 'symbol'];

const ours = (sql: string) =>
	merged(
		[...tokenize(plainTemplate(sql))].map(({ kind, text }) => [
			CODE.includes(kind) ? 'code' : kind,
			text,
		]),
	);

const QUOTES: Record<string, string> = { "'": 'string', '"': 'name', '`': 'name' };
const TYPES: Record<string, (text: string) => string> = {
	Whitespace: () => 'space',
	Comment: () => 'comment',
	StringLiteral: ([quote]) => QUOTES[quote] ?? 'verbatim',
	QuotedIdentifier: ([quote]) => QUOTES[quote] ?? 'verbatim',
	HereDoc: () => 'verbatim',
};

const theirs = (tokens: Piece[]) =>
	merged(tokens.map(([type, text]) => [TYPES[type]?.(text) ?? 'code', text]));

/** Wrong for ClickHouse, and not just because of a number such as 1.x, which ends where others end. */
const isWrong = (tokens: Piece[]) =>
	tokens.some(([type]) => type.startsWith('Error') && type !== 'ErrorWrongNumber');

/** Refused, although ClickHouse can read it: $ and backslashes, braces, 1e-, a number before quotes */
const STRICTER = /[${}\\]|\d[\w.]*[ep][+-]|\d[\w.]*['"`]/i;

test('a token ends at the same place as in ClickHouse', async () => {
	const mix = fc.oneof(getMix([marks, finished, shortText], 10), getMix([finished], 10));
	const texts = fc
		.sample(mix, { numRuns: 24_000, seed: 12 })
		.map((text) => `SELECT ${text.replaceAll('\0', '')}`);
	const found = await clickHouse.tokenize(texts);
	let equal = 0;
	for (const [index, text] of texts.entries()) {
		const read = orRefusal(() => ours(text));
		if (read instanceof WorkspaceAutomationError) {
			if (!isWrong(found[index])) expect(text).toMatch(STRICTER);
			continue;
		}
		expect([text, read, false]).toEqual([text, theirs(found[index]), isWrong(found[index])]);
		equal++;
	}
	expect(equal).toBeGreaterThan(10_000);
});

test('a character outside of quotes has the same meaning as in ClickHouse', async () => {
	const isCharacter = (code: number) => code > 0 && (code < 0xd800 || code > 0xdfff);
	const isSampled = (code: number) => code < 0x10000 || code % 1024 === 0;
	const texts = Array.from({ length: 0x110000 }, (_, code) => code)
		.filter((code) => isCharacter(code) && isSampled(code))
		.map((code) => `SELECT a${String.fromCodePoint(code)}b`);
	const found = await clickHouse.tokenize(texts);
	const differences = texts.filter((text, index) => {
		const read = orRefusal(() => ours(text));
		return read instanceof WorkspaceAutomationError
			? !isWrong(found[index]) && !STRICTER.test(text)
			: isWrong(found[index]) || JSON.stringify(read) !== JSON.stringify(theirs(found[index]));
	});
	expect(differences).toEqual([]);
});
