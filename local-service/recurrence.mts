// Finds the next run of a recurrence rule (RFC 5545). Times are UTC.
import rruleModule, { type Options } from 'rrule';
import type { Task } from './state.mts';

// rrule is CommonJS: what it exports is the default of its module.
const { RRule } = rruleModule;

const getList = (item: string) => new RegExp(`^${item}(,${item})*$`);
const ordinal = '[+-]?[1-9]\\d{0,2}';

/**
 * Pattern of each part of a rule. rrule itself reads anything: it never returns from an interval below 1, and takes an
 * hour of `x` for one that never comes. Nothing here runs more often than hourly.
 */
const grammar: Record<string, RegExp> = {
	FREQ: /^(HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)$/,
	INTERVAL: /^[1-9]\d{0,3}$/,
	COUNT: /^[1-9]\d{0,5}$/,
	UNTIL: /^\d{8}(T\d{6}Z?)?$/,
	WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
	BYHOUR: getList('([01]?\\d|2[0-3])'),
	BYMINUTE: getList('[0-5]?\\d'),
	BYDAY: getList(`(${ordinal})?(MO|TU|WE|TH|FR|SA|SU)`),
	BYMONTHDAY: getList('[+-]?([1-9]|[12]\\d|3[01])'),
	BYMONTH: getList('([1-9]|1[0-2])'),
	BYYEARDAY: getList(ordinal),
	BYWEEKNO: getList(ordinal),
	BYSETPOS: getList(ordinal),
};

const bare = (rule: string) => rule.replace(/^RRULE:/i, '').toUpperCase();

/** Returns whether the service accepts a rule such as `FREQ=DAILY;BYHOUR=9`, with or without `RRULE:`. */
export function isRule(rule: string): boolean {
	const parts = bare(rule)
		.split(';')
		.map((part) => part.split('='));
	const names = parts.map(([name]) => name);
	return (
		names.includes('FREQ') &&
		new Set(names).size === names.length &&
		parts.every(([name, value = '', ...rest]) => rest.length === 0 && grammar[name]?.test(value))
	);
}

/** The longest that each month can be, January first */
const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** `BYMONTH=2;BYMONTHDAY=30`: rrule would look for that day until the year 9999. */
function neverRuns({ bymonth, bymonthday }: Partial<Options>): boolean {
	const lengths = [bymonth ?? []].flat().map((month) => longestMonths[month - 1]);
	const days = [bymonthday ?? []].flat();
	return (
		lengths.length > 0 &&
		days.length > 0 &&
		days.every((day) => lengths.every((length) => Math.abs(day) > length))
	);
}

/** rrule takes the times of a day in the order in which they are written. */
const ascending = (times: Options['byhour'] | undefined) =>
	times && [times].flat().sort((a, b) => a - b);

/**
 * The first run after a moment.
 * @param anchor replaces DTSTART (milliseconds, accurate to the minute): what the rule leaves open is taken from it
 * @param after milliseconds
 * @returns milliseconds; undefined when there is no further run, or the rule is not accepted
 */
function nextRun(rule: string, anchor: number, after: number): number | undefined {
	if (!isRule(rule)) return undefined;
	const options = RRule.parseString(bare(rule));
	if (neverRuns(options)) return undefined;
	const runs = new RRule({
		...options,
		byhour: ascending(options.byhour),
		byminute: ascending(options.byminute),
		dtstart: new Date(Math.floor(anchor / 60_000) * 60_000),
	});
	return runs.after(new Date(after))?.getTime();
}

/** The last answer for a task: it holds for every moment from the one asked for to the run itself. */
const lastAnswers = new WeakMap<object, { rule: string; after: number; next?: number }>();

/** Returns a task's next run like `nextRun`, and never a run before its last one. Lists ask for every task, and rrule goes through all runs from the first. */
export function findNextRun(
	task: Pick<Task, 'rrule' | 'createdAt' | 'ranUntil'>,
	now: number,
): number | undefined {
	const { rrule, createdAt, ranUntil = -Infinity } = task;
	const after = Math.max(now, ranUntil);
	const rule = `${rrule} from ${createdAt}`;
	const last = lastAnswers.get(task);
	if (last?.rule === rule && after >= last.after && after < (last.next ?? Infinity))
		return last.next;
	const next = nextRun(rrule, createdAt, after);
	lastAnswers.set(task, { rule, after, next });
	return next;
}
