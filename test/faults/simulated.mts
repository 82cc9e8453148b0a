// The campaign in simulated time: many executions with one key side by side, under faults, a rate limit and a mixture of dialects that
// a seed draws, with Retry On Fail. Afterwards the service's own record is held against what each execution returned.
import { createDice } from '../../local-service/faults.mts';
import { createService } from '../../local-service/app.mts';
import {
	conflictOf,
	dialectNames,
	settingsFor,
	type DialectName,
} from '../../local-service/dialects/index.mts';
import type { Entry } from '../../nodes/RunAgentSession/journal.ts';
import { runSession, type Job, type RunResult } from '../../nodes/RunAgentSession/runSession.ts';
import { sessionApi } from '../../nodes/RunAgentSession/sessionApi.ts';
import { WorkspaceAutomationError } from '../../nodes/shared/base/errors.ts';
import { itemRecord } from '../../nodes/shared/n8n/executionJournal.ts';
import { openApi } from '../../nodes/shared/api/api.ts';
import { RateLimitGates } from '../../nodes/shared/transport/rateLimitGate.ts';
import {
	contextFor,
	nothing,
	page,
	status,
	type Sent,
	type Weather,
} from '../rules/simulation.mts';
import { createVirtualClock, serviceTime } from '../virtualClock.mts';
import { pick, promptOf, rules } from './scripts.mts';
import type { Dice } from './faultRules.mts';

export interface SimulatedReport {
	dialects: string[];
	/** Sessions that the service started */
	sessions: number;
	requests: number;
	/** Requests that met a fault, and those that the rate limit refused */
	faults: number;
	refused: number;
	outcomes: Record<string, number>;
	/** Sessions beyond the first for one order, of which none is known to have failed */
	duplicates: number;
	/** Orders whose result is not what became of their session */
	lost: number;
	wrongDecisions: number;
	/** Starts of unknown fate, and those of them that no error names */
	unknownStarts: number;
	unnamedStarts: number;
	/** What does not hold, in words */
	violations: string[];
}

const TRIES = 3;
const LIMIT = { perSecond: 15, burst: 15 };
const START = Date.UTC(2026, 9, 5, 9);

const processed = (weather: Weather): Weather =>
	({ ...(weather as object), processed: true }) as Weather;
const html = page;
const anywhere: Weather[] = [
	'unsent',
	'lost',
	'lost-after',
	status(429, '0'),
	status(429, '2'),
	status(500),
	processed(status(500)),
	status(503, '1'),
	processed(html),
	processed(nothing),
];
/** A poll meets more than what must not be repeated: that would only fail all the time. */
const FAULTS: Record<'poll' | 'decision' | 'start', Weather[]> = {
	poll: [
		...anywhere,
		html,
		status(302),
		status(404),
		status(429, '3600'),
		{ status: 200, body: '{"sta' },
	],
	decision: anywhere,
	start: anywhere,
};

const kindOf = ({ method, path }: Sent) =>
	method === 'GET' ? 'poll' : path.endsWith('/resolve') ? 'decision' : 'start';

function dialectsFrom(dice: Dice): DialectName[] {
	const chosen: DialectName[] = [];
	for (let count = 1 + Math.floor(dice() * 7); count > 0; count--) {
		const name = pick(dice, dialectNames);
		if (!conflictOf([...chosen, name])) chosen.push(name);
	}
	return chosen;
}

interface Order {
	prompt: string;
	result: RunResult | WorkspaceAutomationError;
	/** Of all tries */
	errors: WorkspaceAutomationError[];
}

/** Runs `count` executions under the faults and dialects of a seed, and judges the results. */
export async function simulatedCampaign(seed: number, count: number): Promise<SimulatedReport> {
	const dice = createDice(seed);
	const dialects = dialectsFrom(dice);
	const settings = settingsFor(dialects);
	const virtual = createVirtualClock(START);
	const mistakes: string[] = [];
	const service = createService({
		clock: serviceTime(virtual),
		dialects,
		traffic: () => ({ events: [], rates: [] }),
		rateLimit: LIMIT,
		log: (mistake) => mistakes.push(mistake),
	});
	const control = async (path: string) =>
		(await service.app.inject({ url: `/_control${path}` })).json() as any;
	const projectId = (await control('/seed')).projects[0].id as string;

	const probability = { poll: 0.25 * dice(), decision: 0.4 * dice(), start: 0.2 * dice() };
	const sent: Sent[] = [];
	const context = contextFor(
		service.app,
		{
			baseUrl: 'http://localhost/v1',
			accessToken: 'wa_local_main_key',
			apiVersion: '2026-10-05',
			overrides: JSON.stringify(settings.overrides),
		},
		{
			now: () => virtual.now() - START,
			whileBusy: virtual.whileBusy,
			async weatherOf(request) {
				sent.push(request);
				const kind = kindOf(request);
				const weather = dice() < probability[kind] ? pick(dice, FAULTS[kind]) : 'fine';
				await virtual.sleep(5 + dice() * 200);
				return weather;
			},
		},
	);
	const clock = virtual;
	const gates = new RateLimitGates(clock);
	const api = sessionApi(await openApi(context, { clock, gates }));
	const values = (list = '') => list.split(',').filter(Boolean);

	async function execution(index: number): Promise<Order> {
		await clock.sleep(dice() * count * 100);
		const prompt = promptOf(dice, index);
		const job: Job = {
			target: { operation: 'start', projectId, prompt, extra: {} },
			policy: {
				mode: 'rules',
				rules,
				defaultDecision: 'ask',
				approveWith: 'once',
				approveValues: values(settings.nodeOptions?.approveValues),
				denyValues: values(settings.nodeOptions?.denyValues),
			},
			poll: { pollMs: 5_000, maxPollMs: 10_000 },
			maxWaitMs: 20 * 60_000,
			onMaxWait: 'route',
			abortOnStop: true,
		};
		const nodeContext = {};
		const errors: WorkspaceAutomationError[] = [];
		for (;;) {
			const result = await runSession(job, {
				api,
				journal: itemRecord<Entry>(nodeContext, 'sessions', { runIndex: 0, itemIndex: 0 }, prompt),
				clock,
				random: dice,
				log() {},
				onSession() {},
			}).catch((error: unknown) => {
				if (error instanceof WorkspaceAutomationError) return error;
				throw error;
			});
			if (!(result instanceof WorkspaceAutomationError)) return { prompt, result, errors };
			errors.push(result);
			if (errors.length === TRIES) return { prompt, result, errors };
			await clock.sleep(1_000);
		}
	}

	const orders = await virtual.run(
		Promise.all(Array.from({ length: count }, async (_, index) => await execution(index))),
	);
	const { sessions } = await control('/sessions');
	await service.app.close();
	return judge(orders, sessions, sent, { dialects, mistakes });
}

/** What the service's words come to */
const EXPECTED: Record<string, string[]> = {
	bash: ['once', 'grant', 'permit_once', '1', 'go'],
	edit: ['reject', 'refuse', 'block', '3', 'halt'],
};
const UNKNOWN = /^(It is not known whether the session was started|A session was started)/;

function judge(
	orders: Order[],
	sessions: any[],
	sent: Sent[],
	{ dialects, mistakes }: { dialects: string[]; mistakes: string[] },
): SimulatedReport {
	const report: SimulatedReport = {
		dialects,
		sessions: sessions.length,
		requests: sent.length,
		faults: sent.filter(({ weather }) => weather !== 'fine').length,
		refused: sent.filter((request) => request.status === 429).length,
		outcomes: {},
		duplicates: 0,
		lost: 0,
		wrongDecisions: 0,
		unknownStarts: 0,
		unnamedStarts: 0,
		violations: mistakes,
	};
	const byPrompt = new Map<string, any[]>();
	for (const session of sessions)
		byPrompt.set(session.prompt, [...(byPrompt.get(session.prompt) ?? []), session]);
	const readings = lastReadings(sent, sessions);

	for (const { prompt, result, errors } of orders) {
		const own = byPrompt.get(prompt) ?? [];
		const blame = (
			figure: 'duplicates' | 'lost' | 'wrongDecisions' | 'unnamedStarts',
			what: string,
		) => {
			report[figure]++;
			report.violations.push(`${prompt}: ${what}`);
		};
		const isError = result instanceof WorkspaceAutomationError;
		const kind = isError ? 'error' : result.kind;
		report.outcomes[kind] = (report.outcomes[kind] ?? 0) + 1;
		if (own.length > 1) blame('duplicates', `${own.length} sessions`);

		const named = errors.some(({ message }) => UNKNOWN.test(message));
		if (named) report.unknownStarts++;
		if (isError) {
			const isNamed = own.every(({ sessionId }) => named || result.context.sessionId === sessionId);
			if (!isNamed) blame('unnamedStarts', `a session that no error names: ${result.message}`);
			if (result.description === '') blame('lost', `no way out: ${result.message}`);
			continue;
		}
		const session = own.find(({ sessionId }) => sessionId === result.session.sessionId);
		if (!session) {
			blame('lost', 'the result is of another session');
			continue;
		}
		const pending = session.interactions.filter((each: any) => !each.resolvedAt);
		const unseenEnd =
			Date.parse(session.finishedAt) - START > (readings.get(session.sessionId) ?? 0);
		const isRight = {
			completed: session.status === 'completed',
			failed: session.status === 'failed',
			needsApproval: session.status === 'running' && pending.length > 0,
			stillRunning: session.finishedAt === undefined || unseenEnd,
		}[result.kind];
		if (!isRight) blame('lost', `${result.kind}, but the service has it ${session.status}`);

		const decided = session.interactions.filter((each: any) => each.value !== undefined);
		for (const { id, permission, value } of decided) {
			const isListed = result.decisions.some(({ interactionId }) => interactionId === String(id));
			const isToldOf = result.warnings.some((warning) => warning.includes(String(id)));
			if (!EXPECTED[permission]?.includes(String(value)))
				blame('wrongDecisions', `${permission} was decided with ${value}`);
			else if (!isListed && !isToldOf) blame('wrongDecisions', `${permission} is not listed`);
		}
		if (result.decisions.length > decided.length)
			blame('wrongDecisions', 'more is listed than was decided');
	}
	return report;
}

/** When the last reading of each session was sent that arrived as it was */
function lastReadings(sent: Sent[], sessions: any[]): Map<string, number> {
	const known = new Set(sessions.map(({ sessionId }) => sessionId as string));
	const readings = new Map<string, number>();
	for (const { method, path, status: code, at } of sent) {
		const id = path.split(/[/?]/).find((part) => known.has(part));
		if (method === 'GET' && code === 200 && id) readings.set(id, at);
	}
	return readings;
}
