// What a poll costs with requests that are all new: reading, recording and deciding them, in processor time.
import '../tools/packageSources.mts';
import { decimals, type Table } from './benchmark.mts';
import { median } from './statistics.mts';

const { MATCH_BUDGET } = await import('../nodes/RunAgentSession/policy/globs.ts');
const { decideRequest } = await import('../nodes/RunAgentSession/requests/verdict.ts');
const { planDecisions } = await import('../nodes/RunAgentSession/requests/plan.ts');
const { applyPoll } = await import('../nodes/RunAgentSession/requests/record.ts');
const { readSession } = await import('../nodes/shared/client/session.ts');

export const name = 'poll';
export const about =
	'processor time of a poll with requests that are all new at each of three polls, up to 1 MiB';

const ROUNDS = 3;
const MAX_MS = 100;
const MAX_EXPONENT = 1.3;
const COUNTS = [100, 200, 400, 800, 1_600, 3_200, 5_000];

const policy = {
	mode: 'rules' as const,
	rules: [{ permission: 'bash', pattern: 'git *', decision: 'approve' as const }],
	defaultDecision: 'ask' as const,
	approveWith: 'once' as const,
};
const options = [
	{ value: 'once', label: 'Allow once' },
	{ value: 'reject', label: 'Reject' },
];
const many =
	(count: number) =>
	(poll: number): object[] =>
		Array.from({ length: count }, (_, at) => ({
			type: 'permission',
			id: `${poll}-${at}`,
			permission: 'bash',
			patterns: [`npm run build-${poll}-${at}`],
			response: { type: 'choice', options },
		}));
const one =
	(metadata: (poll: number) => unknown) =>
	(poll: number): object[] => [{ ...many(1)(poll)[0], metadata: { x: metadata(poll) } }];
const fields = (poll: number) =>
	Object.fromEntries(Array.from({ length: 87_000 }, (_, at) => [`k${at}`, poll]));

/** Requests of about 1 MiB in other shapes */
const SHAPES: Record<string, (poll: number) => object[]> = {
	'one with 87,000 fields': one(fields),
	'one with 500,000 numbers': one((poll) => Array.from({ length: 500_000 }, () => poll)),
	'one long text': one((poll) => `${poll}${'x'.repeat(2 ** 20)}`),
	'a question with 87,000 fields': (poll) => [
		{ type: 'question', id: `q${poll}`, ...fields(poll) },
	],
	'20,000 without anything': (poll) =>
		Array.from({ length: 20_000 }, (_, at) => ({ type: 'permission', id: `${poll}-${at}` })),
	'200 whose metadata changes': (poll) =>
		many(200)(0).map((request) => ({
			...request,
			metadata: Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`k${at}`, poll])),
		})),
};

const milliseconds = (work: () => void): number => {
	const start = process.threadCpuUsage();
	work();
	const { user, system } = process.threadCpuUsage(start);
	return (user + system) / 1_000;
};

/** Returns the time of the slowest of three polls. */
function slowestPoll(shape: (poll: number) => object[]): number {
	let records: ReturnType<typeof applyPoll> = [];
	const times = [0, 1, 2].map((poll) => {
		const body: unknown = JSON.parse(
			JSON.stringify({ sessionId: 's', status: 'running', pendingInteractions: shape(poll) }),
		);
		return milliseconds(() => {
			records = applyPoll(records, readSession(body, 's')!, poll * 10_000);
			const budget = { left: MATCH_BUDGET };
			planDecisions(records, [], (each) => decideRequest(each, policy, budget));
		});
	});
	return Math.max(...times);
}

const measure = (shape: (poll: number) => object[]): number =>
	median(Array.from({ length: ROUNDS }, () => slowestPoll(shape)));

export async function run(log: (line: string) => void): Promise<Table> {
	const counted = COUNTS.map((count) => {
		log(`${count} requests`);
		return measure(many(count));
	});
	const shaped = Object.entries(SHAPES).map(([title, shape]): [string, number] => {
		log(title);
		return [title, measure(shape)];
	});
	const [first, last] = [counted[0], counted[counted.length - 1]];
	const exponent = Math.log(last / first) / Math.log(COUNTS[COUNTS.length - 1] / COUNTS[0]);
	return {
		columns: ['requests', 'ms'],
		rows: [
			...COUNTS.map((count, at) => [`${count} new ones`, decimals(counted[at])]),
			...shaped.map(([title, ms]) => [title, decimals(ms)]),
		],
		expectations: [
			{
				what: 'milliseconds for any number of requests',
				measured: Math.max(...counted),
				atMost: MAX_MS,
			},
			{ what: 'exponent from 100 to 5,000 requests', measured: exponent, atMost: MAX_EXPONENT },
		],
	};
}
