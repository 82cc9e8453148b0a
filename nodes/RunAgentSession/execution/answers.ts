import type { IExecuteFunctions } from 'n8n-workflow';

import { findLink, positionIn, type FormAnswer } from '../page/view';
import { findQuestion } from '../requests/questions';
import { recordVotes } from '../requests/record';
import { castVote } from '../requests/votes';
import type { RunningRecord } from '../session/record';
import { takeAnswers, type SavedAnswer } from './inbox';
import { listCourses } from './journal';

/** Moves the answers of the approval page to the records of their requests, which are polled next. A second answer of a link changes nothing. */
export function applyAnswers(context: IExecuteFunctions): void {
	const nodeContext = context.getContext('node');
	const contextName = `node:${context.getNode().name}`;
	for (const answer of takeAnswers(context.getExecutionId(), contextName, nodeContext))
		applyAnswer(listCourses(nodeContext), answer);
}

function applyAnswer(
	records: ReturnType<typeof listCourses>,
	{ nonce, answers }: SavedAnswer,
): void {
	const running = records.filter((record): record is RunningRecord => record.state === 'running');
	const found = findLink(running, nonce);
	if (!found) return;
	for (const answer of answers)
		if (castAnswer(found, answer)) found.record.wait.nextPollAt = undefined;
}

/** Casts the vote of a link's approver. Returns whether the answer still counts. */
function castAnswer(
	{
		record: course,
		question: own,
		approver,
	}: NonNullable<ReturnType<typeof findLink<RunningRecord>>>,
	{ contentHash, vote }: FormAnswer,
): boolean {
	const record = course.requests.find(
		(each) => each.contentHash === contentHash && each.interaction && !each.isReplaced,
	);
	const question = record && findQuestion(course.questions, record);
	const position = question ? positionIn(question, own.approvers[approver], own) : -1;
	if (!record || !question || position < 0) return false;
	const { name } = question.approvers[position];
	const votes = castVote(
		record.votes,
		{ ...vote, approver: position, ...(name !== undefined && { name }) },
		question.needed,
	);
	if (!votes) return false;
	course.requests = recordVotes(course.requests, record, votes);
	return true;
}
