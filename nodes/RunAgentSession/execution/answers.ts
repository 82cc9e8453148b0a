import type { IExecuteFunctions } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { takeAnswers } from '../page/inbox';
import { withAnswers } from '../page/links';
import { findLink } from '../page/view';
import type { RunningRecord } from '../session/record';

import { listCourses } from './journal';

/** Moves the answers of the approval page to the records of their requests, which are polled next. Returns whether there were any. */
export function applyAnswers(context: IExecuteFunctions): boolean {
	const nodeContext = context.getContext('node');
	const contextName = `node:${context.getNode().name}`;
	const taken = takeAnswers(context.getExecutionId(), contextName, nodeContext, realClock.now());
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
