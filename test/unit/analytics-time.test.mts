// A query is read in time in proportion to its length: what takes a long query's author a moment takes nobody's n8n away.
import { expect, test } from '@jest/globals';
import { bind } from '../../nodes/shared/analytics/bind.ts';
import { bareState } from '../../nodes/WorkspaceAutomation/resources/analytics/hints.ts';
import { requireSelect } from '../../nodes/shared/analytics/sql.ts';
import { WorkspaceAutomationError } from '../../nodes/shared/errors/errors.ts';

const LENGTH = 1_000_000;

/** How often the two lengths are timed at most. Of each the best counts: what else the machine does only adds. */
const ROUNDS = 4;

/** A quarter of the text is compared with all of it: in proportion it is 4, squared it is 16. */
const PART = 4;
const MOST = 9;

/** Some systems count processor time in steps of 10 ms. */
const ENOUGH_MICROSECONDS = 50_000;

/** Processor time of this thread for one run, over as many as it takes: what else the machine does takes none of it */
function microseconds(work: (text: string) => unknown, text: string): number {
	const start = process.threadCpuUsage();
	for (let runs = 1; ; runs++) {
		try {
			work(text);
		} catch (error) {
			if (!(error instanceof WorkspaceAutomationError)) throw error;
		}
		const { user, system } = process.threadCpuUsage(start);
		if (user + system >= ENOUGH_MICROSECONDS) return (user + system) / runs;
	}
}

/** How much longer a text of 1 MB takes than a quarter of it */
function growth(work: (text: string) => unknown, textOf: (length: number) => string): number {
	const whole = textOf(LENGTH);
	const part = textOf(LENGTH / PART);
	let [best, bestOfPart] = [Infinity, Infinity];
	for (let round = 0; round < ROUNDS && !(best / bestOfPart < MOST); round++) {
		bestOfPart = Math.min(bestOfPart, microseconds(work, part));
		best = Math.min(best, microseconds(work, whole));
	}
	return best / bestOfPart;
}

/** A text of about this length: the middle as often as it fits, between a start and an end */
const text =
	(start: string, middle: string, end = '') =>
	(length: number) =>
		start + middle.repeat(Math.floor(length / middle.length)) + end;

const values = {
	parameters: new Map<string, unknown>([['a', 'x']]),
	evaluate: () => 'x',
};

const QUERIES: Array<[start: string, middle: string, end?: string]> = [
	['SELECT 1', ' ', 'x'],
	['SELECT 1', ' ;', 'x'],
	['SELECT 1', ';'],
	['SELECT 1', '\n', "'"],
	['', ' (', 'SELECT'],
	['SELECT ', '(('],
	['SELECT ', 'a'],
	['SELECT ', 'a$'],
	['SELECT ', '1'],
	['SELECT ', '1.'],
	['SELECT ', '1e'],
	['SELECT ', '1e-1'],
	['SELECT ', '.1e-1+'],
	['SELECT ', "'"],
	['SELECT ', "''"],
	["SELECT '", '\\'],
	["SELECT '", "\\'"],
	["SELECT '", '\\x', "'"],
	["SELECT '", '{a', "'"],
	["SELECT '", '{ ', "'"],
	["SELECT '{", ' ', "'"],
	["SELECT '{a:", ' ', "'"],
	["SELECT '{b", ' ', "'"],
	["SELECT '", '{b:x}', "'"],
	['SELECT ', '`"`'],
	['SELECT ', '"a" '],
	['SELECT ', '‘'],
	['SELECT ', '‘a’'],
	['SELECT ', '$'],
	['SELECT ', '$a$ '],
	['SELECT ', '$$ $'],
	['SELECT $a$', '$a', '$a$'],
	['SELECT ', "x'4'"],
	["SELECT x'", '4'],
	['SELECT ', '-- \n'],
	['SELECT --', ' '],
	['SELECT ', '# '],
	['SELECT ', '/*'],
	['SELECT ', '/* */'],
	['SELECT /*', '/**/'],
	['SELECT /*', '*'],
	['SELECT ', '{'],
	['SELECT ', '{{'],
	['SELECT ', '{{ '],
	['SELECT ', '{{}}'],
	['SELECT ', '{{}} '],
	['SELECT ', '}}'],
	["SELECT '", '{{}}', "'"],
	['SELECT /*', '{{}}', '*/'],
	['SELECT $$', '{{}}', '$$'],
	['SELECT {{', ' ', '}}'],
	['SELECT ', '{a} '],
	['SELECT ', '{a:String} '],
	['SELECT {', ' '],
	['SELECT {a', ' '],
	['SELECT {a:', ' '],
	['SELECT {', 'a'],
	['SELECT {a:', 'a '],
	['SELECT {a:', 'Array('],
	['SELECT {a:a(', "'',"],
	["SELECT {a:a('", "\\'"],
	['SELECT {a:a(', '1,', '1)}'],
];

test.each(QUERIES)('a query of 1 MB is read in proportion: %j, %j, %j', (...parts) => {
	const read = (sql: string) => requireSelect('Query', bind(sql, values));
	expect(growth(read, text(...parts))).toBeLessThan(MOST);
});

test.each([["'"], ['\\'], ['\0'], ["\\'"], ['x'], ['2026-10-05T'], ['\u{1f600}']])(
	'a value of 1 MB is written in proportion: %j',
	(middle) => {
		const write = (value: string) =>
			bind(
				"SELECT {a}, {a:String}, {a:Date}, {a:Identifier}, {{ x }}, '{{ x }}', {l:Array(String)}",
				{
					parameters: new Map<string, unknown>([
						['a', value],
						['l', [value]],
					]),
					evaluate: () => value,
				},
			);
		expect(growth(write, text('', middle))).toBeLessThan(MOST);
	},
);

test.each([
	['SELECT ', 'merge'],
	['SELECT ', 'merge '],
	['SELECT ', 'merge('],
	['SELECT merge', ' '],
	['SELECT merge(', 'a'],
	['SELECT ', 'merge(a)'],
	['SELECT ', 'f('],
	['SELECT ', 'a'],
	['SELECT ', 'a_state_'],
	['SELECT ', '_state '],
	['SELECT ', '_stat'],
	['SELECT ', '-'],
	['SELECT ', '--\n'],
	['SELECT ', '//\n'],
	['SELECT ', '#'],
	['SELECT ', '/*'],
	['SELECT /*', '*'],
	['SELECT ', "'"],
	["SELECT '", '\\'],
	['SELECT ', "'\\", '\\'],
	['SELECT ', "\\'", '\\'],
])('the hint about a query of 1 MB takes time in proportion: %j, %j, %j', (...parts: string[]) => {
	const condition = new Function(
		'$parameter',
		'$rawParameter',
		`return ${bareState.displayCondition!.replace(/^=\{\{|\}\}$/g, '')}`,
	);
	const hint = (query: string): unknown => condition({ resource: 'analytics' }, { query });
	expect(growth(hint, text(parts[0], parts[1], parts[2]))).toBeLessThan(MOST);
});
