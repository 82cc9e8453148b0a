// Answers of the approval page: read from one form, and made up.
import {
	isProblem,
	readForms,
	type FormAnswer,
	type FormProblem,
	type PageForm,
} from '../../nodes/RunAgentSession/page/view.ts';
import type { Ballot, LinkAnswer } from '../../nodes/RunAgentSession/requests/ballots.ts';
import {
	requestKey,
	type RequestRecord,
} from '../../nodes/RunAgentSession/requests/requestRecord.ts';

export function readForm(form: PageForm, body: unknown): FormAnswer[] | FormProblem {
	const read = readForms([{ pending: form }], body);
	return isProblem(read) ? read : read[0];
}

/** Returns the answer of an approver's link to a request. */
export const answerTo = (
	ballot: Ballot,
	record: RequestRecord,
	{
		at = 1,
		approver = 0,
		...vote
	}: Partial<LinkAnswer['vote']> & { at?: number; approver?: number } = {},
): LinkAnswer => ({
	link: ballot.approvers[approver].nonce,
	request: requestKey(record),
	vote: { decision: 'approve', option: 'once', choice: 'Approve once', ...vote },
	at,
	form: '',
});
