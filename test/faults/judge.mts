// Judges the campaign in simulated time: compares the service's own record with each execution's result.
import type { SessionView } from '../../local-service/control/views.mts';
import type { RunResult } from '../../nodes/RunAgentSession/session/types.ts';
import { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import type { Sent } from '../simulation/simulation.mts';

export interface SimulatedReport {
	dialects: string[];
	/** Sessions that the service started */
	sessions: number;
	requests: number;
	/** Requests that met a fault, and those that the rate limit refused */
	faults: number;
	refused: number;
	outcomes: Record<string, number>;
	/** Sessions beyond the first for one order, and turns beyond the second */
	duplicates: number;
	/** Orders whose result is not what became of their session */
	lost: number;
	wrongDecisions: number;
	/** Aborts, messages and decisions that were reported as done but never arrived */
	falseSuccesses: number;
	/** Messages and aborts that were tried */
	messages: number;
	aborts: number;
	/** Starts of unknown fate, and those of them that no error names */
	unknownStarts: number;
	unnamedStarts: number;
	/** Violated rules, in words */
	violations: string[];
}

/** Result of one run, after its tries */
export interface Ended {
	result: RunResult | WorkspaceAutomationError;
	/** Errors of all tries */
	errors: WorkspaceAutomationError[];
}

export interface Order extends Ended {
	prompt: string;
	/** The message that was sent to the session after it had completed, what the agent says to it, and what came of it */
	message?: Ended & { says: string };
}

/** Meaning of the service's words */
const EXPECTED: Record<string, string[]> = {
	bash: ['once', 'grant', 'permit_once', '1', 'go'],
	edit: ['reject', 'refuse', 'block', '3', 'halt'],
};
const ABORTED = /was aborted$/;
const UNKNOWN = /^(The session may have been started|A session was started)/;

/** @param start when the simulation began */
export function judge(
	orders: Order[],
	sessions: SessionView[],
	sent: Sent[],
	{ dialects, mistakes, start }: { dialects: string[]; mistakes: string[]; start: number },
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
		falseSuccesses: 0,
		messages: 0,
		aborts: 0,
		unknownStarts: 0,
		unnamedStarts: 0,
		violations: mistakes,
	};
	const byPrompt = new Map<string, SessionView[]>();
	for (const session of sessions)
		byPrompt.set(session.prompt, [...(byPrompt.get(session.prompt) ?? []), session]);
	const readings = lastReadings(sent, sessions);

	for (const { prompt, result, errors, message } of orders) {
		const own = byPrompt.get(prompt) ?? [];
		const blame = (
			figure: 'duplicates' | 'lost' | 'wrongDecisions' | 'falseSuccesses' | 'unnamedStarts',
			what: string,
		) => {
			report[figure]++;
			report.violations.push(`${prompt}: ${what}`);
		};
		const isError = result instanceof WorkspaceAutomationError;
		const kind = isError ? 'error' : result.kind;
		report.outcomes[kind] = (report.outcomes[kind] ?? 0) + 1;
		// Retry On Fail starts anew what is known to have ended; the last try starts nothing after it.
		const ends = errors.filter(({ message }) => ABORTED.test(message));
		report.aborts += ends.length;
		const after = isError && ABORTED.test(result.message) ? ends.length - 1 : ends.length;
		if (own.length > 1 + after) blame('duplicates', `${own.length} sessions`);
		for (const { aborted, finishedAt } of own.slice(0, ends.length))
			if (!aborted && !finishedAt)
				blame('falseSuccesses', 'it is said to be aborted, and works on');

		const named = errors.some(({ message }) => UNKNOWN.test(message));
		if (named) report.unknownStarts++;
		if (isError) {
			const isNamed = own.every(
				({ sessionId }) => named || errors.some(({ context }) => context.sessionId === sessionId),
			);
			if (!isNamed) blame('unnamedStarts', `a session that no error names: ${result.message}`);
			if (result.description === '') blame('lost', `no way out: ${result.message}`);
			continue;
		}
		const session = own.find(({ sessionId }) => sessionId === result.session.sessionId);
		if (!session) {
			blame('lost', 'the result is of another session');
			continue;
		}
		const pending = session.interactions.filter(({ resolvedAt }) => !resolvedAt);
		const unseenEnd =
			Date.parse(session.finishedAt ?? '') - start > (readings.get(session.sessionId) ?? 0);
		if (message) {
			report.messages++;
			const wrong = wrongMessage(message, session);
			if (wrong) blame(session.turns > 2 ? 'duplicates' : 'falseSuccesses', wrong);
			continue;
		}
		const isRight = {
			completed: session.status === 'completed',
			failed: session.status === 'failed',
			needsApproval: session.status === 'running' && pending.length > 0,
			stillRunning: session.finishedAt === undefined || unseenEnd,
		}[result.kind];
		if (!isRight) blame('lost', `${result.kind}, but the service has it ${session.status}`);

		const decided = session.interactions.filter(({ value }) => value !== undefined);
		for (const { id, value, ...asked } of decided) {
			const permission = 'permission' in asked ? asked.permission : 'a question';
			const isListed = result.decisions.some(({ interactionId }) => interactionId === String(id));
			const isToldOf = result.warnings.some((warning) => warning.includes(String(id)));
			if (!EXPECTED[permission]?.includes(String(value)))
				blame('wrongDecisions', `${permission} was decided with ${value}`);
			else if (!isListed && !isToldOf) blame('wrongDecisions', `${permission} is not listed`);
		}
		if (result.decisions.length > decided.length)
			blame('falseSuccesses', 'more is listed than was decided');
	}
	return report;
}

/** Times of the last unchanged poll of each session */
function lastReadings(sent: Sent[], sessions: SessionView[]): Map<string, number> {
	const known = new Set(sessions.map(({ sessionId }) => sessionId as string));
	const readings = new Map<string, number>();
	for (const { method, path, status: code, at } of sent) {
		const id = path.split(/[/?]/).find((part) => known.has(part));
		if (method === 'GET' && code === 200 && id) readings.set(id, at);
	}
	return readings;
}

/** Returns the false statements about a message. */
function wrongMessage(
	{ result, errors, says }: NonNullable<Order['message']>,
	{ turns }: SessionView,
): string | undefined {
	if (turns > 2) return `the message was sent ${turns - 1} times`;
	if (result instanceof WorkspaceAutomationError) {
		const denied = [result, ...errors].some(({ message }) => /not sent$/.test(message));
		return turns === 2 && denied && !errors.some(({ message }) => /not known/.test(message))
			? `the message arrived, and is said not to be sent: ${result.message}`
			: undefined;
	}
	if (turns < 2) return `${result.kind}, and the message never arrived`;
	const text = result.session.latestMessage?.text;
	return result.kind === 'completed' && text !== says && result.warnings.length === 0
		? `the answer is of the turn before: ${text}`
		: undefined;
}
