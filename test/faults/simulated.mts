// The campaign in simulated time: many executions with one key side by side, under faults, a rate limit and a mixture of dialects that
// a seed draws, with Retry On Fail. Afterwards the service's own record is held against what each execution returned.
import { createDice } from '../../local-service/faults.mts';
import { createService } from '../../local-service/app.mts';
import {
	findConflict,
	dialectNames,
	dialects,
	settingsFor,
	type DialectName,
} from '../../local-service/dialects/index.mts';
import type { ItemSettings } from '../../nodes/RunAgentSession/session/types.ts';
import type { SessionRecord } from '../../nodes/RunAgentSession/session/journal.ts';
import { runInMemory } from '../../nodes/RunAgentSession/session/wait.ts';
import { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { createClient } from '../../nodes/shared/client/createClient.ts';
import { openRecord } from '../../nodes/shared/n8n/journal.ts';
import { RateLimiters } from '../../nodes/shared/client/rateLimiter.ts';
import {
	contextFor,
	nothing,
	page,
	status,
	type Sent,
	type Weather,
} from '../simulation/simulation.mts';
import { createVirtualClock, serviceTime } from '../virtualClock.mts';
import { pick, getPrompt, rules } from './scripts.mts';
import type { Dice } from './faultRules.mts';
import { judge, type Ended, type Order, type SimulatedReport } from './judge.mts';
import { mainToken } from '../../local-service/auth.mts';
import { credentialFor } from '../../local-service/caller.mts';

const TRIES = 3;
const LIMIT = { perSecond: 15, burst: 15 };
const START = Date.UTC(2026, 9, 5, 9);

const processed = (weather: Weather): Weather =>
	({ ...(weather as object), processed: true }) as Weather;
/** Answers instead of an effect, and answers after it, for any method */
const anywhere: Weather[] = [
	'unsent',
	'lost',
	'lost-after',
	status(429, '0'),
	status(429, '2'),
	status(500),
	processed(status(500)),
	status(503, '1'),
	page,
	processed(page),
	status(302),
	processed(status(302)),
	processed(nothing),
];
/** A poll meets more than what must not be repeated: that would only fail all the time. */
const FAULTS: Record<'poll' | 'decision' | 'start', Weather[]> = {
	poll: [...anywhere, status(404), status(429, '3600'), { status: 200, body: '{"sta' }],
	decision: anywhere,
	start: anywhere,
};

const getKind = ({ method, path }: Sent) =>
	method === 'GET' ? 'poll' : path.endsWith('/resolve') ? 'decision' : 'start';

/** Those under which a session can be started: proxies are among the faults. */
const speakable = dialectNames.filter(
	(name) => dialects[name].group !== 'intermediaries' && name !== 'nothing-to-say',
);

function dialectsFrom(dice: Dice): DialectName[] {
	const chosen: DialectName[] = [];
	for (let count = 1 + Math.floor(dice() * 7); count > 0; count--) {
		const name = pick(dice, speakable);
		if (!findConflict([...chosen, name])) chosen.push(name);
	}
	return chosen;
}

/** Runs `count` executions under the faults and dialects of a seed, and judges the results. */
export async function simulatedCampaign(seed: number, count: number): Promise<SimulatedReport> {
	const dice = createDice(seed);
	const spoken = dialectsFrom(dice);
	const settings = settingsFor(spoken);
	const virtual = createVirtualClock(START);
	const mistakes: string[] = [];
	const service = createService({
		clock: serviceTime(virtual),
		dialects: spoken,
		traffic: () => ({ events: [], rates: [] }),
		rateLimit: LIMIT,
		log: (mistake) => mistakes.push(mistake),
	});
	const [{ id: projectId }] = service.seed().projects;

	const probability = { poll: 0.25 * dice(), decision: 0.4 * dice(), start: 0.2 * dice() };
	const sent: Sent[] = [];
	const context = contextFor(
		service.app,
		credentialFor({
			baseUrl: 'http://localhost/v1',
			key: mainToken,
			overrides: settings.overrides,
		}),
		{
			now: () => virtual.now() - START,
			whileBusy: virtual.whileBusy,
			async getWeather(request) {
				sent.push(request);
				const kind = getKind(request);
				const weather = dice() < probability[kind] ? pick(dice, FAULTS[kind]) : 'fine';
				await virtual.sleep(5 + dice() * 200);
				return weather;
			},
		},
	);
	const clock = virtual;
	const gates = new RateLimiters(clock);
	const api = await createClient(context, { clock, rateLimiters: gates });
	const values = (list = '') => list.split(',').filter(Boolean);

	/** Runs one item, again with the same context when it fails, as Retry On Fail does. */
	async function ended(
		target: ItemSettings['target'],
		onMaxWait: ItemSettings['onMaxWait'],
	): Promise<Ended> {
		const job: ItemSettings = {
			target,
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
			onMaxWait,
			abortOnStop: true,
		};
		const nodeContext = {};
		const errors: WorkspaceAutomationError[] = [];
		for (;;) {
			const result = await runInMemory(job, {
				api,
				journal: openRecord<SessionRecord>(nodeContext, 'sessions', '0.0'),
				random: dice,
				log() {},
				onSession() {},
			}).catch((error: unknown) => {
				if (error instanceof WorkspaceAutomationError) return error;
				throw error;
			});
			if (!(result instanceof WorkspaceAutomationError)) return { result, errors };
			errors.push(result);
			if (errors.length === TRIES) return { result, errors };
			await clock.sleep(1_000);
		}
	}

	async function execution(index: number): Promise<Order> {
		await clock.sleep(dice() * count * 100);
		const prompt = getPrompt(dice, index);
		const onMaxWait = dice() < 0.8 ? 'route' : 'abort';
		const order = {
			prompt,
			...(await ended({ operation: 'start', projectId, prompt, extra: {} }, onMaxWait)),
		};
		const { result } = order;
		if (result instanceof WorkspaceAutomationError || result.kind !== 'completed' || dice() < 0.5)
			return order;
		const says = `More ${index}`;
		const { sessionId } = result.session;
		const message = `[work 10s] [say ${says}]`;
		const further = await ended({ operation: 'continue', sessionId, message }, 'route');
		return { ...order, message: { ...further, says } };
	}

	const orders = await virtual.run(
		Promise.all(Array.from({ length: count }, async (_, index) => await execution(index))),
	);
	const sessions = service.sessions();
	await service.app.close();
	return judge(orders, sessions, sent, { dialects: spoken, mistakes, start: START });
}
