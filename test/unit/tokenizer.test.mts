import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bind, requireSelect } from '../../nodes/shared/analytics/query.ts';
import { plainTemplate, tokenize } from '../../nodes/shared/analytics/tokenizer.ts';
import { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';

test('joined tokens equal the statement', () => {
	const sql = fc
		.array(fc.constantFrom(...`'"\`\\-/*# \n$tx1.e{}a:,;‘’“”`), { maxLength: 12 })
		.map((characters) => characters.join(''));
	fc.assert(
		fc.property(sql, (text) => {
			let read = '';
			let end = text.length;
			try {
				for (const token of tokenize(plainTemplate(text))) read += token.text;
			} catch (error) {
				if (!(error instanceof WorkspaceAutomationError)) throw error;
				end = read.length;
			}
			expect(read).toBe(text.slice(0, end));
		}),
	);
});

describe('an ambiguous query is refused, with the position and a solution', () => {
	test.each([
		["SELECT 'x", "has an opening ' without a closing one", 8, /^Close it with '/],
		['SELECT ‘x', 'has an opening ‘ without a closing one', 8, /^Close it with ’/],
		['SELECT “x', 'has an opening “ without a closing one', 8, /^Close it with ’ or ”/],
		['SELECT $$x$', 'has a $ that does not start a heredoc', 8, /backquotes/],
		['SELECT a$b', 'has a $ in a name without quotes', 8, /backquotes/],
		['SELECT 1 /* /* */', 'has a comment without an end', 10, /nest/],
		['SELECT 1 #x', 'has a # that ClickHouse cannot read', 10, /# and a space/],
		["SELECT '\u{1f600}', é", 'has a é that ClickHouse cannot read', 13, /single quotes/],
		["SELECT x'4g'", 'has a byte string that cannot be read', 8, /unhex/],
		['SELECT 1e--2', 'has a number that cannot be read', 8, /1e-3/],
		['SELECT {', 'has a brace that starts neither an expression nor a query parameter', 8, /{{/],
		[
			'SELECT {{ a }',
			'has a brace that starts neither an expression nor a query parameter',
			8,
			/{{/,
		],
		['SELECT {a:String', 'has a query parameter without a valid type', 8, /Array\(UInt32\)/],
		['SELECT {a:UInt8 -- }', 'has a query parameter without a valid type', 8, /Enum8/],
		["SELECT '\ud83d'", "has a character that can't be sent", 9, /type it again/],
		['SELECT 1 -- \0', "has a character that can't be sent", 13, /type it again/],
	])('%j', (sql, message, column, wayOut) => {
		const place = { parameters: new Map(), evaluate: () => 1 };
		const refusal = expect.objectContaining({
			message: `'Query' ${message} (line 1, column ${column})`,
			description: expect.stringMatching(wayOut),
		});
		expect(() => bind(sql, place)).toThrow(refusal);
		expect(() => requireSelect('Query', sql)).toThrow(refusal);
	});

	test('columns are those of the query with its expressions', () => {
		expect(() =>
			bind('SELECT {{ a }}, {{ bcd }}, #', { parameters: new Map(), evaluate: () => 1 }),
		).toThrow("'Query' has a # that ClickHouse cannot read (line 1, column 28)");
	});

	test('lines and columns start with 1, and a column is a character', () => {
		expect(() =>
			bind("SELECT 1,\n\n '\u{1f600}', #", { parameters: new Map(), evaluate: () => 1 }),
		).toThrow("'Query' has a # that ClickHouse cannot read (line 3, column 7)");
	});
});
