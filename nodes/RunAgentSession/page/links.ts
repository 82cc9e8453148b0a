import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { textOf } from '../../shared/base/values';
import { parkedNode } from '../../shared/n8n/parking';
import { SHORTEST_MS } from '../durable';

// The link to the page on which a person answers: where it leads, and whose it is. Its nonce is a secret, on n8n 1 the only one.

/** What a person was asked by one link. */
export interface Question {
	/** 128 bits that nobody can guess */
	nonce: string;
	/** What stands for each of the requests that it is about: those that were asked, or that were answered on its page */
	contents: string[];
}

/** A question with a link of its own. */
export const newQuestion = (contents: string[]): Question => ({
	nonce: randomBytes(16).toString('base64url'),
	contents,
});

/** In the URL's query */
export const NONCE = 'question';

/** Where the page of a question is: n8n's own address for going on with the execution, which n8n 2 signs. */
export function approvalUrl(
	context: Pick<IExecuteFunctions, 'getNode' | 'getWorkflowDataProxy'>,
	{ nonce }: Question,
): string {
	const { $execution } = context.getWorkflowDataProxy(0);
	const { resumeUrl } = $execution as { resumeUrl: string };
	const url = new URL(resumeUrl);
	url.pathname += `/${context.getNode().id}`;
	url.searchParams.set(NONCE, nonce);
	return url.href;
}

const hash = (text: string) => createHash('sha256').update(text).digest();

/** The question that a nonce belongs to, and the record that it is in. Takes the same time whichever it is. */
export function questionOf<T extends { page?: { questions: Question[] } }>(
	records: readonly T[],
	nonce: unknown,
): { record: T; question: Question; isLatest: boolean } | undefined {
	const given = hash(typeof nonce === 'string' ? nonce : '');
	let found: ReturnType<typeof questionOf<T>>;
	for (const record of records) {
		const { questions = [] } = record.page ?? {};
		for (const [index, question] of questions.entries())
			if (timingSafeEqual(given, hash(question.nonce)))
				found = { record, question, isLatest: index === questions.length - 1 };
	}
	return found;
}

/** In the node's context: the session that was answered for, until its answer is applied */
export const ANSWERED = 'answered';

/** The session that a person has just answered for; the node is executed because of that alone. */
export function takeAnswered(context: IExecuteFunctions): string | undefined {
	const nodeContext = context.getContext('node');
	const { [ANSWERED]: sessionId } = nodeContext;
	delete nodeContext[ANSWERED];
	return textOf(sessionId);
}

/** When to look at all sessions after an answer: when it would have been anyway, or sooner. n8n 1 keeps to the first. */
export const soonAfter = (context: IExecuteFunctions, now: number): number =>
	Math.min(parkedNode(context.getContext('node')).until, now + SHORTEST_MS);
