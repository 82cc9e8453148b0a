// When a recurrence rule strikes next. The part of RFC 5545 that schedules for people use; times are UTC.

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const hour = 3_600_000;
const day = 24 * hour;
/** Long enough for the rarest rule: a 29 February */
const furthest = 9 * 366;

/** `FREQ=DAILY;BYHOUR=9` as a table; undefined for what is no rule. */
function readRule(rrule: string): Record<string, string> | undefined {
	const parts = rrule
		.replace(/^RRULE:/i, '')
		.split(';')
		.filter((part) => part !== '');
	const rule = Object.fromEntries(parts.map((part) => part.toUpperCase().split('=')));
	return /^(HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)$/.test(rule.FREQ ?? '') ? rule : undefined;
}

const numbers = (text: string | undefined): number[] | undefined => text?.split(',').map(Number);

/** Whether this service understands the rule. */
export const isRule = (rrule: string): boolean => readRule(rrule) !== undefined;

/**
 * The first time after `after` (milliseconds) at which the rule strikes; undefined when there is none that we can tell.
 * `anchor` stands in for what the rule leaves out, as DTSTART does.
 */
export function nextRun(rrule: string, anchor: number, after: number): number | undefined {
	const rule = readRule(rrule);
	if (!rule) return undefined;
	const from = new Date(anchor);
	const hours = numbers(rule.BYHOUR) ?? (rule.FREQ === 'HOURLY' ? undefined : [from.getUTCHours()]);
	const minutes = numbers(rule.BYMINUTE) ?? [from.getUTCMinutes()];
	const monthDays =
		numbers(rule.BYMONTHDAY) ??
		(/MONTHLY|YEARLY/.test(rule.FREQ) && !rule.BYDAY ? [from.getUTCDate()] : undefined);
	const months =
		numbers(rule.BYMONTH) ?? (rule.FREQ === 'YEARLY' ? [from.getUTCMonth() + 1] : undefined);
	const days =
		rule.BYDAY?.split(',').map((text) => text.slice(-2)) ??
		(rule.FREQ === 'WEEKLY' ? [weekdays[from.getUTCDay()]] : undefined);

	const fits = (date: Date) =>
		(!monthDays || monthDays.includes(date.getUTCDate())) &&
		(!months || months.includes(date.getUTCMonth() + 1)) &&
		(!days || days.includes(weekdays[date.getUTCDay()]));
	const timesOfDay = (hours ?? Array.from({ length: 24 }, (_, index) => index))
		.flatMap((h) => minutes.map((m) => h * hour + m * 60_000))
		.sort((a, b) => a - b);

	const today = Math.floor(after / day) * day;
	for (let offset = 0; offset < furthest; offset++) {
		const midnight = today + offset * day;
		if (!fits(new Date(midnight))) continue;
		const time = timesOfDay.find((candidate) => midnight + candidate > after);
		if (time !== undefined) return midnight + time;
	}
	return undefined;
}
