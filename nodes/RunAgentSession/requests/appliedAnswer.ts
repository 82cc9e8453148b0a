import {
	checkQuestionAnswer,
	isQuestion,
	readQuestion,
} from '../../shared/approvals/agentQuestion';
import type { OptionPreferences } from '../../shared/approvals/options';
import type { Interaction } from '../../shared/client/session';
import { WorkspaceAutomationError } from '../../shared/errors';
import { askVerdict, type AskVerdict } from '../policy/rules';
import type { Answer } from './answer';
import { LEFT_QUESTION, chooseVerdict } from './decisions';
import { findMismatch } from './request';
import type { RequestVerdict } from './votes';

/** An approver's answer to the requests that they saw */
export type AppliedAnswer = Answer & {
	asked: readonly Interaction[];
	sessionId: string;
	comment?: string;
};

export type SettledAnswer = Exclude<AppliedAnswer, { answer: 'none' }>;

/** Returns what an answer says about a pending request that the approver saw. @throws WorkspaceAutomationError if a question doesn't take it */
export function decideByAnswer(
	pending: Interaction,
	answer: SettledAnswer,
	preferences: OptionPreferences,
): RequestVerdict | AskVerdict {
	const isAsked = isQuestion(pending);
	if (isAsked !== (answer.answer === 'text'))
		return isAsked ? LEFT_QUESTION : askVerdict('a text only answers questions');
	const mismatch = findMismatch(answer, pending);
	if (mismatch !== undefined) return askVerdict(mismatch);
	const comment = answer.comment === undefined ? {} : { comment: answer.comment };
	if (answer.answer !== 'text') {
		const ruling = { decision: answer.answer, decidedBy: 'answer', ...comment };
		return chooseVerdict(pending, ruling, preferences);
	}
	const verdict = answerQuestion(pending, answer.text, 'answer');
	if ('reason' in verdict)
		throw new WorkspaceAutomationError("'Answer' can't be sent", verdict.reason);
	return { ...verdict, ...comment };
}

export function answerQuestion(
	interaction: Interaction,
	text: string,
	decidedBy: string,
): RequestVerdict | { reason: string } {
	const answer = checkQuestionAnswer(readQuestion(interaction), text);
	if ('reason' in answer) return answer;
	const { value, isOption } = answer;
	return { decision: 'answer', option: value, ...(!isOption && { isText: true }), decidedBy };
}
