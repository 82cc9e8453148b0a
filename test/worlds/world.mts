// A world as plain data, from a seed. What's left out is ordinary.
import { createRandom, type Random } from './random.mts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Something that the agent wants, after this time of work */
export interface Ask {
	afterMs: number;
	kind: 'permission' | 'question';
	/** The rules of the world cover it. Others go to an approver. */
	isCovered?: boolean;
	/** The request gets another ID each time after so long. */
	reissuedMs?: number;
	/** The agent goes on working. */
	isIdle?: boolean;
	/** Asked again and again after so much more work */
	everyMs?: number;
	/** The same content is asked once more, so long after it was decided. */
	again?: { afterMs: number; hasSameId?: boolean };
	/** Readings don't show it for a while, so long after it was asked. */
	gone?: { afterMs: number; lastsMs: number };
}

export interface SessionPlan {
	/** Time of work, without the time in which the session waits for answers */
	lastsMs: number;
	fails?: boolean;
	/** It completes although the last request is pending. */
	leavesPending?: boolean;
	/** It shows no activity after so much work, and never ends by itself, until it gets a message. */
	quietAfterMs?: number;
	/** So many of its answers don't fit the required format. */
	misfits?: number;
	asks?: Ask[];
}

export type Shape =
	| 'one'
	| 'chain'
	| 'parallel'
	| 'loop'
	| 'merge'
	| 'sub'
	| 'calls'
	| 'wait'
	| 'twice'
	| 'slow'
	| 'create';

export interface Settings {
	keepsRunning?: boolean;
	maxTries?: number;
	onError?: 'continueRegularOutput' | 'continueErrorOutput';
	alwaysOutputData?: boolean;
	policy?: 'approve' | 'deny' | 'rules';
	maxWaitMinutes?: number;
	letsRun?: boolean;
	ifNobodyAnswers?: 'deny' | 'abort';
	unansweredAfterHours?: number;
	maxConcurrent?: number;
	askIfQuietMinutes?: number;
	/** Require Specific Output Format */
	hasFormat?: boolean;
	sendsComments?: boolean;
}

export type WeatherKind =
	'lost' | 'unsent' | '500' | '503' | '503 page' | '429' | 'page' | 'slow' | 'other session';

export interface Weather {
	kind: WeatherKind;
	fromMs: number;
	lastsMs: number;
	/** Share of the requests */
	share: number;
	on: 'start' | 'read' | 'decide' | 'all';
	/** What a 429 asks for */
	retryAfterSeconds?: number;
}

export interface Habit {
	does: 'page' | 'dashboard' | 'apply' | 'nothing';
	afterMs: number;
	denies?: boolean;
	/** Answers again, the other way round */
	changesAfterMs?: number;
	/** A second person answers the other way round */
	isTwo?: boolean;
	/** Leaves the page open for so long before it's sent */
	keepsTabMs?: number;
	/** Takes the link of the first message about the session */
	takesFirstLink?: boolean;
	/** What a quiet session gets */
	quiet?: 'keep' | 'message' | 'abort';
	/** Comments on each answer */
	comments?: boolean;
}

export interface Kill {
	/** At this event of n8n, or at this time */
	at: 'request' | 'answer' | 'mark' | 'unmark' | 'save' | 'node' | number;
	count?: number;
	downMs: number;
}

export interface World {
	seed: number;
	shape?: Shape;
	/** By item, then by try. Of equal items, each session is the first try of the next one. */
	items: SessionPlan[][];
	/** All items are the same. */
	isEqual?: boolean;
	settings?: Settings;
	/** Of the second node, if it has others */
	second?: Settings;
	isLegacyOrder?: boolean;
	savesProgress?: boolean;
	isManual?: boolean;
	batchSize?: number;
	/** Of the node behind the outputs, where it waits */
	behindMs?: number;
	latencyMs?: number;
	weather?: Weather[];
	/** Starts that the service takes in three minutes */
	startLimit?: number;
	people?: Habit[];
	kills?: Kill[];
	/** With the current workflow, its prompts may have changed. */
	retries?: { count: number; afterMs: number; isCurrent?: boolean; hasChanged?: boolean };
	/** In a chain, the second node continues the session of the first one. In another shape, sessions that are there are continued. */
	continues?: 'with a message' | 'without one';
	/** Readings show the turn of a message so much later. */
	staleMs?: number;
	/** Further executions of the workflow start then. */
	executionsAt?: number[];
	/** The trigger returns the same for all of them. */
	areExecutionsEqual?: boolean;
	stopAt?: number;
	/** The first execution that wakes after a restart is stopped so long after it woke. */
	stopInWakeMs?: number;
	/** The node behind To Approve fails so often. */
	messageFailures?: number;
	/** What modules of the package remember is gone at each wake and page, or at each run of a node, too. */
	forgets?: 'wakes' | 'runs';
	/** The credential can't be read. */
	credential?: { fromMs: number; lastsMs: number };
	clock?: { at: number; byMs: number };
	/** It's known to lead to so many sessions, each with a success of its own. */
	successes?: number;
}

/** Shapes that run sessions in a sub-workflow */
export const CALLING: Shape[] = ['sub', 'calls'];

const SHAPES: Shape[] = [
	'one',
	'one',
	'chain',
	'parallel',
	'parallel',
	'loop',
	'merge',
	'sub',
	'sub',
	'calls',
	'calls',
	'wait',
	'twice',
	'slow',
	'create',
];

function generateAsks(random: Random, lastsMs: number): Ask[] | undefined {
	if (random.chance(0.4)) return undefined;
	const count = random.pick(1, 1, 1, 2, 3);
	const first = random.chance(0.3) ? 2 * SECOND : Math.round(random() * lastsMs);
	return Array.from({ length: count }, (_, index): Ask => {
		const afterMs = random.chance(0.3) || index === 0 ? first : Math.round(random() * lastsMs);
		return {
			afterMs,
			kind: random.chance(0.8) ? 'permission' : 'question',
			...(random.chance(0.4) && { isCovered: true }),
			...(random.chance(0.1) && { reissuedMs: random.duration(5 * SECOND, HOUR) }),
			...(random.chance(0.15) && { isIdle: true }),
			...(random.chance(0.15) && { everyMs: random.duration(30 * SECOND, HOUR) }),
		};
	});
}

/** Makes some requests come back, or be gone for a while. */
const withReturns = (random: Random, asks: Ask[] | undefined): Ask[] | undefined =>
	asks?.map((ask) => ({
		...ask,
		...(random.chance(0.15) && {
			again: {
				afterMs: random.duration(SECOND, 30 * MINUTE),
				...(random.chance(0.5) && { hasSameId: true }),
			},
		}),
		...(random.chance(0.1) && {
			gone: {
				afterMs: random.duration(5 * SECOND, 30 * MINUTE),
				lastsMs: random.duration(30 * SECOND, 30 * MINUTE),
			},
		}),
	}));

function generateSession(random: Random, name: string): SessionPlan {
	const lastsMs = random.duration(SECOND, 8 * HOUR);
	const more = random.fork(name);
	const asks = withReturns(more, generateAsks(random, lastsMs));
	return {
		lastsMs,
		...(more.chance(0.1) && { quietAfterMs: Math.round(more() * lastsMs) }),
		...(random.chance(0.2) && { fails: true }),
		...(asks && { asks }),
		...(asks && random.chance(0.1) && { leavesPending: true }),
	};
}

function generateSettings(random: Random): Settings {
	const maxWait = random.pick(0, 1, 5, 5, 15, 60, 60, 240);
	return {
		...(random.chance(0.3) && { keepsRunning: true }),
		...(random.chance(0.35) && { maxTries: random.between(2, 5) }),
		...(random.chance(0.25) && {
			onError: random.pick('continueRegularOutput' as const, 'continueErrorOutput' as const),
		}),
		...(random.chance(0.1) && { alwaysOutputData: true }),
		// Says nothing. Without it, the numbers of all worlds would mean others.
		...(random.chance(0.25) && {}),
		...(random.chance(0.6) && { policy: random.pick('approve', 'deny', 'rules', 'rules') }),
		...(random.chance(0.8) && { maxWaitMinutes: maxWait }),
		...(random.chance(0.3) && { letsRun: true }),
		...(random.chance(0.35) && {
			ifNobodyAnswers: random.pick('deny' as const, 'abort' as const),
			unansweredAfterHours: random.pick(0.05, 0.5, 2),
		}),
		...(random.chance(0.15) && { maxConcurrent: random.pick(1, 2) }),
		...(random.fork('quiet').chance(0.25) && {
			askIfQuietMinutes: random.fork('minutes').pick(5, 30, 30, 60),
		}),
	};
}

function generateWeather(random: Random): Weather[] | undefined {
	if (random.chance(0.55)) return undefined;
	return Array.from({ length: random.pick(1, 1, 2) }, (_, index) => ({
		kind: random.pick<WeatherKind>(
			'lost',
			'unsent',
			'500',
			'503',
			'503 page',
			'429',
			'page',
			'slow',
			'other session',
		),
		fromMs: random.chance(0.4) ? 0 : random.duration(SECOND, 2 * HOUR),
		lastsMs: random.duration(5 * SECOND, HOUR),
		share: random.pick(0.1, 0.5, 1),
		on: random.pick('start', 'read', 'decide', 'all'),
		...retryAfter(random.fork(`after ${index}`)),
	}));
}

const retryAfter = (random: Random) =>
	random.chance(0.4) && {
		retryAfterSeconds: random.pick(1, 600, 3_600, 86_400, 365 * 86_400),
	};

/** An hour or more without readings */
const generateOutage = (random: Random): Weather => ({
	kind: random.pick<WeatherKind>('503', '503', 'unsent', '429'),
	fromMs: random.duration(MINUTE, 2 * HOUR),
	lastsMs: random.duration(HOUR, 3 * HOUR),
	share: 1,
	on: 'read',
	...retryAfter(random),
});

function generateHabit(random: Random, name: string): Habit {
	return {
		does: random.pick('page', 'page', 'page', 'dashboard', 'apply', 'nothing'),
		afterMs: random.duration(5 * SECOND, 2 * HOUR),
		...(random.chance(0.3) && { denies: true }),
		...(random.chance(0.15) && { changesAfterMs: random.duration(SECOND, 5 * MINUTE) }),
		...(random.chance(0.15) && { isTwo: true }),
		...generateMoreHabits(random.fork(name)),
	};
}

const generateMoreHabits = (random: Random): Partial<Habit> => ({
	...(random.chance(0.15) && { keepsTabMs: random.duration(10 * SECOND, HOUR) }),
	...(random.chance(0.15) && { takesFirstLink: true }),
	quiet: random.pick('keep', 'message', 'abort'),
});

function generateKill(random: Random): Kill {
	const isTimed = random.chance(0.3);
	return {
		at: isTimed
			? random.duration(SECOND, 2 * HOUR)
			: random.pick('request', 'answer', 'answer', 'mark', 'save', 'node'),
		...(!isTimed && { count: Math.ceil(random.duration(1, 40)) }),
		downMs: random.duration(5 * SECOND, 10 * MINUTE),
	};
}

/** Shapes whose sessions can be there before */
const CONTINUING: Shape[] = ['one', 'parallel', 'loop', 'merge', 'sub', 'calls', 'wait', 'slow'];

/** Adds effects other than starts, and more kills. */
function addEffects(random: Random, world: World): World {
	const { shape = 'one', items, kills, retries, isManual } = world;
	const canContinue = shape === 'chain' || (CONTINUING.includes(shape) && !world.isEqual);
	const continues =
		canContinue && random.chance(0.3)
			? random.pick('with a message' as const, 'with a message' as const, 'without one' as const)
			: undefined;
	const hasFormat = random.chance(0.2);
	const hasComments = random.chance(0.2);
	const effects: Settings = {
		...(hasFormat && { hasFormat }),
		...(hasComments && { sendsComments: true }),
	};
	const isRepeated = !isManual && !(continues && shape !== 'chain') && random.chance(0.15);
	const toMore = (): Kill => ({
		at: random.pick('mark', 'unmark', 'unmark', 'answer', 'save'),
		count: random.between(1, 6),
		downMs: random.duration(5 * SECOND, 5 * MINUTE),
	});
	const isKilled =
		kills !== undefined ||
		(!isManual && (isRepeated || continues !== undefined) && random.chance(0.5));
	const more =
		isKilled && random.chance(0.3) ? [toMore(), toMore()].slice(random.between(0, 1)) : [];
	const all = [...(kills ?? (isKilled ? [generateKill(random)] : [])), ...more];
	const again = retries ?? (isKilled ? { count: 2, afterMs: MINUTE } : undefined);
	const canChange = again && !CALLING.includes(shape);
	return {
		...world,
		...(hasFormat && {
			items: items.map((tries) =>
				tries.map((plan) =>
					random.chance(0.6) ? { ...plan, misfits: random.pick(1, 1, 2) } : plan,
				),
			),
		}),
		settings: { ...world.settings, ...effects },
		...(world.second && { second: { ...world.second, ...effects } }),
		...(continues && { continues }),
		...((continues || hasFormat) &&
			random.chance(0.5) && { staleMs: random.duration(SECOND, 20 * SECOND) }),
		...(hasComments &&
			world.people && { people: world.people.map((each) => ({ ...each, comments: true })) }),
		...(isRepeated && {
			areExecutionsEqual: true,
			executionsAt: world.executionsAt ?? [random.duration(10, 5 * MINUTE)],
		}),
		...(all.length > 0 && { kills: all }),
		...(again && {
			retries:
				canChange && random.chance(0.1) ? { ...again, isCurrent: true, hasChanged: true } : again,
		}),
	};
}

/** Returns the world with this seed. */
export function generate(seed: number): World {
	const world = generateStarts(seed);
	const random = createRandom(`${seed} effects`);
	return random.chance(0.6) ? addEffects(random, world) : world;
}

function generateStarts(seed: number): World {
	const random = createRandom(String(seed));
	const shape = random.pick(...SHAPES);
	const tries = (_: unknown, item: number) =>
		Array.from({ length: random.pick(1, 1, 2) }, (__, index) =>
			generateSession(random, `session ${item} ${index}`),
		);
	const isKilled = random.chance(0.35);
	const more = random.fork('more');
	const weather = [
		...(generateWeather(random) ?? []),
		...(more.chance(0.1) ? [generateOutage(more)] : []),
	];
	const messageFails = more.chance(0.12);
	return {
		seed,
		...(shape !== 'one' && { shape }),
		items: Array.from({ length: random.pick(1, 1, 1, 2, 2, 2, 3, 4, 6) }, tries),
		settings: generateSettings(random),
		...(random.chance(0.6) && { second: generateSettings(random) }),
		...(random.chance(0.1) && { isLegacyOrder: true }),
		...(random.chance(0.15) && { savesProgress: true }),
		...(!isKilled && random.chance(0.08) && { isManual: true }),
		...(random.chance(0.5) && { batchSize: random.pick(2, 3) }),
		behindMs: random.duration(SECOND, 20 * MINUTE),
		latencyMs: random.duration(20, SECOND),
		...(weather.length > 0 && { weather }),
		...(random.chance(0.1) && { startLimit: random.between(1, 3) }),
		...(random.chance(0.85) && {
			people: Array.from({ length: random.between(1, 3) }, (_, index) =>
				generateHabit(random, `person ${index}`),
			),
		}),
		...(isKilled && {
			kills: Array.from({ length: random.pick(1, 1, 1, 2) }, () => generateKill(random)),
		}),
		...((isKilled || random.chance(0.4) || messageFails) && {
			retries: {
				count: random.between(1, 3),
				afterMs: random.duration(5 * SECOND, 10 * MINUTE),
				...(random.chance(0.4) && { isCurrent: true }),
			},
		}),
		...(random.chance(0.15) && { executionsAt: [random.duration(SECOND, HOUR)] }),
		...(random.chance(0.06) && { stopAt: random.duration(SECOND, HOUR) }),
		...(isKilled && more.chance(0.2) && { stopInWakeMs: more.duration(50, 20 * SECOND) }),
		...(messageFails && { messageFailures: 1 }),
		...(more.chance(0.3) && { forgets: more.pick('wakes' as const, 'runs' as const) }),
		...(more.chance(shape === 'calls' ? 0.5 : 0.1) && { isEqual: true }),
		...(random.chance(0.08) && {
			credential: {
				fromMs: random.duration(SECOND, HOUR),
				lastsMs: random.duration(10 * SECOND, HOUR),
			},
		}),
		...(random.chance(0.08) && {
			clock: {
				at: random.duration(SECOND, HOUR),
				byMs: random.pick(-24 * HOUR, -HOUR, -30 * SECOND, 30 * SECOND, HOUR, 24 * HOUR),
			},
		}),
	};
}
