// What it costs to decide a request by rules: long texts, many rules, and both.
import '../tools/packageSources.mts';
import { decimals, type Table } from './benchmark.mts';
import { median } from './statistics.mts';

export const name = 'matching';
export const about =
	'processor time of a decision: texts up to 1 MiB, up to 1,000 rules, and what costs most in each kind of request';

const MIB = 2 ** 20;
const ROUNDS = 7;
const MAX_MS = 50;
const MAX_GROWTH = 2.5;

interface Case {
	title: string;
	permission: string;
	/** A text of about this length */
	text(length: number): string;
	/** The pattern of rule number `at` */
	pattern(at: number): string;
}

const fill = (part: string, length: number): string =>
	part.repeat(Math.ceil(length / part.length)).slice(0, length);

const CASES: Case[] = [
	{
		title: 'command, one long word',
		permission: 'bash',
		text: (length) => `ls ${fill('x', length)}`,
		pattern: (at) => `ls *${at}`,
	},
	{
		title: 'command of many joined',
		permission: 'bash',
		text: (length) => fill('ls src && ', length),
		pattern: (at) => `rm *${at}`,
	},
	{
		title: 'command of many words',
		permission: 'bash',
		text: (length) => `ls ${fill('a b ', length)}`,
		pattern: (at) => `ls *a*b*${at}`,
	},
	{
		title: 'dates',
		permission: 'bash',
		text: (length) => fill('2026/11/26,', length),
		pattern: (at) => `*/11/*/${at}*`,
	},
	{
		title: 'path of many folders',
		permission: 'edit',
		text: (length) => fill('pages/', length),
		pattern: (at) => `**/pages/*/secret-${at}`,
	},
	{
		title: 'address',
		permission: 'webfetch',
		text: (length) => `https://www.example.com/${fill('a/', length)}`,
		pattern: (at) => `https://*.example.com/*${at}`,
	},
];

const LENGTHS = [100, 1_000, 3_000, 10_000, 100_000, MIB / 2, MIB];
const RULES = [1, 500, 1_000];

/** Returns the median processor time in milliseconds. */
function measure(work: () => void): number {
	work();
	const times = Array.from({ length: ROUNDS }, () => {
		const before = process.cpuUsage();
		work();
		const { user, system } = process.cpuUsage(before);
		return (user + system) / 1000;
	});
	return median(times);
}

export async function run(log: (line: string) => void): Promise<Table> {
	// Imported here, because the hooks above have to be there first.
	const { decideRequest } = await import('../nodes/RunAgentSession/requests/decisions.ts');
	const time = ({ permission, text, pattern }: Case, length: number, count: number): number => {
		const rules = Array.from({ length: count }, (_, at) => ({
			permission,
			pattern: pattern(at),
			decision: at % 2 === 0 ? ('deny' as const) : ('approve' as const),
		}));
		const policy = {
			mode: 'rules' as const,
			rules,
			defaultDecision: 'ask' as const,
			approveWith: 'once' as const,
		};
		const response = { options: [{ value: 'once' }, { value: 'reject' }] };
		const request = {
			type: 'permission',
			id: 'i1',
			permission,
			patterns: [text(length)],
			response,
		};
		return measure(() => decideRequest(request, policy));
	};
	const measured = CASES.map((one) => {
		const byLength = LENGTHS.map((length) => time(one, length, RULES.at(-1)!));
		const byRules = RULES.map((count) => time(one, 1_000, count));
		log(`${one.title}: ${byLength.map((ms) => ms.toFixed(1)).join(', ')} ms`);
		return { title: one.title, byLength, byRules };
	});
	// A decision of a few milliseconds says nothing about growth.
	const growth = (less: number, more: number) => more / Math.max(less, 5);
	return {
		columns: [
			'1,000 rules',
			...LENGTHS.map((length) => (length < MIB / 2 ? `${length} B ms` : `${length / MIB} MiB ms`)),
		],
		rows: measured.map(({ title, byLength }) => [title, ...byLength.map(decimals)]),
		expectations: [
			{
				what: 'milliseconds of processor time for a request, most',
				measured: Math.max(...measured.flatMap(({ byLength }) => byLength)),
				atMost: MAX_MS,
			},
			{
				what: '1 MiB / half of it',
				measured: Math.max(
					...measured.map(({ byLength }) => growth(byLength.at(-2)!, byLength.at(-1)!)),
				),
				atMost: MAX_GROWTH,
			},
			{
				what: '1,000 rules / 500 rules',
				measured: Math.max(...measured.map(({ byRules }) => growth(byRules[1], byRules[2]))),
				atMost: MAX_GROWTH,
			},
		],
	};
}
