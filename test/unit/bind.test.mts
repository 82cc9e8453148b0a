import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bind } from '../../nodes/WorkspaceAutomation/resources/analytics/bind.ts';
import {
	requireSelect,
	tokensOf,
} from '../../nodes/WorkspaceAutomation/resources/analytics/sql.ts';

/** Resolves `{{ a }}` from a table of values. */
const from = (values: Record<string, unknown>) => (expression: string) =>
	values[expression.slice(2, -2).trim()];
const expressions = (sql: string, values: Record<string, unknown>) =>
	bind(sql, { parameters: new Map(), evaluate: from(values) });
const parameters = (sql: string, values: Record<string, unknown>) =>
	bind(sql, { parameters: new Map(Object.entries(values)), evaluate: from({}) });

describe('the value of an expression', () => {
	test.each([
		['SELECT {{ a }}', 'x', "SELECT 'x'"],
		['SELECT {{ a }}', "it's", "SELECT 'it\\'s'"],
		['SELECT {{ a }}', '\\', "SELECT '\\\\'"],
		['SELECT {{ a }}', 5, 'SELECT 5'],
		['SELECT {{ a }}', -0.5, 'SELECT -0.5'],
		['SELECT {{ a }}', true, 'SELECT true'],
		['SELECT {{ a }}', null, 'SELECT NULL'],
		['SELECT 1 IN {{ a }}', ['x', "y'", 3], "SELECT 1 IN ['x', 'y\\'', 3]"],
		["SELECT '{{ a }}'", "it's", "SELECT 'it\\'s'"],
		["SELECT '%{{ a }}%'", 'a\\', "SELECT '%a\\\\%'"],
		["SELECT '{{ a }}'", 5, "SELECT '5'"],
		['SELECT `{{ a }}`', 'x`y', 'SELECT `x\\`y`'],
		['SELECT "{{ a }}"', 'x"y', 'SELECT "x\\"y"'],
		["SELECT 'it''s', {{ a }}", 'x', "SELECT 'it''s', 'x'"],
		['SELECT 1 -- {{ a }}\n, {{ a }}', 'x', "SELECT 1 -- \n, 'x'"],
		['SELECT 1 /* {{ a }} */', 'x', 'SELECT 1 /*  */'],
	])('%s with %j is %s', (sql, value, bound) => expect(expressions(sql, { a: value })).toBe(bound));

	test('may be written with quotes of its own', () => {
		expect(
			bind(`SELECT '{{ $json["it's"] }}', 2`, { parameters: new Map(), evaluate: () => 'x' }),
		).toBe("SELECT 'x', 2");
	});

	test('is the query, where it is all there is', () => {
		expect(expressions(' {{ a }} ', { a: "SELECT 'x'" })).toBe("SELECT 'x'");
		expect(expressions('{{ a }}{{ a }}', { a: 'SELECT' })).toBe("'SELECT''SELECT'");
	});

	test('is not asked for in comments', () => {
		const evaluate = () => {
			throw new Error('asked');
		};
		expect(bind('SELECT 1 -- {{ boom }}', { parameters: new Map(), evaluate })).toBe(
			'SELECT 1 -- ',
		);
	});

	test.each([
		['SELECT {{ b }}', /^The expression {{ b }} in Query has no value$/],
		["SELECT '{{ b }}'", /^The expression {{ b }} in Query has no value$/],
		['SELECT {{ object }}', /^{{ object }} has no value that a query can hold$/],
		["SELECT '{{ list }}'", /^{{ list }} has no value that can stand between quotes$/],
		["SELECT '{{ nothing }}'", /^{{ nothing }} has no value that can stand between quotes$/],
		['{{ list }}', /^'Query' is not a text$/],
		['{{ b }}', /^'Query' is empty$/],
		['SELECT {{ infinite }}', /has no value that a query can hold$/],
	])('that cannot be written is refused: %s', (sql, message) => {
		expect(() =>
			expressions(sql, { object: {}, list: ['a'], nothing: null, infinite: Infinity }),
		).toThrow(message);
	});
});

describe('a query parameter', () => {
	test.each([
		['{a:String}', "it's", "'it\\'s'"],
		['{ a : String }', 'x', "'x'"],
		['{a:String}', 5, "'5'"],
		['{a}', 5, '5'],
		['{a}', '5', "'5'"],
		['{a}', ['x', 1], "['x', 1]"],
		['{a:UInt32}', '5', "CAST('5', 'UInt32')"],
		['{a:Date}', '2026-10-05T09:00:00.000Z', "CAST('2026-10-05', 'Date')"],
		[
			'{a:DateTime64(3)}',
			'2026-10-05T09:00:00.000Z',
			"CAST('2026-10-05T09:00:00.000Z', 'DateTime64(3)')",
		],
		['{a:Array(String)}', ["it's", 'b'], "CAST('[\\'it\\\\\\'s\\', \\'b\\']', 'Array(String)')"],
		['{a:Nullable(Int8)}', null, 'NULL'],
		['{a:Identifier}', 'views`; DROP', '`views\\`; DROP`'],
	])('%s with %j is %s', (placeholder, value, bound) =>
		expect(parameters(`SELECT ${placeholder}, 1`, { a: value })).toBe(`SELECT ${bound}, 1`),
	);

	test('is left alone in comments, and text between quotes that names none stays', () => {
		expect(parameters("SELECT '{b}' -- {a:String} {c}", { a: 1 })).toBe(
			"SELECT '{b}' -- {a:String} {c}",
		);
	});

	test.each([
		['SELECT {b:String}', /^The query parameter b has no value$/, /There are so far: a\.$/],
		['SELECT {b}', /^The query parameter b has no value$/, /Options > Query Parameters/],
		[
			"SELECT '{a:String}'",
			/^The query parameter a stands between quotes$/,
			/Leave out the quotes around {a:String}/,
		],
		["SELECT '%{a}%'", /^The query parameter a stands between quotes$/, /concat/],
		[
			'SELECT {a:String}',
			/^The query parameter a has no value that can stand between quotes$/,
			/Array\(String\)/,
		],
	])('that cannot be put in is refused: %s', (sql, message, wayOut) => {
		expect(() => parameters(sql, { a: ['x'] })).toThrow(
			expect.objectContaining({
				message: expect.stringMatching(message),
				description: expect.stringMatching(wayOut),
			}),
		);
	});
});

/** What ends quotes, begins comments and statements */
const hostile = fc
	.array(
		fc.oneof(
			fc.constantFrom(
				"'",
				'"',
				'`',
				'\\',
				'--',
				'/*',
				'*/',
				';',
				'{{',
				'}}',
				'{a:String}',
				'\n',
				'\0',
				'{',
				'}',
				' OR 1=1',
			),
			fc.string(),
		),
		{ maxLength: 8 },
	)
	.map((parts) => parts.join(''));
/** A statement with every quoted text emptied */
const shape = (sql: string) =>
	tokensOf(sql)
		.map((token) => (/^['"`]/.test(token) ? token[0] + token.at(-1) : token))
		.join('');

test('no value changes what a statement does', () => {
	const template =
		"SELECT {{ a }}, '{{ a }}', '%{{ a }}', \"{{ a }}\", `{{ a }}`, {a:String}, {a}, {a:UInt8}, {a:Identifier} FROM t -- {{ a }}";
	const filled = (value: string) =>
		bind(template, { parameters: new Map([['a', value]]), evaluate: () => value });
	const tame = shape(filled('x'));
	fc.assert(
		fc.property(hostile, (value) => {
			expect(shape(filled(value))).toBe(tame);
			expect(() => requireSelect('Query', filled(value))).not.toThrow();
		}),
	);
});

test('what a value says is not looked at again', () => {
	const values = {
		parameters: new Map([
			['a', '{{ secret }} {b} {a}'],
			['b', 'x'],
		]),
		evaluate: () => '{a} {b:String} {{ secret }}',
	};
	expect(bind("SELECT {a:String}, {{ x }}, '{{ x }}'", values)).toBe(
		"SELECT '{{ secret }} {b} {a}', '{a} {b:String} {{ secret }}', '{a} {b:String} {{ secret }}'",
	);
});

test('a statement in tokens is the statement', () => {
	fc.assert(fc.property(hostile, (sql) => expect(tokensOf(sql).join('')).toBe(sql)));
});
