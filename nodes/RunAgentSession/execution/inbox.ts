import type { IDataObject } from 'n8n-workflow';

import type { FormAnswer } from '../page/view';

// Answers of the approval page, from the request that brought them until the node is executed again and applies them.

export interface SavedAnswer {
	/** Identifies the link, and with it the approver */
	nonce: string;
	answers: FormAnswer[];
}

const KEY = 'answers';

export const listAnswers = (nodeContext: IDataObject): SavedAnswer[] =>
	(nodeContext[KEY] ?? []) as unknown as SavedAnswer[];

/** Adds an answer, unless there's one from its link. Returns whether it was added. */
export function saveAnswer(nodeContext: IDataObject, answer: SavedAnswer): boolean {
	const before = listAnswers(nodeContext);
	if (before.some(({ nonce }) => nonce === answer.nonce)) return false;
	nodeContext[KEY] = [...before, answer] as unknown as IDataObject[];
	return true;
}

/** Returns the answers, and removes them. */
export function takeAnswers(nodeContext: IDataObject): SavedAnswer[] {
	const answers = listAnswers(nodeContext);
	delete nodeContext[KEY];
	return answers;
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
}

/** Answers of the last minute, by execution: n8n may have read the execution for the next request before it saved the one before. */
const recent = new Map<string, RecentAnswer[]>();
const RECENT_MS = 60_000;

/** Saves an answer, with those that came a moment before it. */
export function saveWithRecent(
	executionId: string,
	contexts: Record<string, IDataObject>,
	added: Omit<RecentAnswer, 'at'>,
	now: number,
): void {
	for (const [id, answers] of recent)
		if (answers.every(({ at }) => now > at + RECENT_MS)) recent.delete(id);
	const all = [
		...(recent.get(executionId) ?? []).filter(({ at }) => now <= at + RECENT_MS),
		{ ...added, at: now },
	];
	recent.set(executionId, all);
	for (const { contextName, answer } of all) saveAnswer((contexts[contextName] ??= {}), answer);
}
