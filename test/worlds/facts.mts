// What the oracle asks about a history: which execution a session belongs to, when an item had ended, and what kept n8n from acting in time.
import { parse } from 'flatted';
import type { IRunExecutionData } from 'n8n-workflow';
import type { History } from './run.mts';
import type { Arrival, SessionTruth } from './service.mts';
import { isOld, isTriggered, type Left, type Row } from './shell.mts';
import { settingsOf } from './workflow.mts';
import { CALLING, HOUR, MINUTE, SECOND } from './world.mts';

interface Span {
	from: number;
	to: number;
}

/** Longest `Retry-After` that a poll waits for */
const LONGEST_RETRY_AFTER_MS = 10 * MINUTE;

/** n8n checks for paused executions each minute, the node doesn't pause for less than 35 s, and everything takes a while. */
export const WAKE_MS = 135 * SECOND;
/** A reading while the execution keeps running, with retries and a full rate limit */
const KEPT_MS = 50 * SECOND;
/** After a disturbance, failures in a row may have made the wait longer. */
const RECOVERY_MS = 200 * SECOND;
/** No wait between tries is longer than that between readings. @param at the end of the disturbance */
const recoveryMs = (at: number): number =>
	Math.max(RECOVERY_MS, Math.min(LONGEST_MS, at * SHARE) + WAKE_MS);
/** After the answer to a start, n8n's store has it by then. */
const KNOWN_MS = 1.5 * SECOND;
const SHARE = 1 / 20;
const [SHORTEST_MS, LONGEST_MS] = [70 * SECOND, 10 * MINUTE];

export type Facts = ReturnType<typeof collectFacts>;

/** Returns the node that ran a session. */
export const nodeOf = ({ label }: Pick<SessionTruth, 'label'>): string => label[0];

export function collectFacts(history: History) {
	const { shell, service, world, began, ended } = history;
	const rows = [...shell.rows.values()];
	const origins = rows.filter(isTriggered);
	const executions = new Map<string, Row[]>();
	for (const row of rows) {
		const origin = shell.originOf(row.id);
		executions.set(origin, [...(executions.get(origin) ?? []), row]);
	}
	const executionsOf = (origin: string) => executions.get(origin) ?? [];
	const originOfLabel = (label: string) =>
		origins[Number(/run(\d+)/.exec(label)?.[1] ?? 0) - 1]?.id;
	const runs = new Map<Row, IRunExecutionData>();
	const readRun = (row: Row) => {
		const run = runs.get(row) ?? (parse(row.data) as IRunExecutionData);
		runs.set(row, run);
		return run;
	};
	const texts = new Map<Row, string>();
	/** The text of all errors of an execution */
	function errorsOf(row: Row): string {
		const known = texts.get(row);
		if (known !== undefined) return known;
		const { error, runData } = readRun(row).resultData;
		const all = [
			error,
			...Object.values(runData).flatMap((each) => each.map((task) => task.error)),
		];
		const text = all
			.filter((each) => each !== undefined)
			.map((each) => JSON.stringify({ ...each, message: each.message }))
			.join(' ');
		texts.set(row, text);
		return text;
	}
	const settings = (session: SessionTruth) => settingsOf(world, nodeOf(session));
	/** True if its node keeps the execution running, or has to */
	const isKept = (session: SessionTruth) =>
		settings(session).keepsRunning === true || (isOld && CALLING.includes(world.shape ?? 'one'));

	/** Of what reaches readings only, an answer knows nothing. */
	const toWeather = (isForReadings: boolean): Span[] =>
		(world.weather ?? [])
			.filter(({ on }) => (on === 'read') === isForReadings)
			.map(({ fromMs, lastsMs }) => ({
				from: began + fromMs,
				to: began + fromMs + lastsMs + recoveryMs(fromMs + lastsMs),
			}));
	const toLimited = (isForReadings: boolean): Span[] =>
		service.arrivals
			.filter(({ answered, kind }) => answered === '429' && (kind === 'read') === isForReadings)
			.map(({ at, retryAfterSeconds = 20 }) => ({
				from: at,
				to: at + Math.min(retryAfterSeconds * SECOND, LONGEST_RETRY_AFTER_MS) + 4 * MINUTE,
			}));
	const { credential, clock } = world;
	const badReadings = [...toWeather(true), ...toLimited(true)];
	const common: Span[] = [
		...shell.downs.map(({ from, to }) => ({ from: from - SECOND, to: to + WAKE_MS })),
		...toWeather(false),
		...toLimited(false),
		...(credential
			? [
					{
						from: began + credential.fromMs,
						to: began + credential.fromMs + credential.lastsMs + RECOVERY_MS,
					},
				]
			: []),
		...(clock
			? [
					{
						from: began + clock.at - SECOND,
						to: began + clock.at + Math.max(0, -clock.byMs) + 15 * MINUTE,
					},
				]
			: []),
	];
	const spans = new Map<string, Span[]>();
	function disturbances(origin: string, isForReadings = true): Span[] {
		const key = `${origin} ${isForReadings}`;
		const known = spans.get(key);
		if (known) return known;
		const own = executionsOf(origin);
		const ids = new Set(own.map(({ id }) => id));
		const holds = shell.holds
			.filter(({ executionId }) => executionId === undefined || ids.has(executionId))
			.map(({ from, to }) => ({ from, to: to + WAKE_MS }));
		const alive = own
			.filter(({ workflow }) => workflow.id === 'main')
			.map((row) => ({ from: row.startedAt, to: row.endedAt ?? ended }))
			.sort((one, other) => one.from - other.from);
		const dead: Span[] = [];
		let at = began;
		for (const { from, to } of alive) {
			const isFirst = at === began;
			if (from > at) dead.push({ from: at, to: isFirst ? from : from + WAKE_MS });
			at = Math.max(at, to);
		}
		dead.push({ from: at, to: Infinity });
		const more = isForReadings ? badReadings : [];
		const all = [...common, ...more, ...holds, ...dead].sort((one, other) => one.from - other.from);
		const merged: Span[] = [];
		for (const span of all) {
			const last = merged.at(-1);
			if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
			else merged.push({ ...span });
		}
		spans.set(key, merged);
		return merged;
	}

	/** Requests about a session. If it's continued, those about this turn */
	function arrivalsOf(session: SessionTruth): Arrival[] {
		const { sessionId, startedAt } = session;
		const turns = service.sessions.filter((each) => each.sessionId === sessionId);
		const { startedAt: until = Infinity } = turns[turns.indexOf(session) + 1] ?? {};
		return service.arrivals.filter(
			(each) => each.sessionId === sessionId && each.at >= startedAt && each.at < until,
		);
	}
	const goodReadings = (session: SessionTruth): number[] =>
		arrivalsOf(session)
			.filter(({ kind, isGood }) => kind === 'read' && isGood)
			.map(({ at }) => at);
	/** A session, or the turn of it that somebody was told of then. @param node that told it */
	function sessionAt(sessionId: unknown, at: number, node?: string): SessionTruth | undefined {
		const turns = service.sessions.filter((each) => each.sessionId === sessionId);
		const before = turns.filter(({ startedAt }) => startedAt <= at);
		return before.findLast((each) => nodeOf(each) === node) ?? before.at(-1) ?? turns[0];
	}
	const isContinued = ({ sessionId, label }: SessionTruth) =>
		service.sessions.some((each) => each.sessionId === sessionId && each.label !== label);
	/** True if no reading until then showed a request of this time, because readings don't show it for a while */
	const isUnseen = (session: SessionTruth, at: number, lastReadAt: number): boolean =>
		session.requests.some(
			({ at: askedAt, hidden }) =>
				askedAt === at &&
				hidden &&
				!goodReadings(session).some(
					(time) => time >= at && time <= lastReadAt && (time < hidden.from || time >= hidden.to),
				),
		);

	/** What left in a run that a kill ended is gone with it. */
	const isLost = ({ at, executionId }: Left) =>
		shell.downs.some(
			({ from }) =>
				from > at &&
				from <= (shell.rows.get(executionId)?.endedAt ?? Infinity) &&
				!shell.saved.some(
					(each) => each.executionId === executionId && each.at >= at && each.at < from,
				),
		);
	/** Items with the session that left at their end */
	const leftOf = (session: SessionTruth) =>
		shell.left.filter(
			(each) =>
				each.output !== 1 &&
				each.node.length === 1 &&
				(!isContinued(session) || each.node === nodeOf(session)) &&
				JSON.stringify(each.json).includes(session.sessionId) &&
				!isLost(each),
		);

	return {
		history,
		executionsOf,
		originOfLabel,
		settings,
		isKept,
		readRun,
		errorsOf,
		leftOf,
		/** The node that an error ended an execution in */
		failedNodeOf: (row: Row) => readRun(row).resultData.lastNodeExecuted,
		/** The execution's custom data, as text */
		customDataOf: (row: Row) => JSON.stringify(readRun(row).resultData.metadata ?? {}),
		/** The time at which the node stops waiting for the session by its settings */
		givesUpAt(session: SessionTruth): number {
			const {
				maxWaitMinutes,
				keepsRunning,
				ifNobodyAnswers,
				unansweredAfterHours = 24,
			} = settings(session);
			const minutes = maxWaitMinutes ?? (keepsRunning ? 30 : 1440);
			const isUnlimited = minutes === 0 && !keepsRunning;
			const quietAt =
				session.quietSince !== undefined && ifNobodyAnswers
					? session.quietSince + unansweredAfterHours * HOUR
					: Infinity;
			const asked = session.requests[0]?.at ?? Infinity;
			const at = Math.min(
				quietAt,
				isUnlimited ? Infinity : session.startedAt + minutes * MINUTE,
				ifNobodyAnswers ? asked + unansweredAfterHours * HOUR : Infinity,
			);
			// The node measures from the system clock.
			const setAt = began + (clock?.at ?? Infinity);
			const isSetForward = clock !== undefined && clock.byMs > 0 && session.startedAt < setAt;
			return isSetForward ? Math.min(at, Math.max(setAt, at - clock.byMs)) : at;
		},
		/** True if n8n had saved the session before any kill */
		isSaved({ startedAt, label }: SessionTruth): boolean {
			const killed = shell.downs.find(({ from }) => from >= startedAt);
			const origin = originOfLabel(label);
			return (
				!killed ||
				shell.saved.some(
					({ executionId, at, status }) =>
						status === 'waiting' &&
						at > startedAt + SECOND &&
						at < killed.from &&
						shell.originOf(executionId) === origin,
				)
			);
		},
		/** False if nobody could save the session's ID: its start's answer was lost, or n8n was killed before */
		isKnown(session: SessionTruth): boolean {
			const { startedAt, label, isJoined } = session;
			if (isJoined) return true;
			const start = service.arrivals.find(
				(each) =>
					(each.kind === 'start' || each.kind === 'message') &&
					each.label === label &&
					each.at === startedAt,
			);
			const { isGood = false, deliveredAt } = start ?? {};
			if (!isGood || deliveredAt === undefined) return false;
			return !shell.downs.some(({ from }) => from >= deliveredAt && from < deliveredAt + KNOWN_MS);
		},
		/** Milliseconds within which a session has to be read again */
		boundMs(session: SessionTruth, lastReadAt: number): number {
			if (isKept(session)) return KEPT_MS;
			// The node measures from the system clock.
			if (world.clock) return LONGEST_MS + WAKE_MS;
			const changedAt =
				session.changes.findLast((at) => at <= lastReadAt && !isUnseen(session, at, lastReadAt)) ??
				session.startedAt;
			const quietMs = (lastReadAt - changedAt) * SHARE;
			return Math.max(SHORTEST_MS, Math.min(LONGEST_MS, quietMs)) + WAKE_MS;
		},
		/** Milliseconds in which nobody can expect the node to act. @param isForReadings false for what needs no reading */
		disturbedMs: (origin: string, from: number, to: number, isForReadings?: boolean): number =>
			disturbances(origin, isForReadings).reduce(
				(sum, span) => sum + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)),
				0,
			),
		/** The time at which this many undisturbed milliseconds have passed */
		after(origin: string, from: number, ms: number, isForReadings?: boolean): number {
			let [at, left] = [from, ms];
			for (const span of disturbances(origin, isForReadings)) {
				if (span.to <= at) continue;
				const freeMs = Math.max(0, span.from - at);
				if (freeMs >= left) break;
				left -= freeMs;
				at = span.to;
			}
			return at + left;
		},
		/** The time at which the session's item had ended for its execution, by an item, an error or the execution's end */
		itemEndOf(session: SessionTruth): number {
			const origin = originOfLabel(session.label);
			const own = origin === undefined ? [] : executionsOf(origin);
			const leaves = leftOf(session).map(({ at }) => at);
			const final = own.filter(({ workflow }) => workflow.id === 'main').at(-1);
			const named = own
				.filter(({ endedAt = 0 }) => endedAt >= session.startedAt)
				.filter((row) => errorsOf(row).includes(session.sessionId))
				.map(({ endedAt }) => endedAt!);
			return Math.min(ended, ...leaves, ...named, final?.endedAt ?? ended);
		},
		/** Times of readings that showed the session */
		goodReadings,
		arrivalsOf,
		sessionAt,
	};
}
