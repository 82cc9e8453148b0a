// Values stay values: templates and values that are made to mislead, through the real ClickHouse.
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bind, requireSelect } from '../../nodes/shared/analytics/query.ts';
import { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { shortText, finished, marks, getMix, orRefusal, useClickHouse } from './clickHouse.mts';

const clickHouse = useClickHouse('places_of_values');

/** Values that try to end the literal that they're in */
const hostile = getMix(
	[
		marks,
		finished,
		shortText,
		fc.constantFrom(
			...["' OR 1 = 1 --", "'), (SELECT 42", '*/, 42 /*', '\n, 42 --', '$$, 42 $$', '$t$'],
			...['`, 42 AS `', '", 42 AS "', '’, 42, ‘', "\\', 42 --", '\\'],
			...['{{ v }}', '{p:String}', '{p}'],
		),
	],
	6,
);

/** Expressions and query parameters of a template with this value */
const getValues = (value: string) => {
	const list = [value, value];
	const expressions: Record<string, unknown> = { v: value, list, n: -7 };
	return {
		parameters: new Map<string, unknown>([
			['p', value],
			['l', list],
		]),
		evaluate: (expression: string) => expressions[expression.slice(2, -2).trim()],
	};
};

/** A column of a query, and what ClickHouse has to answer when its value is this */
interface Column {
	/** Code; of a named column, with its name, in which # stands where the test adds the column's number */
	sql: string;
	/** The rest of the column's name after the number */
	name?: (value: string) => string;
	cell: (value: string) => unknown;
	/** Number of values the column has in it */
	values: number;
}

/** A part of a text between quotes: as it is written, and as ClickHouse has to read it */
type Part = [written: string, read: string];

const asItIs = (text: string): Part => [text, text];

const findParts = (quote: string) =>
	fc
		.array(
			fc.constantFrom<Part>(
				...['a', '--', '/*', '*/', '//', '# ', '$$', '$t$', ';', '{ ', 'é', '‘', '”', '\n'].map(
					asItIs,
				),
				...["'", '"', '`'].filter((other) => other !== quote).map(asItIs),
				[quote + quote, quote],
				[`\\${quote}`, quote],
				['\\\\', '\\'],
				['\\n', '\n'],
				['\\x41', 'A'],
				['\\%', '\\%'],
			),
			{ maxLength: 3 },
		)
		.map((parts): Part => [
			parts.map(([written]) => written).join(''),
			parts.map(([, read]) => read).join(''),
		]);

const text = fc.tuple(findParts("'"), findParts("'"), findParts("'")).map(([a, b, c]): Column => ({
	sql: `'${a[0]}{{ v }}${b[0]}{{ v }}${c[0]}'`,
	cell: (value) => a[1] + value + b[1] + value + c[1],
	values: 2,
}));

const named = fc.constantFrom('"', '`').chain((quote) =>
	fc.tuple(findParts(quote), findParts(quote)).map(([a, b]): Column => ({
		sql: `7 AS ${quote}#${a[0]}{{ v }}${b[0]}${quote}`,
		name: (value) => a[1] + value + b[1],
		cell: () => 7,
		values: 1,
	})),
);

/** Texts without a value that hide where texts end */
const decoy = fc
	.constantFrom<Part>(
		["$$ ' -- $$", " ' -- "],
		["$t$ $$ ' /* $t$", " $$ ' /* "],
		["‘it's -- /*’", "it's -- /*"],
		["'--'", '--'],
		["'/*'", '/*'],
		["'\\'; //'", "'; //"],
		["'''#! '", "'#! "],
		["x'27'", "'"],
		["b'00100111'", "'"],
	)
	.map(([sql, read]): Column => ({ sql, cell: () => read, values: 0 }));

const same = (value: string): unknown => value;
const twice = (value: string): unknown => [value, value];
const others: Column[] = [
	{ sql: '{{ v }}', cell: same, values: 1 },
	{ sql: '{p}', cell: same, values: 1 },
	{ sql: '{p:String}', cell: same, values: 1 },
	{ sql: '{ p : Nullable(String) }', cell: same, values: 1 },
	{ sql: '(SELECT {{ v }})', cell: same, values: 1 },
	{ sql: "concat('a', {{ v }}, {p:String})", cell: (value) => `a${value}${value}`, values: 2 },
	{ sql: "{{ v }}='{{ v }}'", cell: () => 1, values: 2 },
	{ sql: '{{ list }}', cell: twice, values: 2 },
	{ sql: '{l}', cell: twice, values: 2 },
	{ sql: '{l:Array(String)}', cell: twice, values: 2 },
	{ sql: '10 -{{ n }}', cell: () => 17, values: 1 },
	{ sql: '[-{{ n }}, {{ n }}]', cell: () => [7, -7], values: 2 },
	{
		sql: '(SELECT `a{{ v }}`.1 FROM (SELECT tuple(7) AS "a{{ v }}"))',
		cell: () => 7,
		values: 2,
	},
];

const column = fc.oneof(
	{ weight: 2, arbitrary: text },
	{ weight: 1, arbitrary: named },
	{ weight: 1, arbitrary: decoy },
	{ weight: 5, arbitrary: fc.constantFrom(...others) },
);

/** Texts before and after a column */
const gap = fc.constantFrom(
	...[
		' ',
		'\n',
		'\t',
		'\u00a0',
		'\u2028',
		'\ufeff',
		'\r\n',
		'/*$$*/',
		"/* ' */",
		'///*\n',
		'#!`\n',
	],
	...["-- don't {{ v }} $$\n", "// don't\n", '# " {{ v }}\n', '--\u2028 \' \r"\n', '/*{{ v }}*/'],
	...["/*/* ' */ {{ v }} */", '/*/{{ v }}* " */', "/**{{ v }}/ ' */"],
);

/** Invalid parts of a template, and places where no value can be */
const accident = fc.oneof(
	marks,
	fc.constantFrom(
		...['$$ {{ v }} $$', '$t$ {p:String} $t$', '$ {{ v }} $', '$t${{ v }}', '‘{{ v }}’'],
		...["x'{{ v }}'", "'\\{{ v }}'", "'\\x4{{ v }}'", '{p:String', '{{ v', "{p:String'}"],
		...['{{ v }}{{ v }}', "'a'{{ v }}", 'x{{ v }}', '1.{{ v }}', '{p:String}{{ v }}', '{{ v }}.1'],
		...['{p:{{ v }}}', '-{{ v }}'],
	),
);

interface Template {
	sql: string;
	columns: Column[];
	hasAccident: boolean;
}

const getTemplate = (
	parts: Array<[before: string, column: Column, after: string]>,
	mishap?: { sql: string; at: number },
): Template => {
	const written = parts.map(([before, { sql, name }, after], index) => {
		const code = name ? sql.replace('#', `c${index}#`) : `${sql} AS c${index}`;
		return before + code + after;
	});
	if (mishap) written.splice(mishap.at % parts.length, 0, mishap.sql);
	return {
		sql: `SELECT ${written.join(', ')}`,
		columns: parts.map(([, each]) => each),
		hasAccident: mishap !== undefined,
	};
};

const parts = fc.array(fc.tuple(gap, column, gap), { minLength: 2, maxLength: 6 });
const template = fc.oneof(
	{ weight: 3, arbitrary: parts.map((each) => getTemplate(each)) },
	{
		weight: 1,
		arbitrary: fc
			.tuple(parts, fc.record({ sql: accident, at: fc.nat(5) }))
			.map(([each, mishap]) => getTemplate(each, mishap)),
	},
);

const getKey = ({ name }: Column, index: number, value: string) =>
	name ? `c${index}#${name(value)}` : `c${index}`;

test('ClickHouse returns a value unchanged', async () => {
	const cases = fc.sample(fc.tuple(template, hostile), { numRuns: 3_000, seed: 12 });
	let count = 0;
	for (const [{ sql, columns, hasAccident }, value] of cases) {
		const bound = orRefusal(() => requireSelect('Query', bind(sql, getValues(value))));
		if (bound instanceof WorkspaceAutomationError) {
			expect([sql, bound.message, hasAccident]).toEqual([sql, bound.message, true]);
			continue;
		}
		const answer = await clickHouse.answer(bound);
		const tame = hasAccident && (await clickHouse.answer(bind(sql, getValues('tame'))));
		if (typeof tame === 'string') {
			// The template is wrong, for any value.
			expect([sql, value, answer]).toEqual([sql, value, tame]);
			continue;
		}
		// Some columns change by accident, for any value.
		const present = [...columns.entries()].filter(
			([index, each]) =>
				!tame || isDeepStrictEqual(tame[0][getKey(each, index, 'tame')], each.cell('tame')),
		);
		const row = Object.fromEntries(
			present.map(([index, each]) => [getKey(each, index, value), each.cell(value)]),
		);
		const expected = tame ? expect.objectContaining(row) : row;
		expect([sql, value, answer]).toEqual([sql, value, [expected]]);
		if (tame) expect(Object.keys(answer[0])).toHaveLength(Object.keys(tame[0]).length);
		count += present.reduce((sum, [, { values }]) => sum + values, 0);
	}
	expect(count).toBeGreaterThan(10_000);
});
