import type { IDataObject } from 'n8n-workflow';

import type { FormAnswer } from '../requests/questions';

// Answers of the approval page, from the request that brought them until the node is executed again and applies them.

export interface SavedAnswer {
	/** Identifies the link, and with it the approver */
	nonce: string;
	answers: FormAnswer[];
}

const KEY = 'answers';

export const listAnswers = (nodeContext: IDataObject): SavedAnswer[] =>
	(nodeContext[KEY] ?? []) as unknown as SavedAnswer[];

const keyOf = ({ contentHash, id }: FormAnswer): string => JSON.stringify([contentHash, id]);

/** Adds an answer. For each request, the link's latest answer counts. Returns whether that changed anything. */
export function saveAnswer(nodeContext: IDataObject, { nonce, answers }: SavedAnswer): boolean {
	const before = listAnswers(nodeContext);
	const earlier = before.find((each) => each.nonce === nonce)?.answers ?? [];
	const byRequest = new Map(earlier.map((each) => [keyOf(each), each]));
	const newer = answers.filter((each) => {
		const known = byRequest.get(keyOf(each));
		return !known || known.vote.at < each.vote.at;
	});
	if (newer.length === 0) return false;
	for (const each of newer) byRequest.set(keyOf(each), each);
	const others = before.filter((each) => each.nonce !== nonce);
	const saved = { nonce, answers: [...byRequest.values()] };
	nodeContext[KEY] = [...others, saved] as unknown as IDataObject[];
	return true;
}

/** Adds the answers of one copy of an execution to another one. Returns whether there were any that the other doesn't know. */
export function moveAnswers(
	from: Record<string, IDataObject>,
	to: Record<string, IDataObject>,
): boolean {
	const moved = Object.entries(from).flatMap(([name, nodeContext]) =>
		listAnswers(nodeContext).map((answer) => saveAnswer((to[name] ??= {}), answer)),
	);
	return moved.includes(true);
}

interface RecentAnswer {
	at: number;
	contextName: string;
	answer: SavedAnswer;
	/** The hash of the form that the browser sent */
	form: string;
	isTaken?: true;
}

/**
 * Answers that this process has accepted, by execution. n8n 2 drops an answer that comes while the timer wakes the execution, and n8n may
 * have read the execution for the next answer before it saved the one before.
 */
const recent = new Map<string, RecentAnswer[]>();
/** Longer than the longest pause */
const RECENT_MS = 15 * 60_000;
/** Time in which n8n saves an answer */
const SAVING_MS = 60_000;
/** Time in which n8n starts the wake of an answer */
const STARTING_MS = 10_000;

/** Saves an answer, with those that n8n may not have saved yet. */
export function saveWithRecent(
	executionId: string,
	contexts: Record<string, IDataObject>,
	added: Omit<RecentAnswer, 'at'>,
	now: number,
): void {
	for (const [id, answers] of recent)
		if (answers.every(({ at }) => now > at + RECENT_MS)) recent.delete(id);
	const all = [...(recent.get(executionId) ?? []), { ...added, at: now }];
	recent.set(executionId, all);
	for (const { contextName, answer, at } of all)
		if (now <= at + SAVING_MS) saveAnswer((contexts[contextName] ??= {}), answer);
}

/** When this process last ran the node in an execution */
const runs = new Map<string, number>();

/** Returns whether this process runs the node in an execution, and so takes also an answer that n8n drops. Otherwise a worker may, or a process before a restart did. */
export const runsHere = (executionId: string, now: number): boolean =>
	now <= (runs.get(executionId) ?? -Infinity) + RECENT_MS;

/** Returns the answers for a node, and removes them from its context. */
export function takeAnswers(
	executionId: string,
	contextName: string,
	nodeContext: IDataObject,
	now: number,
): SavedAnswer[] {
	runs.delete(executionId);
	runs.set(executionId, now);
	for (const [id, at] of runs) {
		if (now <= at + RECENT_MS) break;
		runs.delete(id);
	}
	for (const each of recent.get(executionId) ?? []) {
		if (each.contextName !== contextName) continue;
		if (!each.isTaken) saveAnswer(nodeContext, each.answer);
		each.isTaken = true;
	}
	const answers = listAnswers(nodeContext);
	delete nodeContext[KEY];
	return answers;
}

/** Returns the answers of a node that may not have been applied yet: n8n may have read the execution before it saved them. */
export function listUnapplied(
	executionId: string,
	contextName: string,
	nodeContext: IDataObject,
	now: number,
): SavedAnswer[] {
	const late = (recent.get(executionId) ?? []).filter(
		(each) =>
			each.contextName === contextName && now <= each.at + (each.isTaken ? STARTING_MS : SAVING_MS),
	);
	return [...listAnswers(nodeContext), ...late.map(({ answer }) => answer)];
}

/** Returns whether a run is sending an answer of an execution that n8n has read before. Another answer has to wait for it. */
export const isSending = (
	executionId: string,
	isApplied: (answer: SavedAnswer) => boolean,
	now: number,
): boolean =>
	(recent.get(executionId) ?? []).some(
		({ answer, at, isTaken }) => isTaken && now <= at + STARTING_MS && !isApplied(answer),
	);

/** Returns whether a link's latest answer was sent with the same form and is saved. A browser repeats a form after an error of n8n. */
export function isRepeated(
	executionId: string,
	link: string,
	form: string,
	isApplied: (answer: SavedAnswer) => boolean,
): boolean {
	const last = (recent.get(executionId) ?? []).filter(({ answer }) => answer.nonce === link).pop();
	return (
		last !== undefined && (last.isTaken === true || isApplied(last.answer)) && last.form === form
	);
}

let latest = 0;

/** Returns the time of an answer. Later answers have later times, also in the same millisecond. */
export function nextAnswerTime(now: number): number {
	latest = Math.max(now, latest + 1);
	return latest;
}
