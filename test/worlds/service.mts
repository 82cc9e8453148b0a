// The service as a model that keeps the truth, and knows nothing of the node. Its agent does what the world says for the item of a prompt.
import type { ReceivedResponse, SentRequest } from '../support/http.mts';
import type { Random } from './random.mts';
import type { Time } from './time.mts';
import { MINUTE, SECOND, type Ask, type SessionPlan, type Weather, type World } from './world.mts';

export interface RequestTruth {
	/** Identifies the request, whatever ID it has now */
	name: string;
	id: string;
	ask: Ask;
	at: number;
	goneAt?: number;
	/** Readings don't show it meanwhile. */
	hidden?: { from: number; to: number };
	/** Times at which it got another ID */
	reissuedAt: number[];
	decision?: { isApproval: boolean; at: number; by: 'api' | 'dashboard' };
}

/** A session, or the turn of one that is continued */
export interface SessionTruth {
	sessionId: string;
	/** Which item it's for: the prompt, or the message */
	label: string;
	startedAt: number;
	/** It was there before, and isn't sent anything. */
	isJoined?: true;
	/** The message that began the turn */
	message?: string;
	/** What readings show until then: what they showed before a message */
	stale?: { until: number; view: object };
	/** The messages that it got, but those with which a turn begins */
	messages: Array<{ at: number; text: string }>;
	/** The answers that don't fit, of those to come */
	misfits: number;
	requests: RequestTruth[];
	/** Times at which something changed that a reading shows, besides times */
	changes: number[];
	/** Since when it has been quiet */
	quietSince?: number;
	/** Times of messages, each of which ends the quiet */
	messagesAt: number[];
	/** Times in which it was quiet, until now if they have no end */
	quiet: Array<{ from: number; to?: number }>;
	endedAt?: number;
	ended?: 'completed' | 'failed' | 'aborted';
}

export interface Arrival {
	at: number;
	kind: 'start' | 'read' | 'decide' | 'abort' | 'message' | 'other';
	/** The label of a start */
	label?: string;
	sessionId?: string;
	/** What the sender got */
	answered: string;
	/** What a 429 asked for */
	retryAfterSeconds?: number;
	/** The time at which it got that. Missing if n8n was killed before, or the response was lost */
	deliveredAt?: number;
	/** The sender got the service's own answer to what it asked */
	isGood: boolean;
}

export type Service = ReturnType<typeof createService>;

export const projectId = '00000000-0000-4000-8000-000000000001';
const START_WINDOW_MS = 3 * MINUTE;
/** A new session isn't readable for a moment (API document, Polling procedure, 5). */
const HIDDEN_MS = 1_500;

const uuid = (kind: number, n: number) =>
	`${String(kind).repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`;

const json = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
	status,
	headers: { 'content-type': 'application/json', ...headers },
	body: Buffer.from(JSON.stringify(body)),
});
const failure = (status: number, code: string, headers?: Record<string, string>) =>
	json(status, { error: { code, message: `The service says ${code}`, doc_url: '' } }, headers);
const page = (status: number) => ({
	status,
	headers: { 'content-type': 'text/html' },
	body: Buffer.from('<!doctype html><html><title>Gateway</title><body>Please wait</body></html>'),
});

/** Returns the text of the command that a request is about: nothing else has it. */
export const commandOf = (label: string, name: string, { isCovered }: Ask) =>
	`npm run ${isCovered ? 'covered' : 'other'} -- ${label.replaceAll(/\W+/g, '-')}-${name}`;

export const resultOf = (label: string): string => `Done: ${label}`;
/** How an answer begins that doesn't fit the required format */
export const MISFIT = 'Instead';
/** How the message begins that asks for another answer */
export const REPAIR = "Your answer doesn't match";
const REPAIR_MS = 5 * MINUTE;
/** For so long, readings show a new message as the latest one. */
const UNANSWERED_MS = 2 * SECOND;

/** Returns the item that a text is for. Undefined for a text that isn't a prompt */
const labelOf = (text: string): string | undefined =>
	/^[AB] (?:again )?run\d+ item\d+/.exec(text)?.[0];

/** Returns the index of the item that a label is of. */
const itemOf = (label: string): number => Number(/item(\d+)/.exec(label)?.[1] ?? 0);

export function createService(
	world: World,
	time: Time,
	random: Random,
	log: (line: string) => void,
) {
	const began = time.now();
	const sessions: SessionTruth[] = [];
	/** Sessions that are there before, by ID, until somebody reads or continues them: the items that they're for */
	const prepared = new Map<string, string>();
	/** Labels of created products */
	const products: Array<{ label: string; at: number }> = [];
	const arrivals: Arrival[] = [];
	const starts: number[] = [];
	let interactions = 0;

	/** What the agent does next */
	interface Work {
		plan: SessionPlan;
		doneMs: number;
		/** Undefined while it waits for an answer */
		since?: number;
		asked: number;
		asks: Ask[];
	}
	const works = new Map<SessionTruth, Work>();

	const isPending = ({ goneAt }: RequestTruth) => goneAt === undefined;
	const isHidden = ({ hidden }: RequestTruth) =>
		hidden !== undefined && time.now() >= hidden.from && time.now() < hidden.to;
	const isBlocked = ({ requests }: SessionTruth) =>
		requests.some((request) => isPending(request) && !request.ask.isIdle);

	function end(session: SessionTruth, how: NonNullable<SessionTruth['ended']>): void {
		session.ended = how;
		session.endedAt = time.now();
		session.changes.push(time.now());
		works.delete(session);
		log(`session ${session.label} ${how}`);
	}

	function ask(session: SessionTruth, what: Ask, before?: RequestTruth): void {
		const { afterMs = 0, lastsMs = 0 } = what.gone ?? {};
		const from = time.now() + afterMs;
		const request: RequestTruth = {
			name: before?.name ?? String(session.requests.length + 1),
			id: before?.ask.again?.hasSameId ? before.id : `int-${++interactions}`,
			ask: what,
			at: time.now(),
			reissuedAt: [],
			...(what.gone && { hidden: { from, to: from + lastsMs } }),
		};
		session.requests.push(request);
		session.changes.push(time.now());
		log(`session ${session.label} asks ${request.name} (${what.kind})`);
		if (what.reissuedMs === undefined) return;
		const reissue = () => {
			if (!isPending(request) || session.ended) return;
			request.id = `int-${++interactions}`;
			request.reissuedAt.push(time.now());
			time.after(what.reissuedMs!, reissue);
		};
		time.after(what.reissuedMs, reissue);
	}

	/** Lets the agent work until it asks or ends. */
	function proceed(session: SessionTruth): void {
		const work = works.get(session);
		if (!work) return;
		if (isBlocked(session)) return void (work.since = undefined);
		if (work.since !== undefined) return;
		const since = time.now();
		work.since = since;
		const next = work.asks[work.asked];
		const quietMs = session.messagesAt.length === 0 ? work.plan.quietAfterMs : undefined;
		const until = Math.min(next?.afterMs ?? Infinity, work.plan.lastsMs, quietMs ?? Infinity);
		time.after(until - work.doneMs, () => {
			if (works.get(session) !== work || work.since !== since) return;
			work.doneMs = until;
			if (until === quietMs) {
				session.quietSince = time.now();
				session.quiet.push({ from: time.now() });
				return log(`session ${session.label} is quiet`);
			}
			work.since = undefined;
			if (next && next.afterMs <= work.plan.lastsMs) {
				work.asked++;
				ask(session, next);
				if (next.everyMs !== undefined && work.asked < 40) {
					work.asks.splice(work.asked, 0, { ...next, afterMs: next.afterMs + next.everyMs });
					work.asks.sort((one, other) => one.afterMs - other.afterMs);
				}
				const isLast = work.asked === work.asks.length;
				if (isLast && work.plan.leavesPending) return end(session, 'completed');
				return proceed(session);
			}
			end(session, work.plan.fails ? 'failed' : 'completed');
		});
	}

	/** Begins a session, or a turn of one. */
	function start(label: string, sessionId = uuid(2, sessions.length + 1)): SessionTruth {
		const before = sessions.filter((each) => each.label === label).length;
		const tries = world.isEqual
			? world.items.map(([first]) => first)
			: world.items[itemOf(label) % world.items.length];
		const plan = tries[Math.min(before, tries.length - 1)];
		const session: SessionTruth = {
			sessionId,
			label,
			startedAt: time.now(),
			messages: [],
			misfits: plan.misfits ?? 0,
			requests: [],
			changes: [time.now()],
			messagesAt: [],
			quiet: [],
		};
		sessions.push(session);
		const asks = [...(plan.asks ?? [])].sort((one, other) => one.afterMs - other.afterMs);
		works.set(session, { plan, doneMs: 0, asked: 0, asks });
		log(`session ${label} starts (${before + 1})`);
		proceed(session);
		return session;
	}

	function decide(
		session: SessionTruth,
		request: RequestTruth,
		text: string,
		by: 'api' | 'dashboard',
	): void {
		const isApproval = request.ask.kind === 'question' || text === 'once';
		request.goneAt = time.now();
		request.decision = { isApproval, at: time.now(), by };
		session.changes.push(time.now());
		log(`session ${session.label} request ${request.name}: ${text} (${by})`);
		const { again, ...once } = request.ask;
		if (again)
			time.after(again.afterMs, () => {
				if (!session.ended) ask(session, once, request);
			});
		proceed(session);
	}

	const becomeStale = (session: SessionTruth, before: object) => {
		if (world.staleMs !== undefined)
			session.stale = { until: time.now() + world.staleMs, view: before };
	};

	/** Begins the turn of a message. */
	function continueSession(sessionId: string, label: string, message: string): void {
		const before = view(latestOf(sessionId), sessionId);
		prepared.delete(sessionId);
		const session = start(label, sessionId);
		session.message = message;
		becomeStale(session, before);
	}

	/** Lets a session work on another answer. */
	function repair(session: SessionTruth, before: object): void {
		session.misfits--;
		session.ended = session.endedAt = undefined;
		const plan = { lastsMs: REPAIR_MS };
		works.set(session, { plan, doneMs: 0, asked: 0, asks: [] });
		becomeStale(session, before);
		proceed(session);
	}

	/** Wakes a quiet session. */
	function tell(session: SessionTruth, text: string): void {
		const before = view(session);
		session.messages.push({ at: time.now(), text });
		session.messagesAt.push(time.now());
		session.changes.push(time.now());
		log(`session ${session.label} gets a message: ${text}`);
		if (text.startsWith(REPAIR) && session.ended === 'completed') return repair(session, before);
		const work = works.get(session);
		if (!work || session.quietSince === undefined) return;
		session.quietSince = undefined;
		session.quiet.at(-1)!.to = time.now();
		work.since = undefined;
		proceed(session);
	}

	function textOf({ ended, label, misfits }: SessionTruth): string {
		if (ended !== 'completed') return 'Working';
		return misfits > 0 ? `${MISFIT}: ${label}` : resultOf(label);
	}

	/** What a session shows that was there before */
	const viewPrepared = (sessionId: string) => ({
		sessionId,
		status: 'completed',
		pendingInteractions: [],
		latestMessage: {
			...{ role: 'assistant', text: 'Earlier', createdAt: new Date(began).toISOString() },
			completedAt: new Date(began).toISOString(),
		},
		lastActivityAt: new Date(began).toISOString(),
	});

	function view(session: SessionTruth | undefined, sessionId = ''): object {
		if (!session) return viewPrepared(sessionId);
		if (isStale(session)) return session.stale!.view;
		const { message, stale, startedAt } = session;
		const isUnanswered =
			message !== undefined &&
			!session.ended &&
			time.now() < (stale?.until ?? startedAt) + UNANSWERED_MS;
		const pending = session.requests.filter((each) => isPending(each) && !isHidden(each));
		const last = session.changes.at(-1)!;
		return {
			sessionId: session.sessionId,
			dashboardUrl: `https://service.test/sessions/${session.sessionId}`,
			status: session.ended === 'aborted' ? 'failed' : (session.ended ?? 'running'),
			...(session.ended === 'failed' && { error: 'The agent gave up' }),
			...(session.ended === 'aborted' && { error: 'The session was aborted' }),
			pendingInteractions: pending.map((request) => {
				const command = commandOf(session.label, request.name, request.ask);
				if (request.ask.kind === 'question')
					return { type: 'question', id: request.id, question: `May I do this: ${command}?` };
				return {
					type: 'permission',
					id: request.id,
					permission: 'bash',
					patterns: [command],
					metadata: { command },
					response: {
						type: 'choice',
						options: [
							{ value: 'once', label: 'Approve once' },
							{ value: 'reject', label: 'Deny' },
						],
					},
				};
			}),
			latestMessage: {
				role: isUnanswered ? 'user' : 'assistant',
				text: isUnanswered ? message : textOf(session),
				createdAt: new Date(last).toISOString(),
			},
			lastActivityAt: new Date(
				session.ended ? last : (session.quietSince ?? time.now()),
			).toISOString(),
		};
	}

	const isStale = ({ stale }: SessionTruth): boolean =>
		stale !== undefined && time.now() < stale.until;
	/** The latest turn of a session */
	const latestOf = (sessionId: string | undefined): SessionTruth | undefined =>
		sessions.findLast((each) => each.sessionId === sessionId);

	interface Route {
		kind: Arrival['kind'];
		label?: string;
		sessionId?: string;
		handle(): ReceivedResponse;
	}

	const notFound = () => failure(404, 'not_found');
	const isNew = ({ startedAt, sessionId }: SessionTruth): boolean =>
		time.now() < startedAt + HIDDEN_MS && sessionId.startsWith('2');

	/** Whoever waits for a session without a message finds it at work. */
	function readPrepared(sessionId: string): object {
		if (world.continues === 'with a message') return viewPrepared(sessionId);
		const session = start(prepared.get(sessionId)!, sessionId);
		session.isJoined = true;
		prepared.delete(sessionId);
		return view(session);
	}

	function route({ method, url, body: sent }: SentRequest): Route {
		const path = url.pathname.replace(/^\/v1/, '');
		const body = sent === undefined || sent.length === 0 ? {} : JSON.parse(String(sent));
		if (method === 'GET' && path === '/projects')
			return {
				kind: 'other',
				handle: () =>
					json(200, {
						object: 'list',
						data: [{ object: 'project', id: projectId, name: 'Shop' }],
						has_more: false,
						next_cursor: null,
					}),
			};
		if (method === 'POST' && path === '/products') {
			const label = String(body.name);
			return {
				kind: 'start',
				label,
				handle() {
					products.push({ label, at: time.now() });
					log(`product ${label} created`);
					return json(201, { object: 'product', id: uuid(3, products.length), name: label });
				},
			};
		}
		if (method === 'POST' && path === '/agent/sessions') {
			const label = labelOf(String(body.prompt))!;
			return {
				kind: 'start',
				label,
				handle: () => json(202, { sessionId: start(label).sessionId }),
			};
		}
		const [, sessionId, rest = ''] = /^\/agent\/sessions\/([^/]+)(\/.*)?$/.exec(path) ?? [];
		const label = rest === '/messages' ? labelOf(String(body.text)) : undefined;
		if (label !== undefined)
			return {
				...{ kind: 'message', label, sessionId },
				handle() {
					continueSession(sessionId, label, String(body.text));
					return json(202, view(latestOf(sessionId)));
				},
			};
		const session = latestOf(sessionId);
		if (!session && prepared.has(sessionId) && method === 'GET')
			return { kind: 'read', sessionId, handle: () => json(200, readPrepared(sessionId)) };
		if (!session) return { kind: 'other', handle: notFound };
		if (method === 'GET')
			return {
				kind: 'read',
				sessionId,
				handle: () => (isNew(session) ? notFound() : json(200, view(session))),
			};
		if (rest === '/abort')
			return {
				kind: 'abort',
				sessionId,
				handle() {
					if (!session.ended) end(session, 'aborted');
					return json(200, view(session));
				},
			};
		if (rest === '/messages')
			return {
				kind: 'message',
				sessionId,
				handle() {
					tell(session, String(body.text));
					return json(202, view(session));
				},
			};
		const [, id] = /^\/interactions\/([^/]+)\/resolve$/.exec(rest) ?? [];
		if (id === undefined) return { kind: 'other', sessionId, handle: notFound };
		return {
			kind: 'decide',
			sessionId,
			handle() {
				const request = session.requests.find((each) => each.id === id && isPending(each));
				if (!request || isHidden(request)) return notFound();
				decide(session, request, String(body.response), 'api');
				return json(200, view(session));
			},
		};
	}

	/** Returns the weather at this moment, by chance. */
	function weatherNow(kind: Arrival['kind']): Weather | undefined {
		const ms = time.now() - began;
		return (world.weather ?? []).find(
			({ fromMs, lastsMs, on, share }) =>
				ms >= fromMs &&
				ms < fromMs + lastsMs &&
				(on === 'all' || on === kind || (on === 'decide' && /abort|message/.test(kind))) &&
				(share >= 1 || random.chance(share)),
		);
	}

	const BEFORE: Partial<Record<Weather['kind'], true>> = { unsent: true, slow: true };
	const chosen = new WeakMap<SentRequest, Weather | undefined>();
	function choose(request: SentRequest): Weather | undefined {
		if (!chosen.has(request)) chosen.set(request, weatherNow(route(request).kind));
		return chosen.get(request);
	}

	/** Returns nothing if the response is lost. */
	function answer(
		{ kind, label, handle }: Route,
		weather: Weather | undefined,
	): ReceivedResponse | undefined {
		if (kind === 'start' && label !== undefined && world.startLimit !== undefined) {
			const recent = starts.filter((at) => at > time.now() - START_WINDOW_MS);
			if (recent.length >= world.startLimit) {
				const seconds = Math.ceil((recent[0] + START_WINDOW_MS - time.now()) / SECOND);
				return failure(429, 'too_many', { 'retry-after': String(seconds) });
			}
			starts.push(time.now());
		}
		switch (weather?.kind) {
			case '429':
				return failure(429, 'too_many', {
					'retry-after': String(weather.retryAfterSeconds ?? 20),
				});
			case '503':
				return failure(503, 'unavailable');
			case '503 page':
				return page(503);
			case '500':
			case 'page':
				if (kind !== 'read' && random.chance(0.5)) handle();
				return weather.kind === '500' ? failure(500, 'internal') : page(200);
			case 'lost':
				handle();
				return undefined;
			default:
				return handle();
		}
	}

	return {
		sessions,
		products,
		arrivals,
		latestOf,
		/** Returns the ID of a session that is there before anybody continues it. */
		prepare(label: string): string {
			const sessionId = uuid(4, prepared.size + sessions.length + 1);
			prepared.set(sessionId, label);
			return sessionId;
		},
		/** Returns the weather that keeps a request from arriving, or delays it. */
		weatherFor(request: SentRequest): Weather | undefined {
			const weather = choose(request);
			return weather && BEFORE[weather.kind] ? weather : undefined;
		},
		/** Takes a request that has arrived. Without a response if it's lost. */
		receive(request: SentRequest) {
			const found = route(request);
			const weather = choose(request);
			const session = latestOf(found.sessionId);
			let response = answer(found, weather);
			const other = sessions.find(
				(each) => each.sessionId !== found.sessionId && each.label !== session?.label,
			);
			if (weather?.kind === 'other session' && found.kind === 'read' && other)
				response = json(200, view(other));
			const arrival: Arrival = {
				at: time.now(),
				kind: found.kind,
				label: found.label,
				sessionId: found.sessionId,
				answered: response ? String(response.status) : 'lost',
				...(response?.status === 429 && {
					retryAfterSeconds: Number(response.headers['retry-after']),
				}),
				isGood:
					response !== undefined &&
					(!weather || weather.kind === 'slow') &&
					response.status < 300 &&
					!(found.kind === 'read' && session && isStale(session)),
			};
			arrivals.push(arrival);
			return { arrival, response };
		},
		/** Notes a request for which there was no connection. */
		noteUnsent(request: SentRequest) {
			const { kind, label, sessionId } = route(request);
			const answered = 'unsent';
			arrivals.push({ at: time.now(), kind, label, sessionId, answered, isGood: false });
		},
		decideInDashboard(sessionId: string, isApproval: boolean) {
			const session = latestOf(sessionId);
			if (!session || session.ended) return;
			for (const request of session.requests)
				if (isPending(request))
					decide(session, request, isApproval ? 'once' : 'reject', 'dashboard');
		},
	};
}
