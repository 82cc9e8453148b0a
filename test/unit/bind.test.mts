import { describe, expect, test } from '@jest/globals';
import { bind } from '../../nodes/shared/analytics/query.ts';

/** Resolves `{{ a }}` from a table of values. */
const from = (values: Record<string, unknown>) => (expression: string) =>
	values[expression.slice(2, -2).trim()];
const expressions = (sql: string, values: Record<string, unknown>) =>
	bind(sql, { parameters: new Map(), evaluate: from(values) });
const parameters = (sql: string, values: Record<string, unknown>) =>
	bind(sql, { parameters: new Map(Object.entries(values)), evaluate: from({}) });

describe('the value of an expression', () => {
	test.each([
		['SELECT {{ a }}', "it's", "SELECT 'it\\'s'"],
		['SELECT {{ a }}', '\\', "SELECT '\\\\'"],
		['SELECT {{ a }}', 5, 'SELECT 5'],
		['SELECT {{ a }}', true, 'SELECT true'],
		['SELECT {{ a }}', null, 'SELECT NULL'],
		['SELECT 1 IN {{ a }}', ['x', "y'", 3], "SELECT 1 IN ['x', 'y\\'', 3]"],
		["SELECT '%{{ a }}%'", 'a\\', "SELECT '%a\\\\%'"],
		['SELECT `{{ a }}`', 'x`y', 'SELECT `x\\`y`'],
		['SELECT "{{ a }}"', 'x"y', 'SELECT "x\\"y"'],
		["SELECT 'it''s', {{ a }}", 'x', "SELECT 'it''s', 'x'"],
		['SELECT {{ a }}', 'a\0b', "SELECT 'a\\0b'"],
		['SELECT 1 -{{ a }}', -5, 'SELECT 1 - -5'],
		['SELECT 1 -{{ a }}', 5, 'SELECT 1 -5'],
		['SELECT ({{ a }}+{{ a }})', 5, 'SELECT (5+5)'],
		["SELECT '\\\\{{ a }}'", "it's", "SELECT '\\\\it\\'s'"],
		['SELECT 1 -- {{ a }}\n, {{ a }}', 'x', "SELECT 1 --  \n, 'x'"],
		['SELECT 1 # {{ a }}\n, {{ a }}', 'x', "SELECT 1 #  \n, 'x'"],
		['SELECT 1 /* {{ a }} */', 'x', 'SELECT 1 /*   */'],
		['SELECT 1 /*/{{ a }}* /* */ */', 'x', 'SELECT 1 /*/ * /* */ */'],
	])('%s with %j is %s', (sql, value, bound) => expect(expressions(sql, { a: value })).toBe(bound));

	test("isn't read in comments", () => {
		const evaluate = () => {
			throw new Error('asked');
		};
		expect(bind('SELECT 1 -- {{ boom }}', { parameters: new Map(), evaluate })).toBe(
			'SELECT 1 --  ',
		);
	});

	test.each([
		['SELECT {{ b }}', /^The expression {{ b }} in 'Query' has no value$/],
		['SELECT {{ object }}', /^{{ object }} has a value that a query can't hold$/],
		["SELECT '{{ list }}'", /^{{ list }} has a value that can't be put in quotes$/],
		["SELECT '{{ nothing }}'", /^{{ nothing }} has a value that can't be put in quotes$/],
		['{{ list }}', /^'?Query'? is not a text$/],
		['{{ b }}', /^'?Query'? is empty$/],
		['SELECT {{ infinite }}', /has a value that a query can't hold$/],
		['SELECT {{ large }}', /^{{ large }} has a number that would change$/],
		['SELECT {{ [large] }}', /^{{ \[large\] }} has a number that would change$/],
		['SELECT {{ cut }}', /^{{ cut }} contains half of a character$/],
	])('that cannot be written is refused: %s', (sql, message) => {
		expect(() =>
			expressions(sql, {
				object: {},
				list: ['a'],
				nothing: null,
				infinite: Infinity,
				large: 12345678901234567890,
				'[large]': [12345678901234567890],
				cut: '\ud83d',
			}),
		).toThrow(message);
	});
});

describe('a query parameter', () => {
	test.each([
		['{a:String}', "it's", "'it\\'s'"],
		['{ a : String }', 'x', "'x'"],
		['{a:String}', '', "''"],
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
		["{a:Enum8('x' = 1, 'y' = -2)}", 'x', "CAST('x', 'Enum8(\\'x\\' = 1, \\'y\\' = -2)')"],
		['{a:Array(Tuple(x UInt8, y String))}', '[]', "CAST('[]', 'Array(Tuple(x UInt8, y String))')"],
		['-{a}', -1, '- -1'],
	])('%s with %j is %s', (placeholder, value, bound) =>
		expect(parameters(`SELECT ${placeholder}, 1`, { a: value })).toBe(`SELECT ${bound}, 1`),
	);

	test('that is missing is named, with the existing parameters', () => {
		const values = { parameters: new Map(), evaluate: () => 1 };
		expect(() => bind('SELECT {b}', values)).toThrow(
			expect.objectContaining({ description: expect.stringContaining('so far: none.') }),
		);
		expect(() => parameters("SELECT '{ a : String }'", { a: 1 })).toThrow('stands between quotes');
		expect(() => parameters("SELECT '{ab}'", { ab: 1 })).toThrow('stands between quotes');
	});

	test("isn't replaced in comments, and quoted text without parameters stays unchanged", () => {
		expect(parameters("SELECT '{b}' -- {a:String} {c}", { a: 1 })).toBe(
			"SELECT '{b}' -- {a:String} {c}",
		);
	});

	test.each([
		[
			'SELECT {b:String}',
			/^The query parameter b has no value$/,
			/Parameters so far: a, nothing, empty\.$/,
		],
		['SELECT {b}', /^The query parameter b has no value$/, /Options > Query Parameters/],
		[
			"SELECT '{a:String}'",
			/^The query parameter a stands between quotes \(line 1, column 9\)$/,
			/Remove the quotes around {a:String}/,
		],
		[
			"SELECT '%{a}%'",
			/^The query parameter a stands between quotes \(line 1, column 10\)$/,
			/concat\('...', {a:String}\)/,
		],
		['SELECT $${a}$$', /^The query parameter a stands between quotes/, /concat/],
		['SELECT ‘{a}’', /^The query parameter a stands between quotes/, /concat/],
		[
			'SELECT {nothing:Identifier}',
			/^The query parameter nothing has a value that can't be put/,
			/text/,
		],
		['SELECT {empty:Identifier}', /^The query parameter empty is empty$/, /name of a table/],
		[
			'SELECT {a:String}',
			/^The query parameter a has a value that can't be put in quotes$/,
			/Array\(String\)/,
		],
	])('that has no valid place is refused: %s', (sql, message, wayOut) => {
		expect(() => parameters(sql, { a: ['x'], nothing: null, empty: '' })).toThrow(
			expect.objectContaining({
				message: expect.stringMatching(message),
				description: expect.stringMatching(wayOut),
			}),
		);
	});
});

test("a value isn't searched for expressions", () => {
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

describe('a value in a wrong place is refused', () => {
	test.each([
		['next to a word', 'SELECT x{{ a }}', '{{ a }} touches the text beside it', 9],
		['next to a word', 'SELECT {{ a }}x', '{{ a }} touches the text beside it', 8],
		['next to a dot', 'SELECT t.{{ a }}', '{{ a }} touches the text beside it', 10],
		['next to quotes', "SELECT 'x'{{ a }}", '{{ a }} touches the text beside it', 11],
		['next to a heredoc', 'SELECT $$x$${{ a }}', '{{ a }} touches the text beside it', 13],
		['next to curly quotes', 'SELECT ‘x’{{ a }}', '{{ a }} touches the text beside it', 11],
		['next to a value', 'SELECT {{ a }}{{ b }}', '{{ a }} touches the text beside it', 8],
		['in a heredoc', 'SELECT $t$ {{ a }} $t$', '{{ a }} stands in a heredoc', 12],
		['between curly quotes', 'SELECT ‘{{ a }}’', '{{ a }} stands between curly quotes', 9],
		['in bytes', "SELECT x'{{ a }}'", "'Query' has a byte string that cannot be read", 8],
		[
			'after a backslash',
			"SELECT 'x\\{{ a }}'",
			'An expression follows an unfinished escape sequence',
			10,
		],
		[
			'in an escape sequence',
			"SELECT '\\x4{{ a }}'",
			'An expression follows an unfinished escape sequence',
			9,
		],
		['in a type', 'SELECT {a:{{ a }}}', "'Query' has a query parameter without a valid type", 8],
		['as an empty name', 'SELECT 1 AS `{{ empty }}`', 'A quoted name is empty', 13],
	])('%s: %s', (_, sql, message, column) => {
		const values = {
			parameters: new Map([['a', 1]]),
			evaluate: (expression: string) => (expression.includes('empty') ? '' : 1),
		};
		expect(() => bind(sql, values)).toThrow(
			expect.objectContaining({
				message: `${message} (line 1, column ${column})`,
				description: expect.stringMatching(/^[A-Z].*\.$/),
			}),
		);
	});

	test('and the error has its line in the shown query', () => {
		expect(() => expressions("SELECT '{{ a\n }}',\n  ‘{{ a }}’", { a: 1 })).toThrow(
			'{{ a }} stands between curly quotes (line 3, column 4)',
		);
		expect(() => expressions('SELECT {{ a\n }},\n  #', { a: 1 })).toThrow(
			"'Query' has a # that ClickHouse cannot read (line 3, column 3)",
		);
	});
});
