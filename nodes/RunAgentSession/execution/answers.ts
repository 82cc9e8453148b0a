import type { IExecuteFunctions } from 'n8n-workflow';

import { castVotes } from '../approval/approvers';
import { takeAnswers, type SavedAnswer } from './inbox';
import { findLink } from '../approval/page/view';
import type { RunningRecord } from '../session/record';
import { listSessionRecords } from './journal';

/** Moves the answers of the approval page to the records of their sessions, which are polled next. A second answer of a link changes nothing. */
export function applyAnswers(context: IExecuteFunctions): void {
	const nodeContext = context.getContext('node');
	const contextName = `node:${context.getNode().name}`;
	for (const answer of takeAnswers(context.getExecutionId(), contextName, nodeContext)) {
		const records = listSessionRecords(nodeContext).filter(
			(record): record is RunningRecord => record.state === 'running',
		);
		const found = findLink(records, answer.nonce);
		if (found && apply(found, answer)) found.record.wait.nextPollAt = undefined;
	}
}

function apply(
	{ record, question: link, approver }: NonNullable<ReturnType<typeof findLink<RunningRecord>>>,
	{ sent, answers, votes }: SavedAnswer,
): boolean {
	const page = record.page!;
	link.contents = [...new Set([...link.contents, ...sent.choices.map(({ content }) => content)])];
	if (votes && link.team && approver !== undefined) {
		const team = castVotes(link.team, votes);
		if (!team) return false;
		link.team = team;
		addComment(page, sent.comment && `${team.approvers[approver].name}: ${sent.comment}`);
		return true;
	}
	if (link.sent) return false;
	link.sent = sent;
	Object.assign(page.answers, answers);
	addComment(page, sent.comment);
	return true;
}

function addComment(page: NonNullable<RunningRecord['page']>, comment: string | undefined): void {
	if (comment) page.comment = [page.comment, comment].filter(Boolean).join('\n');
}
