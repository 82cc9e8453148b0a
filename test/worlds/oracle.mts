// The promises that hold in every world. They read the service's and people's truth, what left the nodes, and what n8n saved.
import type { IDataObject } from 'n8n-workflow';
import { collectFacts, nodeOf, WAKE_MS, type Facts } from './facts.mts';
import type { History } from './run.mts';
import {
	commandOf,
	REPAIR,
	resultOf,
	type Arrival,
	type RequestTruth,
	type SessionTruth,
} from './service.mts';
import { executionOf } from './people.mts';
import { isTriggered, type Row } from './shell.mts';
import { AGENTS } from './workflow.mts';
import { CALLING, HOUR, MINUTE, SECOND } from './world.mts';

export interface Violation {
	kind: string;
	circumstance: string;
	about: string;
	at: number;
}

type Report = (kind: string, session: SessionTruth | undefined, about: string, at: number) => void;
type Promised = (facts: Facts, report: Report) => void;

const isFinal = ({ status }: Row) => !['running', 'waiting'].includes(status);
const commandIn = (session: SessionTruth, request: RequestTruth) =>
	commandOf(session.label, request.name, request.ask);
/** The command of request 1 begins that of request 10. */
const mentions = (text: string, command: string) =>
	text.split(command).some((rest, index) => index > 0 && !/^\d/.test(rest));
const seconds = (ms: number) => `${(ms / SECOND).toFixed(0)} s`;

/** The rows of the workflow itself, in order */
const mainRows = (facts: Facts, origin: string) =>
	facts.executionsOf(origin).filter(({ workflow }) => workflow.id === 'main');

/** n8n 2 lets a person retry an execution that it takes for crashed while its first wake after a restart runs. */
const hasParallelRetry = (rows: Row[]): boolean =>
	rows.some(({ endedAt = Infinity }, n) => rows[n + 1]?.startedAt < endedAt);

function originsOf({ history }: Facts): string[] {
	const ids = [...history.shell.rows.keys()].map((id) => history.shell.originOf(id));
	return [...new Set(ids)].filter((id) => history.shell.rows.get(id)!.workflow.id === 'main');
}

/** True if the latest answer of a completed session doesn't fit the required format */
const hasWrongFormat = ({ settings }: Facts, session: SessionTruth): boolean =>
	settings(session).hasFormat === true && session.misfits > 0;

// 1. Starts

const startsOnce: Promised = (facts, report) => {
	const { service, world } = facts.history;
	const byLabel = Map.groupBy(service.sessions, ({ label }) => label);
	for (const [label, sessions] of byLabel) {
		// Equal items have as many.
		const count = world.isEqual ? world.items.length : 1;
		for (const session of sessions.slice(count)) {
			const { startedAt } = session;
			const before = sessions.slice(0, sessions.indexOf(session));
			const running = before.filter(({ endedAt = Infinity }) => endedAt > startedAt);
			const completed = before.filter((each) => each.ended === 'completed');
			if (running.length >= count)
				report('a second session while the first runs', session, label, startedAt);
			else if (new Set([...running, ...completed]).size >= count)
				report('a second session after the first completed', session, label, startedAt);
		}
		const origin = facts.originOfLabel(label);
		if (origin === undefined) continue;
		const { maxTries = 1 } = facts.settings(sessions[0]);
		const attempts = mainRows(facts, origin).length;
		if (sessions.length > maxTries * attempts * count)
			report(
				'more sessions than Max Tries',
				sessions.at(-1),
				`${sessions.length} of ${label}`,
				sessions.at(-1)!.startedAt,
			);
	}
	// A retry after a kill runs the node again, as n8n does with every node.
	for (const [label, products] of Map.groupBy(service.products, ({ label }) => label)) {
		const origin = facts.originOfLabel(`${label} `);
		const attempts = origin === undefined ? 1 : mainRows(facts, origin).length;
		const most = attempts * (world.isEqual ? world.items.length : 1);
		if (products.length > most) report('created twice', undefined, label, products.at(-1)!.at);
	}
};

/** Comments, answers about a quiet session, and the request for another answer: each has a text of its own. */
const sendsMessagesOnce: Promised = (facts, report) => {
	const { world, service } = facts.history;
	for (const session of service.sessions)
		for (const [text, all] of Map.groupBy(session.messages, (each) => each.text)) {
			// Each of the two nodes that wait for a session may ask for another answer.
			const isShared = world.shape === 'chain' && world.continues && text.startsWith(REPAIR);
			if (all.length > (isShared ? 2 : 1))
				report('a message is sent twice', session, text, all.at(-1)!.at);
		}
};

/** What an approver ended isn't started again. */
const endsWithAnAbort: Promised = (facts, report) => {
	const { service, people, shell, world } = facts.history;
	if (world.isEqual) return;
	for (const session of service.sessions) {
		const { endedAt } = session;
		const abort = people.visits.find(
			({ quiet, isSaved, shown, sessionId, at }) =>
				quiet === 'abort' &&
				isSaved &&
				sessionId === session.sessionId &&
				/<span>Abort the session/.test(shown) &&
				at <= (endedAt ?? 0),
		);
		if (session.ended !== 'aborted' || !abort) continue;
		// What was done about it meanwhile isn't known.
		const later = people.visits.filter(
			({ sessionId, isSaved }) => isSaved && sessionId === session.sessionId,
		);
		if (later.some(({ quiet }) => quiet !== 'abort')) continue;
		const next = service.sessions.find(
			({ label, startedAt }) => label === session.label && startedAt > endedAt!,
		);
		const origin = facts.originOfLabel(session.label);
		if (!next || origin === undefined) continue;
		const isRetried = mainRows(facts, origin).some(
			({ startedAt }) => startedAt > endedAt! && startedAt <= next.startedAt,
		);
		if (!isRetried && shell.downs.every(({ from }) => from < session.startedAt))
			report("a session after an approver's abort", next, session.label, next.startedAt);
	}
};

// 2. Nobody starves

const isReadInTime: Promised = (facts, report) => {
	for (const session of facts.history.service.sessions) {
		const origin = facts.originOfLabel(session.label);
		if (origin === undefined || !facts.isKnown(session)) continue;
		const readings = facts.goodReadings(session);
		// A decision that the node sends to a session that has ended is its last.
		const last = session.changes.filter((at) => at <= (session.endedAt ?? Infinity)).at(-1)!;
		const gone = session.requests.map(({ goneAt = 0, decision }) =>
			decision?.by === 'api' ? 0 : goneAt,
		);
		const lastChange = Math.max(last, ...gone);
		const seenEnd =
			session.endedAt === undefined
				? undefined
				: readings.find((at) => at >= Math.max(session.endedAt!, lastChange));
		const until = Math.min(facts.itemEndOf(session), facts.givesUpAt(session), seenEnd ?? Infinity);
		const points = [session.startedAt, ...readings.filter((at) => at < until), until];
		for (let n = 1; n < points.length; n++) {
			const [from, to] = [points[n - 1], points[n]];
			const allowed = facts.boundMs(session, from) + facts.disturbedMs(origin, from, to);
			if (to - from <= allowed) continue;
			const kind = n === 1 ? 'first read late' : 'read late';
			report(
				kind,
				session,
				`${session.label}, ${seconds(to - from)} instead of ${seconds(allowed)}`,
				from + allowed,
			);
			break;
		}
	}
};

/** Each node that the trigger leads to starts soon, whatever the other does. */
const isExecutedSoon: Promised = (facts, report) => {
	const { service, world } = facts.history;
	if (world.shape !== 'parallel' || world.startLimit !== undefined) return;
	for (const session of service.sessions) {
		const origin = facts.originOfLabel(session.label);
		if (origin === undefined || !session.label.endsWith(' item0')) continue;
		const [row] = mainRows(facts, origin);
		const lateMs = session.startedAt - row.startedAt;
		const isFirst = service.sessions.find(({ label }) => label === session.label) === session;
		const allowedMs = 2 * MINUTE + facts.disturbedMs(origin, row.startedAt, session.startedAt);
		if (isFirst && lateMs > allowedMs)
			report('a node is executed late', session, seconds(lateMs), session.startedAt);
	}
};

/** Before every pause but those after starts, each session has been read. */
const isReadBeforePause: Promised = (facts, report) => {
	const { shell, service, world } = facts.history;
	for (const session of service.sessions) {
		const origin = facts.originOfLabel(session.label);
		if (origin === undefined || facts.isKept(session) || !facts.isKnown(session)) continue;
		// One of them doesn't know what the other has started.
		if (hasParallelRetry(mainRows(facts, origin))) continue;
		const first = Math.min(facts.goodReadings(session)[0] ?? Infinity, facts.itemEndOf(session));
		const pauses = shell.saved.filter(
			({ executionId, status, at }) =>
				status === 'waiting' &&
				at > session.startedAt &&
				at < first &&
				shell.originOf(executionId) === origin,
		);
		const beginMs = 4 * SECOND + 4 * (world.latencyMs ?? 0);
		const hasStarted = (at: number) =>
			service.sessions.some(
				({ startedAt, label }) =>
					at > startedAt && at <= startedAt + beginMs && facts.originOfLabel(label) === origin,
			);
		const pause = pauses.find(
			({ at }) => !hasStarted(at) && facts.disturbedMs(origin, session.startedAt, at) === 0,
		);
		if (pause)
			report('paused with a session that was never read', session, session.label, pause.at);
	}
};

function isPolicyDecided(
	{ settings }: Facts,
	session: SessionTruth,
	{ ask }: RequestTruth,
): boolean {
	const { policy } = settings(session);
	if (ask.kind !== 'permission') return false;
	return (
		policy === 'approve' || policy === 'deny' || (policy === 'rules' && ask.isCovered === true)
	);
}

/** Requests of a session that approvers are asked about at once */
const MAX_ASKED = 5;

const isHandledInTime: Promised = (facts, report) => {
	const { people } = facts.history;
	for (const session of facts.history.service.sessions) {
		const origin = facts.originOfLabel(session.label);
		if (origin === undefined || !facts.isKnown(session)) continue;
		const readings = facts.goodReadings(session);
		const failedAt = session.ended === 'completed' ? Infinity : (session.endedAt ?? Infinity);
		const itemEnd = Math.min(facts.itemEndOf(session), facts.givesUpAt(session), failedAt);
		for (const request of session.requests) {
			const { hidden } = request;
			const isSeen = (at: number) => !hidden || at < hidden.from || at >= hidden.to;
			let seenAt = readings.find(
				(at) => at > request.at && at < (request.goneAt ?? Infinity) && isSeen(at),
			);
			if (seenAt === undefined) continue;
			if (hidden && seenAt < hidden.to && facts.after(origin, seenAt, 2 * MINUTE) > hidden.from)
				seenAt = readings.find((at) => at >= hidden.to) ?? Infinity;
			const end = facts.after(origin, seenAt, 2 * MINUTE);
			// Nobody saw it gone, so it's the one that was decided before.
			const before = session.requests.findLast(
				({ id, at }) => id === request.id && at < request.at,
			);
			if (before && !readings.some((at) => at > before.goneAt! && at < request.at)) continue;
			// If others decided it, the node can't tell it from one that readings left out for a while: its link is still open.
			const isDecidedHere =
				before?.decision?.by === 'api' &&
				people.applied.every(({ sessionId }) => sessionId !== session.sessionId);
			const firstAt = before && !isDecidedHere ? before.at : request.at;
			// It changes with each reading, and is left to the dashboard.
			if (request.reissuedAt.some((at) => at <= end)) continue;
			if (Math.min(request.goneAt ?? Infinity, itemEnd, facts.history.ended) <= end) continue;
			const command = commandIn(session, request);
			// The next ones are asked about when these are decided.
			const isBehind =
				session.requests.filter((each) => each.at < request.at && (each.goneAt ?? Infinity) > end)
					.length >= MAX_ASKED;
			if (isPolicyDecided(facts, session, request))
				report('the policy decides late', session, command, end);
			else if (
				!isBehind &&
				!people.messages.some(
					({ at, sessionId, json }) =>
						sessionId === session.sessionId &&
						at >= firstAt &&
						at <= end &&
						mentions(JSON.stringify(json), command),
				)
			)
				report('not asked', session, command, end);
		}
	}
};

const isAskedOnce: Promised = (facts, report) => {
	const known = new Map<string, Map<string, number>>();
	/** By item, the execution that it left first */
	const firsts = new Map<string, string>();
	for (const { json, executionId } of facts.history.shell.left) {
		const item = JSON.stringify(json);
		if (!firsts.has(item)) firsts.set(item, executionId);
	}
	for (const { at, executionId, sessionId, json } of facts.history.people.messages) {
		const first = firsts.get(JSON.stringify(json)) ?? executionId;
		// A retry repeats the node behind To Approve with the message of the execution before.
		if (first !== executionId) continue;
		const session = facts.sessionAt(sessionId, at);
		if (!session) continue;
		const text = JSON.stringify(json.pendingInteractions ?? json);
		const key = `${executionId} ${sessionId} ${session.startedAt}`;
		const before = known.get(key) ?? new Map<string, number>();
		const commands = session.requests
			.map((each) => commandIn(session, each))
			.filter((command) => mentions(text, command));
		/** How often something that looks like this was asked until then */
		const countOf = (command: string) =>
			session.requests
				.filter((each) => commandIn(session, each) === command && each.at <= at)
				.reduce((sum, each) => {
					const ids = each.reissuedAt.filter((time) => time <= at).length;
					return sum + 1 + ids + (each.hidden && each.hidden.to <= at ? 1 : 0);
				}, 0);
		const unique = [...new Set(commands)];
		if (
			unique.length > 0 &&
			unique.every((command) => (before.get(command) ?? 0) >= countOf(command))
		)
			report('asked again without news', session, unique.join(', '), at);
		for (const command of unique) before.set(command, (before.get(command) ?? 0) + 1);
		known.set(key, before);
	}
};

const keepsDeadlines: Promised = (facts, report) => {
	const { people, service, ended, world } = facts.history;
	for (const session of service.sessions) {
		const origin = facts.originOfLabel(session.label);
		if (origin === undefined || !facts.isKnown(session) || world.clock) continue;
		const { ifNobodyAnswers, unansweredAfterHours = 24, maxWaitMinutes } = facts.settings(session);
		const itemEnd = facts.itemEndOf(session);
		const isOver = (at: number) => Math.min(itemEnd, session.endedAt ?? Infinity, ended) <= at;
		const lateAfter = (due: number) =>
			Math.max(
				facts.after(origin, due, 11 * MINUTE + WAKE_MS),
				due + 11 * MINUTE + WAKE_MS + facts.disturbedMs(origin, due - MINUTE, due + HOUR),
			);
		if (ifNobodyAnswers)
			for (const request of session.requests) {
				// Another ID is another request.
				if (request.reissuedAt.length > 0 || request.hidden) continue;
				const command = commandIn(session, request);
				const asked = people.messages.find(
					({ sessionId, json, at }) =>
						at >= request.at &&
						sessionId === session.sessionId &&
						mentions(JSON.stringify(json), command),
				);
				if (!asked) continue;
				const late = lateAfter(asked.at + unansweredAfterHours * HOUR);
				if ((request.goneAt ?? Infinity) > late && !isOver(late))
					report('If Nobody Answers comes late', session, command, late);
			}
		const { keepsRunning, letsRun } = facts.settings(session);
		const minutes = maxWaitMinutes ?? (keepsRunning ? 30 : 1440);
		// While the execution should pause, 0 is no limit.
		if (minutes === 0 && !keepsRunning) continue;
		// A retry that knows nothing of the first attempt waits as long.
		if (session.isJoined && mainRows(facts, origin).length > 1) continue;
		const late = lateAfter(session.startedAt + minutes * MINUTE);
		// The error of a session that may run on is kept until the others have ended. Until then, nobody reads it.
		const row = mainRows(facts, origin).find(({ endedAt = ended }) => endedAt > late);
		const isRead = facts
			.arrivalsOf(session)
			.some(({ kind, at }) => kind === 'read' && at > late && at < (row?.endedAt ?? ended));
		if (letsRun && !isRead) continue;
		if (session.ended === undefined || session.endedAt! > late)
			if (!isOver(late)) report('Max Wait passes', session, `${minutes} minutes`, late);
	}
};

// 3. Every outcome leaves once

const leavesOnce: Promised = (facts, report) => {
	const { service, world, shell } = facts.history;
	for (const session of service.sessions) {
		const lefts = facts.leftOf(session);
		for (const [executionId, all] of Map.groupBy(lefts, (each) => each.executionId)) {
			const own = all.filter(
				({ node, json }) => node === nodeOf(session) && json.sessionId === session.sessionId,
			);
			if (own.length > 1) report('an item leaves twice', session, executionId, own[1].at);
		}
		const byCaller = Map.groupBy(lefts, ({ executionId }) => shell.callerOf(executionId));
		for (const [caller, all] of byCaller) {
			const completed = all.filter(
				({ node, json }) =>
					node === nodeOf(session) &&
					json.sessionId === session.sessionId &&
					json.error === undefined,
			);
			if (new Set(completed.map(({ executionId }) => executionId)).size > 1)
				report('two calls have one session', session, caller, completed.at(-1)!.at);
		}
	}
	for (const origin of originsOf(facts)) {
		const rows = mainRows(facts, origin);
		const final = rows.at(-1)!;
		if (!isFinal(final)) continue;
		const own = service.sessions.filter(({ label }) => facts.originOfLabel(label) === origin);
		const toLatest = (all: SessionTruth[]) =>
			world.isEqual
				? all.filter(({ ended }) => ended === undefined || ended === 'completed')
				: [...Map.groupBy(all, ({ label }) => label).values()].map((each) => each.at(-1)!);
		const last = toLatest(own);
		const allRows = facts.executionsOf(origin);
		// Another node's error says nothing of a session, but the execution's custom data does.
		const isNamedIn = (row: Row, session: SessionTruth): boolean =>
			facts.errorsOf(row).includes(session.sessionId) ||
			(facts.failedNodeOf(row) !== nodeOf(session) &&
				facts.customDataOf(row).includes(session.sessionId)) ||
			// The error of a sub-workflow is in its own execution.
			allRows.some((child) => child.parentId === row.id && isNamedIn(child, session));
		const isNamed = (session: SessionTruth) => allRows.some((row) => isNamedIn(row, session));
		const isBesideRetry = hasParallelRetry(rows);
		/** Refused to start what may have been started */
		const isRefused = (row: Row) => /may have been (?:started|sent)/.test(facts.errorsOf(row));
		const canBeUnsure =
			rows.length > 1 ||
			shell.downs.length > 0 ||
			(world.weather ?? []).some(
				({ on }) => on === 'start' || on === 'all' || (on === 'decide' && world.continues),
			);
		const refused = shell.left.find(
			({ executionId, json }) =>
				allRows.some(({ id }) => id === executionId) &&
				/may have been (?:started|sent)/.test(String(json.error)),
		);
		if (!canBeUnsure && (refused || allRows.some(isRefused)))
			report('a start is refused without a doubt', undefined, origin, final.endedAt!);
		const hasCrashedChild = allRows.some(
			({ parentId, status }) => parentId !== undefined && status === 'crashed',
		);
		if (final.status === 'success') {
			// n8n goes on with what a crashed child had.
			if (hasCrashedChild) continue;
			for (const session of last)
				if (
					facts.isKnown(session) &&
					facts.leftOf(session).length === 0 &&
					// A kill took its ID, and an item says that it may have been started.
					!(refused && !facts.isSaved(session)) &&
					!(isNamed(session) && CALLING.includes(world.shape ?? 'one'))
				)
					report(
						`an outcome is lost (${session.ended ?? 'running'})`,
						session,
						session.label,
						final.endedAt!,
					);
		}
		for (const row of rows) {
			if (row.status !== 'error') continue;
			const next = rows[rows.indexOf(row) + 1]?.startedAt ?? Infinity;
			const late = own.find(
				({ startedAt, sessionId }) =>
					startedAt > row.endedAt! &&
					startedAt < next &&
					!allRows.some((each) => facts.errorsOf(each).includes(sessionId)),
			);
			if (late) report('a session starts after the end', late, late.label, late.startedAt);
			// n8n 1 saves the status first, and was killed before it saved the error.
			if (facts.errorsOf(row) === '') continue;
			const then = own.filter(({ startedAt }) => startedAt < row.endedAt!);
			for (const session of toLatest(then)) {
				if (!facts.isKnown(session) || facts.leftOf(session).some(({ at }) => at <= row.endedAt!))
					continue;
				const isRunning = session.endedAt === undefined || session.endedAt > row.endedAt!;
				// A retry returns it.
				if (session.ended === 'completed' && !isRunning && !isRefused(row)) continue;
				if (isNamedIn(row, session)) continue;
				if (isBesideRetry && (isNamed(session) || !last.includes(session))) continue;
				// A kill took its ID, and the retry says that it may have been started, once it can read the credential.
				const isUnread = facts.errorsOf(row).includes('The secrets provider is down');
				// The error of another entry or node came first.
				const isElsewhere = world.shape === 'twice' || facts.failedNodeOf(row) !== nodeOf(session);
				if ((isRefused(row) || isUnread || isElsewhere) && !facts.isSaved(session)) continue;
				// An earlier error named a session that was over before this execution.
				const isOver = session.ended !== 'completed' && session.endedAt! < row.startedAt;
				// A retry starts a sub-workflow that knows no session, also where it can't ask for one, or n8n repeats the error without one.
				const isUnknown =
					CALLING.includes(world.shape ?? 'one') &&
					(isRefused(row) || isUnread || allRows.every(({ parentId }) => parentId !== row.id));
				const isNamedBefore = rows.some(
					(each) => each.startedAt < row.startedAt && isNamedIn(each, session),
				);
				if ((isOver || isUnknown) && isNamedBefore) continue;
				const how = isRunning ? 'running' : session.ended;
				report(`an error doesn't name a session (${how})`, session, session.label, row.endedAt!);
			}
		}
		for (const retry of rows.slice(1)) {
			if (retry.status !== 'success' && retry.status !== 'error') continue;
			for (const session of last) {
				if (session.ended !== 'completed' || session.endedAt! > retry.startedAt) continue;
				if (!facts.isKnown(session) || !facts.isSaved(session)) continue;
				if (hasWrongFormat(facts, session) || world.retries?.hasChanged) continue;
				if (world.credential || session.requests.some(({ goneAt }) => goneAt === undefined))
					continue;
				if (retry.status === 'error' && facts.failedNodeOf(retry) !== nodeOf(session)) continue;
				if (isBesideRetry && isNamed(session)) continue;
				// Nothing could be read of it since its end.
				const reads = service.arrivals.filter(
					({ kind, sessionId, at }) =>
						kind === 'read' && sessionId === session.sessionId && at <= retry.endedAt!,
				);
				const isTried = reads.some(({ at }) => at > retry.startedAt);
				if (isTried && !reads.some(({ at, isGood }) => isGood && at >= session.endedAt!)) continue;
				const isOut = facts.leftOf(session).some(({ at }) => at <= retry.endedAt!);
				if (!isOut) {
					report('a retry loses a result', session, session.label, retry.endedAt!);
					break;
				}
			}
		}
	}
};

/** An item without a session has an error, and only for a reason that can't pass. */
const startsPatiently: Promised = (facts, report) => {
	const { service, world, shell } = facts.history;
	for (const origin of originsOf(facts)) {
		const rows = mainRows(facts, origin);
		const final = rows.at(-1)!;
		// Stop or a kill gave up, and not the node.
		if (!['success', 'error'].includes(final.status) || world.credential) continue;
		const run =
			[...shell.rows.values()].filter(isTriggered).findIndex(({ id }) => id === origin) + 1;
		const { maxWaitMinutes, keepsRunning } = world.settings ?? {};
		const minutes = maxWaitMinutes ?? (keepsRunning ? 30 : 1440);
		const waitMs = minutes === 0 ? (keepsRunning ? 0 : Infinity) : minutes * MINUTE;
		world.items.forEach((_, item) => {
			const label = `A run${run} item${item}`;
			if (service.sessions.some((each) => each.label === label)) return;
			const tries = service.arrivals.filter(
				(each) => each.kind === 'start' && each.label === label,
			);
			const all = service.arrivals.filter(
				(each) => each.kind === 'start' && each.label?.includes(`run${run} `),
			);
			// What a killed n8n didn't hear proves nothing.
			const isProven = ({ answered, deliveredAt }: Arrival) =>
				answered === 'unsent' || (['429', '503'].includes(answered) && deliveredAt !== undefined);
			const hasErrorItem = shell.left.some(
				({ json, executionId }) =>
					shell.originOf(executionId) === origin && json.error !== undefined,
			);
			if (tries.length === 0 || !tries.every(isProven)) return;
			// What can't happen before Max Wait is an error at once.
			const isHopeless = ({
				at,
				retryAfterSeconds = 0,
			}: {
				at: number;
				retryAfterSeconds?: number;
			}) =>
				at + retryAfterSeconds * SECOND >
				(waitMs === Infinity ? at + 24 * HOUR - MINUTE : tries[0].at + waitMs - MINUTE);
			const hopeless = all.find(isHopeless);
			if (hopeless) {
				const more = tries.find(
					({ at }) => at > hopeless.at + 11 * MINUTE && at < (rows[0].endedAt ?? Infinity),
				);
				if (more && tries.includes(hopeless))
					report("waits for a start that can't be", undefined, label, more.at);
				return;
			}
			if (all.some((each) => each.answered !== '202' && !isProven(each))) return;
			// A sibling that a kill has lost ends the retry before it starts anything.
			const siblings = service.sessions.filter(({ label: each }) => each.includes(`run${run} `));
			if (!siblings.every(facts.isSaved)) return;
			const hasReached = service.arrivals.some(({ answered }) => answered !== 'unsent');
			if (!hasReached) return;
			// A page with the same status proves nothing.
			if (world.weather?.some(({ kind }) => kind === '503 page')) return;
			const end = rows[0].endedAt ?? facts.history.ended;
			if (end - tries[0].at < waitMs - MINUTE && (final.status !== 'success' || hasErrorItem))
				report(
					'a start is given up before Max Wait',
					undefined,
					`${label} after ${seconds(end - tries[0].at)}`,
					end,
				);
		});
	}
};

const endsInTime: Promised = (facts, report) => {
	const { service, isCut, ended, world } = facts.history;
	for (const origin of originsOf(facts)) {
		const own = service.sessions.filter(({ label }) => facts.originOfLabel(label) === origin);
		// A session that has completed waits for an approver of its pending requests, or Max Wait.
		const requests = own.flatMap((session) =>
			session.ended === 'completed' ? session.requests : [],
		);
		if (requests.some(({ goneAt }) => goneAt === undefined)) continue;
		const open = mainRows(facts, origin).find((row) => !isFinal(row));
		if (isCut && open && own.every((session) => session.ended)) {
			const last = Math.max(...own.map(({ endedAt = 0 }) => endedAt));
			if (facts.disturbedMs(origin, last, ended) < ended - last - HOUR)
				report(`endless (${open.status})`, own.at(-1), open.id, ended);
			continue;
		}
		const final = mainRows(facts, origin).at(-1)!;
		if (!['success', 'error'].includes(final.status) || own.some((session) => !session.ended))
			continue;
		const lastSession = own.reduce<SessionTruth | undefined>(
			(latest, each) => (!latest || each.endedAt! > latest.endedAt! ? each : latest),
			undefined,
		);
		if (!lastSession) continue;
		const gone = requests.map(({ goneAt }) => goneAt!);
		const from = Math.max(lastSession.endedAt!, final.startedAt, ...gone);
		const to = final.endedAt!;
		const bound =
			facts.boundMs(lastSession, from - 1) +
			WAKE_MS +
			(world.settings?.maxTries ?? 1) * 10 * SECOND;
		if (to - from > bound + facts.disturbedMs(origin, from, to))
			report('the execution ends late', lastSession, seconds(to - from), to);
	}
};

// 4. The record is true

/** All that the service took of approvers is in `decisions`, of earlier tries, too. */
function checkDecisions(
	facts: Facts,
	report: Report,
	final: SessionTruth,
	json: IDataObject,
	leftAt: number,
): void {
	const { service, world, shell, people } = facts.history;
	// After a kill, nobody knows what was sent.
	if (world.isEqual || shell.downs.length > 0) return;
	const origin = facts.originOfLabel(final.label);
	if (origin === undefined || mainRows(facts, origin).length > 1) return;
	const decisions = (json.decisions ?? []) as IDataObject[];
	for (const session of service.sessions) {
		if (session.label !== final.label || session.startedAt > final.startedAt) continue;
		for (const request of session.requests) {
			const { decision, goneAt = Infinity } = request;
			if (decision?.by !== 'api' || request.reissuedAt.length > 0 || request.hidden) continue;
			const command = commandIn(session, request);
			// Of earlier tries, it has what approvers decided, and neither the policy nor If Nobody Answers.
			const isAnswered = people.visits.some(
				({ isSaved, shown }) => isSaved && mentions(shown, command),
			);
			const isTheirs = isAnswered && !isPolicyDecided(facts, session, request);
			if (session !== final && !isTheirs) continue;
			const all = decisions.filter((each) => mentions(JSON.stringify(each), command));
			const sent = service.arrivals.find(
				({ kind, at, sessionId }) =>
					kind === 'decide' && sessionId === session.sessionId && at === decision.at,
			);
			const isApplied = people.applied.some(
				({ sessionId, shown, at }) =>
					sessionId === session.sessionId && mentions(shown, command) && at <= decision.at,
			);
			// Apply an Answer sent it, in another execution.
			if (all.length === 0 && isApplied) continue;
			if (all.length === 0) {
				const isEarlier = session !== final;
				report(
					isEarlier ? 'decisions lack an earlier try' : 'decisions lack one',
					final,
					command,
					leftAt,
				);
				continue;
			}
			const next = session.requests.find(
				(each) => each !== request && each.at > goneAt && commandIn(session, each) === command,
			);
			const until = Math.min(next?.at ?? Infinity, session.endedAt ?? Infinity, leftAt);
			const seen = facts.goodReadings(session).filter((at) => at > goneAt && at < until);
			if (sent?.isGood && seen.length >= 2 && !all.some(({ state }) => state === 'confirmed'))
				report('a confirmed decision is called otherwise', final, JSON.stringify(all), leftAt);
		}
	}
}

const tellsTheTruth: Promised = (facts, report) => {
	const { service, people, shell } = facts.history;
	for (const { node, output, json, at } of shell.left) {
		const session = facts.sessionAt(json.sessionId, at, node);
		if (!AGENTS.includes(node) || !session) continue;
		if (output === 0 && json.error === undefined && json.status === 'completed') {
			if (session.ended !== 'completed' || session.endedAt! > at)
				report('completed before it was', session, session.label, at);
			else if (json.text !== resultOf(session.label) && !hasWrongFormat(facts, session))
				report("another session's result", session, String(json.text), at);
			else if (facts.settings(session).hasFormat && json.text !== resultOf(session.label))
				report("an answer that doesn't fit leaves", session, String(json.text), at);
		}
		for (const decision of (json.decisions ?? []) as Array<Record<string, unknown>>) {
			// The node's own request is none of the service.
			if (decision.state !== 'confirmed' || decision.kind === 'quiet') continue;
			const text = JSON.stringify(decision);
			const earlier = service.sessions.filter(({ label }) => label === session.label);
			const taken = earlier.flatMap((each) =>
				each.requests.filter(
					(request) => request.decision?.by === 'api' && mentions(text, commandIn(each, request)),
				),
			);
			if (taken.length === 0) report('confirmed, and the service never took it', session, text, at);
			else if (
				decision.decision !== 'answer' &&
				taken.every((request) => (decision.decision === 'approve') !== request.decision!.isApproval)
			)
				report('confirmed the other way round', session, text, at);
		}
		if (output === 0 && json.status === 'completed')
			checkDecisions(facts, report, session, json, at);
	}
	for (const row of shell.rows.values()) {
		const text = facts.errorsOf(row);
		if (/Cannot read|is not a function|TypeError|undefined \(/.test(text))
			report('an internal error', undefined, text.slice(0, 200), row.endedAt ?? 0);
		for (const session of service.sessions)
			if (
				session.ended === 'completed' &&
				text.includes(session.sessionId) &&
				/was aborted/.test(text)
			) {
				const aborts = service.arrivals.some(
					({ kind, sessionId }) => kind === 'abort' && sessionId === session.sessionId,
				);
				const others = service.sessions.some(
					({ sessionId, ended }) => ended === 'aborted' && text.includes(sessionId),
				);
				if (aborts && !others)
					report('a completed session is called aborted', session, session.label, row.endedAt ?? 0);
			}
	}
	for (const session of service.sessions)
		for (const request of session.requests) {
			const { decision } = request;
			if (decision?.by !== 'api' || !decision.isApproval || request.ask.kind !== 'permission')
				continue;
			const { policy } = facts.settings(session);
			if (policy === 'approve' || (policy === 'rules' && request.ask.isCovered)) continue;
			const command = commandIn(session, request);
			const isSeen =
				people.visits.some(
					({ isSent, choice, shown, at, openedAt }) =>
						isSent &&
						choice === 'approve' &&
						mentions(shown, command) &&
						openedAt >= request.at &&
						at <= decision.at + MINUTE,
				) ||
				people.applied.some(
					({ choice, shown, at }) =>
						choice === 'approve' && mentions(shown, command) && at <= decision.at,
				);
			if (!isSeen) report('approved by nobody', session, command, decision.at);
		}
};

const sendsAnswers: Promised = (facts, report) => {
	const { people, service, ended } = facts.history;
	for (const visit of people.visits) {
		if (!visit.isSaved) continue;
		for (const session of service.sessions) {
			const origin = facts.originOfLabel(session.label);
			if (origin === undefined) continue;
			for (const request of session.requests) {
				// The page repeats what it saved: of other sessions nothing, if they have changed.
				if (!mentions(visit.body, commandIn(session, request))) continue;
				// The page shows what readings showed: an equal session may ask for the same.
				const readings = facts.goodReadings(session);
				if (!readings.some((at) => at >= request.at && at <= visit.openedAt)) continue;
				// It's another request by then, or was one.
				if (request.reissuedAt.length > 0 || request.hidden) continue;
				// Another session has the same words after Retry On Fail.
				if ((session.endedAt ?? Infinity) < visit.openedAt) continue;
				const itemEnd = facts.itemEndOf(session);
				const end = facts.after(origin, visit.at, WAKE_MS);
				const over = Math.min(
					request.goneAt ?? Infinity,
					session.endedAt ?? Infinity,
					itemEnd,
					ended,
				);
				if (over > end)
					report(
						request.goneAt === undefined ? 'an answer is never sent' : 'an answer is sent late',
						session,
						commandIn(session, request),
						end,
					);
				if (request.decision?.by !== 'api' || request.ask.kind !== 'permission') continue;
				if (people.applied.some(({ sessionId }) => sessionId === session.sessionId)) continue;
				const { policy } = facts.settings(session);
				if (policy === 'deny' || policy === 'approve') continue;
				const saved = people.visits.filter(
					({ isSaved, shown, at, openedAt }) =>
						isSaved &&
						openedAt >= request.at &&
						mentions(shown, commandIn(session, request)) &&
						at <= request.decision!.at + SECOND,
				);
				if (
					saved.length > 0 &&
					saved.every(({ choice }) => (choice === 'approve') !== request.decision!.isApproval)
				)
					report(
						'an answer is turned round',
						session,
						commandIn(session, request),
						request.decision.at,
					);
			}
		}
	}
};

// 5. Links work

const linksWork: Promised = (facts, report) => {
	const { people, world, shell } = facts.history;
	const isBesideKept =
		world.shape === 'parallel' &&
		(world.settings?.keepsRunning === true || world.second?.keepsRunning === true);
	for (const visit of people.visits) {
		if (!visit.isJson && visit.status !== 404 && visit.status !== 500) continue;
		if (isBesideKept) continue;
		const session = facts.sessionAt(visit.sessionId, visit.at);
		const origin = session && facts.originOfLabel(session.label);
		if (!session || origin === undefined) continue;
		const from = visit.at - visit.waitedMs;
		if ((session.endedAt ?? Infinity) < visit.at || facts.itemEndOf(session) < visit.at) continue;
		const row = shell.rows.get(visit.executionId);
		if ((row?.endedAt ?? Infinity) < visit.at && row?.status !== 'waiting') continue;
		const isOpen = session.requests.some(
			({ at, goneAt = Infinity }) => at < from && goneAt > visit.at,
		);
		if (!isOpen || facts.disturbedMs(origin, from - MINUTE, visit.at) > 0) continue;
		report(
			`a link answers ${visit.status}`,
			session,
			visit.isSent ? 'sending' : 'opening',
			visit.at,
		);
	}
};

/** A link says what it's about, and shows a form only where an answer can count. */
const linksTell: Promised = (facts, report) => {
	const { people, shell } = facts.history;
	for (const visit of people.visits) {
		const session = facts.sessionAt(visit.sessionId, visit.at)!;
		if (/may have been cut off/.test(visit.body))
			report('a link is called invalid', session, visit.sessionId, visit.at);
		const isForm = visit.status === 200 && /name="shown"/.test(visit.body);
		// n8n tells the page nothing of a kill in a wake. For two minutes, that one may just be late.
		const mayBeLate =
			shell.rows.get(visit.executionId)?.status === 'crashed' &&
			shell.downs.some(({ from }) => visit.at > from && visit.at < from + 2 * MINUTE);
		// n8n 2 calls a paused execution crashed while its first wake after a restart runs, and then it goes on.
		const goesOn = shell.saved.some(
			({ executionId, status, at }) =>
				executionId === visit.executionId && status !== 'crashed' && at > visit.at,
		);
		if (isForm && visit.isOver && !mayBeLate && !goesOn)
			report('a form where no answer counts', session, visit.executionId, visit.at);
		const unanswered = session.requests.filter(
			({ at, goneAt, hidden }) => at < visit.at && goneAt === undefined && hidden,
		);
		if (
			/Already answered/.test(visit.body) &&
			unanswered.length > 0 &&
			session.requests.every(({ decision }) => !decision) &&
			people.visits.every(({ isSaved, sessionId }) => !isSaved || sessionId !== session.sessionId)
		)
			report('a page says answered, and nobody did', session, visit.executionId, visit.at);
	}
};

/** In a retry, whoever has to answer has a link of this execution. */
const retriesAsk: Promised = (facts, report) => {
	const { people, service, shell, ended, world } = facts.history;
	if (world.shape === 'parallel') return;
	for (const session of service.sessions) {
		const origin = facts.originOfLabel(session.label);
		if (origin === undefined || facts.isKept(session) || !facts.isKnown(session)) continue;
		for (const row of mainRows(facts, origin).slice(1)) {
			const { startedAt, endedAt = ended } = row;
			for (const request of session.requests) {
				const { goneAt = Infinity, hidden, reissuedAt } = request;
				if (isPolicyDecided(facts, session, request) || hidden || reissuedAt.length > 0) continue;
				const seenAt = facts
					.goodReadings(session)
					.find((at) => at > request.at && at > startedAt && at < goneAt);
				if (seenAt === undefined || seenAt > endedAt) continue;
				const end = facts.after(origin, seenAt, 3 * MINUTE);
				const over = Math.min(goneAt, endedAt, facts.itemEndOf(session), facts.givesUpAt(session));
				if (Math.min(over, session.endedAt ?? Infinity, ended) <= end) continue;
				// Whoever was asked before answers there.
				const command = commandIn(session, request);
				const isOwn = people.messages.some(
					({ at, sessionId, json, link }) =>
						sessionId === session.sessionId &&
						at <= end &&
						link !== undefined &&
						shell.callerOf(executionOf(link)) === row.id &&
						mentions(JSON.stringify(json), command),
				);
				if (!isOwn) report('nobody has a link of the retry', session, command, end);
			}
		}
	}
};

// 6. Stop ends all

const stopsAll: Promised = (facts, report) => {
	const { shell, service, ended } = facts.history;
	for (const { at, executionId } of shell.stops) {
		const origin = shell.originOf(executionId);
		const texts = shell.written.filter((each) => each.at >= at && each.at <= at + 2 * MINUTE);
		for (const session of service.sessions) {
			if (facts.originOfLabel(session.label) !== origin || !facts.isKnown(session)) continue;
			// n8n doesn't stop the sub-workflow of a stopped execution.
			if (CALLING.includes(facts.history.world.shape ?? 'one')) continue;
			if (session.startedAt > at || at + 2 * MINUTE > ended) continue;
			if ((session.endedAt ?? Infinity) <= at + MINUTE) continue;
			const isDown = shell.downs.some(({ from }) => from >= at && from <= at + MINUTE);
			if (isDown || facts.leftOf(session).some((each) => each.at <= at)) continue;
			const isNamed =
				texts.some(({ text }) => text.includes(session.sessionId)) ||
				facts.errorsOf(shell.rows.get(executionId)!).includes(session.sessionId);
			if (!isNamed) report('Stop leaves a session', session, session.label, at + MINUTE);
		}
	}
};

// 7. Quiet sessions

const asksIfQuiet: Promised = (facts, report) => {
	const { people, service, world, ended } = facts.history;
	for (const session of service.sessions) {
		const origin = facts.originOfLabel(session.label);
		const { askIfQuietMinutes } = facts.settings(session);
		if (origin === undefined || askIfQuietMinutes === undefined || world.clock) continue;
		const quietMs = askIfQuietMinutes * MINUTE;
		/** The latest activity that a reading could show by then */
		const activeAt = (at: number) =>
			session.quiet.find(({ from, to = Infinity }) => at >= from && at < to)?.from ?? at;

		const aborts = facts.arrivalsOf(session).filter(({ kind }) => kind === 'abort');
		const isChosen = people.visits.some(
			({ quiet, isSaved, sessionId }) =>
				isSaved && quiet === 'abort' && sessionId === session.sessionId,
		);
		const hasMessage = session.messagesAt.length > 0;
		const [abort] = aborts;
		const isWaitOver = facts.givesUpAt(session) <= (abort?.at ?? Infinity) + MINUTE;
		const isStopped = facts.history.shell.stops.length > 0;
		if (
			abort &&
			!isChosen &&
			!hasMessage &&
			!isWaitOver &&
			!isStopped &&
			facts.history.world.stopAt === undefined &&
			activeAt(abort.at) > abort.at - quietMs
		)
			report('a healthy session is ended as quiet', session, session.label, abort.at);
		for (const { at, json, sessionId } of people.messages) {
			if (sessionId !== session.sessionId || hasMessage) continue;
			if (!/has been quiet for/.test(JSON.stringify(json.question))) continue;
			if (activeAt(at) > at - quietMs + SECOND)
				report("asked about a session that isn't quiet", session, session.label, at);
		}
		// A command is done at once, also while readings fail.
		for (const visit of people.visits) {
			const { at, quiet, isSaved, sessionId, openedAt } = visit;
			if (!isSaved || sessionId !== session.sessionId || quiet === undefined || quiet === 'keep')
				continue;
			const isLast = !people.visits.some(
				(each) =>
					each.sessionId === sessionId && each.isSaved && each.at > at && each.at < at + HOUR,
			);
			if (!isLast || activeAt(openedAt) === openedAt || facts.isKept(session)) continue;
			const end = facts.after(origin, at, WAKE_MS, false);
			const done = service.arrivals.find(
				(each) =>
					each.sessionId === sessionId &&
					each.at >= at - SECOND &&
					each.kind === (quiet === 'abort' ? 'abort' : 'message'),
			);
			const over = Math.min(session.endedAt ?? Infinity, facts.itemEndOf(session), ended);
			if (over > end && (done?.at ?? Infinity) > end)
				report(`a quiet session's ${quiet} comes late`, session, session.label, end);
		}
	}
};

// 8. Cost

/** Returns how often a pausing node reads a session: each 70 s, then after 5% of the time since a change, at most after 10 minutes. */
function plannedReadings({ startedAt, changes, requests }: SessionTruth, lifeMs: number): number {
	// Another ID is another request.
	const all = [...changes, ...requests.flatMap(({ reissuedAt }) => reissuedAt)];
	const before = all.filter((at) => at < startedAt + lifeMs).sort((one, other) => one - other);
	const times = [...before, startedAt + lifeMs];
	let count = 0;
	for (let n = 1; n < times.length; n++) {
		const quiet = (times[n] - times[n - 1]) / SECOND;
		const [shortest, longest] = [1_400, 12_000];
		count += Math.min(quiet, shortest) / 70;
		if (quiet > shortest) count += 20 * Math.log(Math.min(quiet, longest) / shortest);
		count += Math.max(0, quiet - longest) / 600;
	}
	return count;
}

const costsLittle: Promised = (facts, report) => {
	const { service, shell, world } = facts.history;
	for (const session of service.sessions) {
		const { settings } = facts;
		const reads = facts.arrivalsOf(session).filter(({ kind }) => kind === 'read');
		const { keepsRunning, maxWaitMinutes, maxTries = 1 } = settings(session);
		const origin = facts.originOfLabel(session.label);
		if (origin === undefined) continue;
		// A retry waits again, and n8n doesn't stop the sub-workflow of a stopped execution.
		const ends = facts.executionsOf(origin).map(({ endedAt }) => endedAt ?? facts.history.ended);
		const lefts = facts.leftOf(session).map(({ at }) => at);
		const lifeMs = Math.min(Math.max(...ends), ...lefts) - session.startedAt;
		// What the package remembers between runs may spare a reading.
		const isRemembered = world.forgets !== 'runs';
		if (keepsRunning && maxWaitMinutes === 0 && !world.kills && !world.weather && isRemembered) {
			// Each try polls once.
			const attempts = mainRows(facts, origin).length * maxTries;
			const good = reads.filter(({ answered }) => answered === '200').length;
			if (good > attempts)
				report('more than one poll with Max Wait 0', session, String(good), session.startedAt);
		}
		const changes = session.changes.length + session.requests.length;
		const visits = facts.history.people.visits.length;
		const wakes = shell.saved.filter(
			({ executionId }) => shell.originOf(executionId) === origin,
		).length;
		const most = facts.isKept(session)
			? 10 + lifeMs / (4.5 * SECOND)
			: 20 +
				(world.isManual ? 60 : 0) +
				1.5 * plannedReadings(session, lifeMs) +
				16 * changes +
				2 * visits;
		const disturbed =
			facts.disturbedMs(origin, session.startedAt, session.startedAt + lifeMs) / SECOND;
		if (reads.length > most + disturbed)
			report(
				'too many readings',
				session,
				`${session.label}, ${reads.length} in ${seconds(lifeMs)} (${wakes} wakes)`,
				session.startedAt,
			);
	}
	for (const row of shell.rows.values()) {
		if (!isFinal(row) || row.workflow.id === 'answers') continue;
		const { runData } = facts.readRun(row).resultData;
		for (const name of AGENTS) {
			const empty = (runData[name] ?? []).filter(
				({ data, error }) => !error && (data?.main ?? []).every((items) => !items?.length),
			);
			if (empty.length > 1)
				report(
					'empty runs stay',
					undefined,
					`${empty.length} of ${runData[name].length} of ${name}`,
					row.endedAt ?? 0,
				);
		}
		const requests = service.sessions
			.filter(({ label }) => facts.originOfLabel(label) === shell.originOf(row.id))
			// Another ID is another request.
			.flatMap((session) => session.requests)
			.reduce((sum, { reissuedAt }) => sum + 1 + reissuedAt.length, 0);
		const most =
			60_000 +
			20_000 *
				(world.items.length + requests) *
				(world.shape === 'parallel' || world.shape === 'chain' ? 2 : 1);
		if (row.data.length > most)
			report('too much data', undefined, `${row.data.length} bytes`, row.endedAt ?? 0);
	}
};

/** What is known of a world of the table */
const succeedsAsKnown: Promised = (facts, report) => {
	const { service, world, ended } = facts.history;
	if (world.successes === undefined) return;
	for (const origin of originsOf(facts)) {
		const { status, endedAt = ended } = mainRows(facts, origin).at(-1)!;
		const own = service.sessions.filter(({ label }) => facts.originOfLabel(label) === origin);
		const succeeded = own.filter((session) =>
			facts.leftOf(session).some(({ json }) => json.sessionId === session.sessionId && !json.error),
		);
		if (status === 'success' && [own, succeeded].every((all) => all.length === world.successes))
			continue;
		const about = `${succeeded.length} of ${own.length} sessions succeed, execution ${status}`;
		report('not as many successes as known', undefined, about, endedAt);
	}
};

/** In the order of README.md */
const PROMISES: Promised[] = [
	startsOnce,
	sendsMessagesOnce,
	endsWithAnAbort,
	isExecutedSoon,
	isReadInTime,
	isReadBeforePause,
	isHandledInTime,
	isAskedOnce,
	keepsDeadlines,
	leavesOnce,
	startsPatiently,
	endsInTime,
	tellsTheTruth,
	sendsAnswers,
	linksWork,
	linksTell,
	retriesAsk,
	stopsAll,
	asksIfQuiet,
	costsLittle,
	succeedsAsKnown,
];

function describe({ history, isKept }: Facts, session: SessionTruth | undefined): string {
	const { world, shell } = history;
	const isAgentKept = session ? isKept(session) : world.settings?.keepsRunning;
	return [
		isAgentKept ? 'kept running' : 'pausing',
		world.shape && world.shape !== 'one' && world.shape,
		world.items.length > 1 && 'beside a sibling',
		shell.downs.length > 0 && 'killed',
		[...shell.rows.values()].some(({ retryOf }) => retryOf !== undefined) && 'retried',
		world.weather?.map(({ kind }) => kind).join(' and '),
	]
		.filter(Boolean)
		.join(', ');
}

/** Returns the violations of a history, one of each kind. */
export function judge(history: History): Violation[] {
	const facts = collectFacts(history);
	const found = new Map<string, Violation>();
	const report: Report = (kind, session, about, at) => {
		if (found.has(kind)) return;
		const circumstance = describe(facts, session);
		found.set(kind, { kind, circumstance, about, at: (at - history.began) / SECOND });
	};
	for (const check of PROMISES) check(facts, report);
	for (const { kind, about, at } of history.shell.problems) report(kind, undefined, about, at);
	return [...found.values()];
}
