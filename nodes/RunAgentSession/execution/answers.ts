import type { IExecuteFunctions } from 'n8n-workflow';

import { findLink, positionIn, type FormAnswer } from '../page/view';
import { findQuestion } from '../requests/questions';
import { recordVotes } from '../requests/record';
import { castVote } from '../requests/votes';
import type { RunningRecord } from '../session/record';
import { takeAnswers, type SavedAnswer } from './inbox';
import { listCourses } from './journal';

/** Moves the answers of the approval page to the records of their requests, which are polled next. A second answer of a link changes nothing. Returns whether there were any. */
export function applyAnswers(context: IExecuteFunctions): boolean {
	const nodeContext = context.getContext('node');
	const contextName = `node:${context.getNode().name}`;
	const answers = takeAnswers(context.getExecutionId(), contextName, nodeContext);
	for (const answer of answers) applyAnswer(listCourses(nodeContext), answer);
	return answers.length > 0;
}

function applyAnswer(
	records: ReturnType<typeof listCourses>,
	{ nonce, answers }: SavedAnswer,
): void {
	const running = records.filter((record): record is RunningRecord => record.state === 'running');
	const found = findLink(running, nonce);
	if (!found) return;
	for (const answer of answers) if (castAnswer(found, answer)) found.record.wait.isAnswered = true;
}

/** Casts the vote of a link's approver, for the first request with this content that lacks it. Returns whether the answer still counts. */
function castAnswer(
	{
		record: course,
		question: own,
		approver,
	}: NonNullable<ReturnType<typeof findLink<RunningRecord>>>,
	{ contentHash, vote }: FormAnswer,
): boolean {
	for (const record of course.requests) {
		if (record.contentHash !== contentHash || !record.interaction || record.decision) continue;
		const question = findQuestion(course.questions, record);
		const position = question ? positionIn(question, own.approvers[approver], own) : -1;
		if (!question || position < 0) continue;
		const { name } = question.approvers[position];
		const named = { ...vote, approver: position, ...(name !== undefined && { name }) };
		const votes = castVote(record.votes, named, question.needed);
		if (!votes) continue;
		course.requests = recordVotes(course.requests, record, votes);
		return true;
	}
	return false;
}
