// What a poll costs with requests that are all new, in processor time: reading, recording and deciding them, asking approvers, and their page.
import '../tools/packageSources.mts';
import type { PageSession } from '../nodes/RunAgentSession/page/view.ts';
import { decimals, type Table } from './benchmark.mts';
import { median } from './statistics.mts';

const { createDecider, decideRequest, planDecisions } =
	await import('../nodes/RunAgentSession/requests/decisions.ts');
const { applyPoll, MAX_DECISIONS, recordAsked } =
	await import('../nodes/RunAgentSession/requests/requestRecord.ts');
const {
	askDue,
	createBallot: createQuestion,
	shownRequests,
} = await import('../nodes/RunAgentSession/requests/ballots.ts');
const { addOrigin } = await import('../nodes/RunAgentSession/requests/answer.ts');
const { createSheet } = await import('../nodes/RunAgentSession/requests/sheet.ts');
const { formatMessage, formatQuestion } =
	await import('../nodes/RunAgentSession/message/approverText.ts');
const { respond } = await import('../nodes/RunAgentSession/page/respond.ts');
const { NONCE_PARAMETER } = await import('../nodes/RunAgentSession/page/links.ts');
const {
	MAX_FORM_BYTES,
	MAX_FORM_FIELDS,
	MAX_PENDING,
	MAX_REQUEST_BYTES,
	MAX_RULES,
	MAX_SESSION_BYTES,
} = await import('../nodes/shared/limits.ts');
const { renderPage } = await import('../nodes/RunAgentSession/page/html.ts');
const { tryRules } = await import('../nodes/RunAgentSession/operations/tryRules.ts');
const { readSession } = await import('../nodes/shared/client/session.ts');

export const name = 'poll';
export const about =
	'processor time of a poll with requests that are all new at each of three polls, up to 1 MiB, and of asking about them';

const ROUNDS = 3;
const MAX_MS = 100;
const MAX_EXPONENT = 1.3;
/** Cost of requests of one kind, up to the bound */
const COUNTS = [25, 50, MAX_PENDING];

const policy = {
	mode: 'rules' as const,
	rules: Array.from({ length: MAX_RULES }, (_, at) => ({
		permission: 'bash',
		pattern: `git push ${at} *`,
		decision: 'approve' as const,
	})),
	defaultDecision: 'ask' as const,
	approveWith: 'once' as const,
};
const options = [
	{ value: 'once', label: 'Allow once' },
	{ value: 'reject', label: 'Reject' },
];
const request = (poll: number, at: number, changes: object = {}): object => ({
	type: 'permission',
	id: `${poll}-${at}`,
	permission: 'bash',
	patterns: [`npm run build-${poll}-${at}`],
	response: { type: 'choice', options },
	...changes,
});
type Shape = (poll: number) => object[];
const many =
	(count: number, change: (poll: number, at: number) => object = () => ({})): Shape =>
	(poll) =>
		Array.from({ length: count }, (_, at) => request(poll, at, change(poll, at)));
/** As many of the largest requests as a session's body has room for */
const largest = (change: (poll: number) => object): Shape =>
	many(Math.floor(MAX_SESSION_BYTES / MAX_REQUEST_BYTES) - 1, change);
const list = <T,>(count: number, entry: (at: number) => T): T[] =>
	Array.from({ length: count }, (_, at) => entry(at));
const fields = (count: number, value: unknown) =>
	Object.fromEntries(list(count, (at) => [`k${at}`, value]));
const tree = (levels: number): unknown => (levels === 0 ? 1 : { a: tree(levels - 1), b: 1 });
/** An edit with many lines in common, at other places */
function change(lines: number, poll: number): object {
	const text = (step: number) => list(lines, (at) => `${(at * step + poll) % 7}`).join('\n');
	return { permission: 'edit', patterns: ['a.ts'], metadata: { before: text(1), after: text(3) } };
}
const LENGTH = MAX_REQUEST_BYTES - 500;

/** Bodies at the bounds of `nodes/shared/limits.ts` */
const SHAPES: Record<string, Shape> = {
	'100 with 100 patterns each': many(MAX_PENDING, (poll, at) => ({
		patterns: list(100, (pattern) => `npm run ${poll}-${at}-${pattern}`),
	})),
	'100 with a command of 100 parts': many(MAX_PENDING, (poll, at) => ({
		patterns: [list(100, (part) => `b ${poll}${at}${part}`).join(' && ')],
	})),
	'15 with a pattern of 64 KiB': largest((poll) => ({
		patterns: [`${poll}${'x'.repeat(LENGTH)}`],
	})),
	'15 with 16,000 patterns': largest((poll) => ({ patterns: list(16_000, () => `${poll % 10}`) })),
	'15 with 6,000 fields': largest((poll) => ({ metadata: fields(6_000, poll) })),
	'15 with 30,000 numbers': largest((poll) => ({ metadata: { x: list(30_000, () => poll % 10) } })),
	'15 with 300 objects of 15 levels': largest(() => ({
		metadata: { x: list(300, () => tree(15)) },
	})),
	'15 with 1,500 options': largest((poll) => ({
		response: { options: list(1_500, (at) => ({ value: `${poll}v${at}`, label: `Allow ${at}` })) },
	})),
	'15 with a change of 10,000 lines': largest((poll) => change(10_000, poll)),
	'15 with signs of other alphabets': largest((poll) => ({
		metadata: { x: `${poll}${'aо '.repeat(Math.floor(LENGTH / 4))}` },
	})),
	'15 with letters of a rare alphabet': largest((poll) => ({
		metadata: { x: `${poll}${'ᚠ '.repeat(Math.floor(LENGTH / 4))}` },
	})),
	'15 with line breaks': largest((poll) => ({
		metadata: { text: `${poll}`, x: '\n'.repeat(Math.floor(LENGTH / 4)) },
		patterns: [`${poll}${'\n'.repeat(Math.floor(LENGTH / 4))}`],
	})),
	'15 with invisible characters': largest((poll) => ({
		metadata: { x: `${poll}${'\u200b'.repeat(Math.floor(LENGTH / 3))}` },
	})),
	'15 questions with 6,000 fields': (poll) =>
		list(15, (at) => ({ type: 'question', id: `q${poll}-${at}`, ...fields(6_000, poll) })),
	'1,000 requests': many(MAX_DECISIONS),
	'one that is too large': (poll) => [request(poll, 0, { metadata: { x: 'x'.repeat(1_000_000) } })],
	'20,000 without anything': (poll) =>
		list(20_000, (at) => ({ type: 'permission', id: `${poll}-${at}` })),
};

/** Sessions that ask on one page */
const SESSIONS = 11;
/** The largest form */
const FORM = fields(MAX_FORM_FIELDS, 'x'.repeat(Math.floor(MAX_FORM_BYTES / MAX_FORM_FIELDS) - 12));

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
	form: number;
	tryRules: number;
}

const NO_VOTING = { ballots: [], answers: [] };

const copy = <T,>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Measures the slowest of three polls, the items that ask about the last one, its page, and Try Rules with the same requests. */
function measureOnce(shape: Shape): Cost {
	let records: ReturnType<typeof applyPoll> = [];
	const cost: Cost = { parse: 0, poll: 0, ask: 0, page: 0, form: 0, tryRules: 0 };
	let { undecided } = planDecisions(records, NO_VOTING, (each) => decideRequest(each, policy));
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
			records = applyPoll(records, readSession(body, 's'), poll * 10_000);
			const decide = createDecider(policy);
			({ undecided } = planDecisions(records, NO_VOTING, decide));
		});
		cost.poll = Math.max(cost.poll, ms);
	}
	const shown = shownRequests(undecided);
	const interactions = shown.map(({ interaction }) => interaction);
	const asked = shown.map(({ record }) => record);
	const origin = { sessionId: 's' };
	cost.ask = milliseconds(() => {
		const sheets = shown.map((each) => createSheet(each, {}));
		const told = { sheets, origin, more: 0, isReminder: false, hasChanged: false };
		formatQuestion(told);
		formatMessage({ ...told, approvalUrl: 'x' });
		addOrigin(interactions, { sessionId: 's' });
	});
	const created = createQuestion(asked, undefined, 30_000, {});
	const { ballots } = askDue({ ballots: [created], answers: [] }, asked, 30_000);
	// n8n has saved the records.
	const saved = copy({ requests: recordAsked(records, asked, 30_000), ballots });
	const pages = list(SESSIONS, (at): PageSession => ({
		...copy(saved),
		state: 'running',
		sessionId: `s${at}`,
		origin: { projectId: 'p' },
		answers: [],
	}));
	// Each session has links of its own.
	for (const [at, { ballots: own }] of pages.entries())
		for (const { approvers } of own) for (const each of approvers) each.nonce += at;
	const call = (method: string, body: unknown) =>
		renderPage(
			respond(
				{
					method,
					contentType: 'application/x-www-form-urlencoded',
					query: { [NONCE_PARAMETER]: pages[0].ballots[0].approvers[0].nonce },
					body,
				},
				pages,
				0,
			).view,
			0,
		);
	cost.page = milliseconds(() => call('GET', {}));
	cost.form = milliseconds(() => call('POST', FORM));
	const given = copy(shape(3)).slice(0, MAX_DECISIONS);
	cost.tryRules = milliseconds(() => tryRules(given, policy));
	return cost;
}

function measure(shape: Shape): Cost {
	const rounds = Array.from({ length: ROUNDS }, () => measureOnce(shape));
	const of = (part: keyof Cost) => median(rounds.map((round) => round[part]));
	return {
		parse: of('parse'),
		poll: of('poll'),
		ask: of('ask'),
		page: of('page'),
		form: of('form'),
		tryRules: of('tryRules'),
	};
}

const toRow = (
	title: string,
	{ parse, poll, ask, page, form, tryRules: tried }: Cost,
): string[] => [
	title,
	...[poll, ask, page, form, tried].map(decimals),
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
		columns: [
			'requests',
			'poll ms',
			'items ms',
			'page ms',
			'form ms',
			'Try Rules ms',
			'poll / JSON.parse',
		],
		rows: [
			...COUNTS.map((count, at) => toRow(`${count} requests`, counted[at])),
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
			{
				what: 'milliseconds of a form',
				measured: most('form'),
				atMost: MAX_MS,
			},
			{
				what: 'milliseconds of Try Rules',
				measured: most('tryRules'),
				atMost: MAX_MS,
			},
			{ what: 'exponent from 25 to 100 requests', measured: exponent, atMost: MAX_EXPONENT },
		],
	};
}
