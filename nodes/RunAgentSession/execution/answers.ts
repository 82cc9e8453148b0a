import type { IExecuteFunctions } from 'n8n-workflow';

import { findLink } from '../page/view';
import { castAnswer } from '../requests/castAnswer';
import type { RequestRecord } from '../requests/record';
import type { Question } from '../requests/questions';
import type { RunningRecord } from '../session/record';
import { takeAnswers, type SavedAnswer } from './inbox';
import { listCourses } from './journal';

interface Answered {
	requests: RequestRecord[];
	questions: Question[];
}

/** Returns the requests of a link's session with the answers that were saved for the link. */
export function withAnswers(
	record: Answered,
	own: Question,
	approver: number,
	answers: SavedAnswer['answers'],
): RequestRecord[] {
	const { questions } = record;
	let { requests } = record;
	for (const answer of answers)
		requests = castAnswer({ requests, questions }, own, approver, answer) ?? requests;
	return requests;
}

/** Moves the answers of the approval page to the records of their requests, which are polled next. Returns whether there were any. */
export function applyAnswers(context: IExecuteFunctions): boolean {
	const nodeContext = context.getContext('node');
	const contextName = `node:${context.getNode().name}`;
	const taken = takeAnswers(context.getExecutionId(), contextName, nodeContext);
	for (const { nonce, answers } of taken) {
		const running = listCourses(nodeContext).filter(
			(record): record is RunningRecord => record.state === 'running',
		);
		const { record, question, approver } = findLink(running, nonce) ?? {};
		if (!record || !question || approver === undefined) continue;
		const after = withAnswers(record, question, approver, answers);
		if (after === record.requests) continue;
		record.requests = after;
		record.wait.isAnswered = true;
	}
	return taken.length > 0;
}
