import type { IDataObject } from 'n8n-workflow';

import { mergeAnswers, type LinkAnswer } from '../requests/ballots';

// The answers of an execution's links. Each copy that n8n has of the execution may have others, so copies are merged, and nothing is removed.

/** The data that n8n saves of an execution's nodes, and of the execution itself as `flow` */
type Contexts = Record<string, IDataObject>;

const KEY = 'workspaceAutomationAnswers';

export const listAnswers = ({ flow }: Contexts): LinkAnswer[] =>
	(flow?.[KEY] ?? []) as unknown as LinkAnswer[];

/** Adds answers to a copy of an execution. Returns whether there were any that it doesn't have. */
export function addAnswers(contexts: Contexts, answers: readonly LinkAnswer[]): boolean {
	const before = listAnswers(contexts);
	const after = mergeAnswers(before, answers);
	const isNew = after.some((answer) => !before.includes(answer));
	if (isNew) (contexts.flow ??= {})[KEY] = after as unknown as IDataObject[];
	return isNew;
}

/** Longer than the longest pause */
const KEPT_MS = 15 * 60_000;

/** What this process has accepted. Spares approvers another answer: n8n 1 confirms one before it saves it, and may save an older copy after it. */
const accepted = new Map<string, { at: number; answers: LinkAnswer[] }>();

export function acceptAnswers(
	executionId: string,
	answers: readonly LinkAnswer[],
	now: number,
): void {
	for (const [id, { at }] of accepted) if (now > at + KEPT_MS) accepted.delete(id);
	const before = accepted.get(executionId)?.answers ?? [];
	accepted.set(executionId, { at: now, answers: mergeAnswers(before, answers) });
}

/** Adds what this process has accepted to a copy of an execution. Returns whether there was anything new. */
export function recallAnswers(executionId: string, contexts: Contexts): boolean {
	const known = accepted.get(executionId);
	return known !== undefined && addAnswers(contexts, known.answers);
}
