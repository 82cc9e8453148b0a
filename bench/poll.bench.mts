// What a poll costs with requests that are all new, in processor time: reading, recording and deciding them, asking approvers, and their page.
import '../tools/packageSources.mts';
import { decimals, type Table } from './benchmark.mts';
import { median } from './statistics.mts';

const { createDecider, decideRequest } = await import('../nodes/RunAgentSession/requests/plan.ts');
const { planDecisions } = await import('../nodes/RunAgentSession/requests/plan.ts');
const { applyPoll, recordAsked } = await import('../nodes/RunAgentSession/requests/record.ts');
const { askDue, createBallot: createQuestion } =
	await import('../nodes/RunAgentSession/requests/ballots.ts');
const { addOrigin, shownRequests } = await import('../nodes/RunAgentSession/requests/request.ts');
const { formatMessage } = await import('../nodes/RunAgentSession/message/message.ts');
const { formatRequests } = await import('../nodes/RunAgentSession/message/requests.ts');
const { createForm } = await import('../nodes/RunAgentSession/page/view.ts');
const { renderPage } = await import('../nodes/RunAgentSession/page/html.ts');
const { tryRules } = await import('../nodes/RunAgentSession/operations/tryRules.ts');
const { readSession } = await import('../nodes/shared/client/session.ts');

export const name = 'poll';
export const about =
	'processor time of a poll with requests that are all new at each of three polls, up to 1 MiB, and of asking about them';

const ROUNDS = 3;
const MAX_MS = 100;
const MAX_EXPONENT = 1.3;
const COUNTS = [100, 400, 800, 5_000];

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

const tree = (width: number, depth: number, leaf: unknown): unknown =>
	depth === 0
		? leaf
		: Object.fromEntries(
				Array.from({ length: width }, (_, at) => [`k${at}`, tree(width, depth - 1, leaf)]),
			);
/** An edit with many lines in common, at other places */
function change(lines: number, poll: number): object {
	const text = (step: number) =>
		Array.from({ length: lines }, (_, at) => `${(at * step + poll) % 7}`).join('\n');
	return { permission: 'edit', patterns: ['a.ts'], metadata: { before: text(1), after: text(3) } };
}

/** Requests of about 1 MiB in other shapes */
const SHAPES: Record<string, (poll: number) => object[]> = {
	'one with 87,000 fields': one(fields),
	'one with 87,000 fields at the top': (poll) => [{ ...many(1)(poll)[0], ...fields(poll) }],
	'one with 87,000 fields of metadata': (poll) => [{ ...many(1)(0)[0], metadata: fields(poll) }],
	'one with 87,000 fields in an option': (poll) => [
		{
			...many(1)(poll)[0],
			response: { options: [{ ...options[0], ...fields(poll) }, options[1]] },
		},
	],
	'one with 500,000 numbers': one((poll) => Array.from({ length: 500_000 }, () => poll)),
	'one long text': one((poll) => `${poll}${'x'.repeat(2 ** 20)}`),
	'a question with 87,000 fields': (poll) => [
		{ type: 'question', id: `q${poll}`, ...fields(poll) },
	],
	'a question with 87,000 fields in response': (poll) => [
		{ type: 'question', id: `q${poll}`, response: fields(poll) },
	],
	'43 with 1,900 fields': (poll) =>
		many(43)(poll).map((request) => ({
			...request,
			metadata: Object.fromEntries(Array.from({ length: 1_900 }, (_, at) => [`k${at}`, poll])),
		})),
	'one with a tree of 87,000 fields': (poll) => [
		{ ...many(1)(poll)[0], metadata: tree(44, 3, poll) },
	],
	'one with 100,000 objects in each other': (poll) => [
		{
			...many(1)(poll)[0],
			metadata: { x: Array.from({ length: 1_150 }, () => tree(1, 90, poll)) },
		},
	],
	'200 with the same change': (poll) =>
		many(200)(poll).map((request, at) => ({
			...request,
			...change(600, poll),
			id: `${poll}-${at}`,
		})),
	'5 with a change of 20,000 lines': (poll) =>
		many(5)(poll).map((request) => ({ ...request, ...change(20_000, poll) })),
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

/** Milliseconds of each part */
interface Cost {
	parse: number;
	poll: number;
	ask: number;
	page: number;
	tryRules: number;
}

const copy = <T,>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Measures the slowest of three polls, the items that ask about the last one, its page, and Try Rules with the same requests. */
function measureOnce(shape: (poll: number) => object[]): Cost {
	let records: ReturnType<typeof applyPoll> = [];
	const cost: Cost = { parse: 0, poll: 0, ask: 0, page: 0, tryRules: 0 };
	let { undecided } = planDecisions(records, [], (each) => decideRequest(each, policy));
	for (const poll of [0, 1, 2]) {
		const text = JSON.stringify({
			sessionId: 's',
			status: 'running',
			pendingInteractions: shape(poll),
		});
		let body: unknown;
		cost.parse = Math.max(
			cost.parse,
			milliseconds(() => (body = JSON.parse(text))),
		);
		const ms = milliseconds(() => {
			records = applyPoll(records, readSession(body, 's')!, poll * 10_000);
			const decide = createDecider(policy);
			({ undecided } = planDecisions(records, [], decide));
		});
		cost.poll = Math.max(cost.poll, ms);
	}
	const shown = shownRequests(undecided);
	const interactions = shown.map(({ interaction }) => interaction);
	const asked = shown.map(({ record }) => record);
	const origin = { sessionId: 's', interactions };
	cost.ask = milliseconds(() => {
		formatRequests(origin);
		formatMessage({ ...origin, more: 0, isReminder: false, hasChanged: false, approvalUrl: 'x' });
		addOrigin(interactions, { sessionId: 's' });
	});
	const created = createQuestion(asked, undefined, 30_000, {});
	const { ballots } = askDue([created], asked, 30_000);
	// n8n has saved the records.
	const saved = copy({ requests: recordAsked(records, asked, 30_000), ballots });
	cost.page = milliseconds(() => {
		const pending = createForm(saved, saved.ballots[0], 0);
		renderPage({ title: 'Approve', says: [], now: 0, pending });
	});
	const given = copy(shape(3));
	cost.tryRules = milliseconds(() => tryRules(given, policy));
	return cost;
}

function measure(shape: (poll: number) => object[]): Cost {
	const rounds = Array.from({ length: ROUNDS }, () => measureOnce(shape));
	const of = (part: keyof Cost) => median(rounds.map((round) => round[part]));
	return {
		parse: of('parse'),
		poll: of('poll'),
		ask: of('ask'),
		page: of('page'),
		tryRules: of('tryRules'),
	};
}

const toRow = (title: string, { parse, poll, ask, page, tryRules: tried }: Cost): string[] => [
	title,
	...[poll, ask, page, tried].map(decimals),
	// The clock of processor time is coarse.
	decimals(poll / Math.max(parse, 1)),
];

export async function run(log: (line: string) => void): Promise<Table> {
	const counted = COUNTS.map((count) => {
		log(`${count} requests`);
		return measure(many(count));
	});
	const shaped = Object.entries(SHAPES).map(([title, shape]): [string, Cost] => {
		log(title);
		return [title, measure(shape)];
	});
	const [first, last] = [counted[0], counted[counted.length - 1]].map(({ poll }) => poll);
	const exponent = Math.log(last / first) / Math.log(COUNTS[COUNTS.length - 1] / COUNTS[0]);
	const all = [...counted, ...shaped.map(([, cost]) => cost)];
	const most = (part: keyof Cost) => Math.max(...all.map((cost) => cost[part]));
	return {
		columns: ['requests', 'poll ms', 'items ms', 'page ms', 'Try Rules ms', 'poll / JSON.parse'],
		rows: [
			...COUNTS.map((count, at) => toRow(`${count} new ones`, counted[at])),
			...shaped.map(([title, cost]) => toRow(title, cost)),
		],
		expectations: [
			{
				what: 'milliseconds of a poll',
				measured: most('poll'),
				atMost: MAX_MS,
			},
			{
				what: 'milliseconds of the items that ask',
				measured: most('ask'),
				atMost: MAX_MS,
			},
			{
				what: 'milliseconds of a page',
				measured: most('page'),
				atMost: MAX_MS,
			},
			{ what: 'exponent from 100 to 5,000 requests', measured: exponent, atMost: MAX_EXPONENT },
		],
	};
}
