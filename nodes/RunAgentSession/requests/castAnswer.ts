import { findQuestion, positionIn, type Question } from './questions';
import { isOpen, recordVotes, type RequestRecord } from './record';
import { castVote, type Vote } from './votes';

/** One answer of the approval page, for a request with this content */
export interface FormAnswer {
	contentHash: string;
	/** The request's ID when it was answered. Several requests may have the same content. */
	id: string;
	vote: Omit<Vote, 'approver' | 'name'>;
}

/** Returns whether a record has the approver's answer already: n8n may bring an answer twice. */
function isCast(
	requests: readonly RequestRecord[],
	{ contentHash, id, vote }: FormAnswer,
	position: number,
): boolean {
	const same = requests.filter((record) => record.contentHash === contentHash);
	const isListed = same.some((record) => record.id === id);
	return same.some(
		(record) =>
			(record.id === id || !isListed) &&
			record.votes.some(({ approver, at }) => approver === position && at === vote.at),
	);
}

/**
 * Casts the vote of a link's approver. It replaces the approver's earlier one, until a decision is sent.
 * @returns the records after it, or undefined if it doesn't count: nothing with this content is open, or a later answer was given
 */
export function castAnswer(
	{ requests, questions }: { requests: RequestRecord[]; questions: readonly Question[] },
	own: Question,
	approver: number,
	answer: FormAnswer,
): RequestRecord[] | undefined {
	const { contentHash, id, vote } = answer;
	const open = requests.filter((record) => record.contentHash === contentHash && isOpen(record));
	const record = open.find((each) => each.id === id) ?? open[0];
	const question = record && findQuestion(questions, record);
	const position = question ? positionIn(question, own.approvers[approver], own) : -1;
	if (!question || position < 0 || isCast(requests, answer, position)) return undefined;
	const { name } = question.approvers[position];
	const named = { ...vote, approver: position, ...(name !== undefined && { name }) };
	const votes = castVote(record.votes, named);
	return votes && recordVotes(requests, record, votes);
}
