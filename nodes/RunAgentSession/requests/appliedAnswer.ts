import type { Interaction } from '../../shared/client/session';
import { isRecord } from '../../shared/values';
import { askVerdict, findObstacle, type Ruling } from '../policy/rules';
import type { Answer } from './answer';
import { findMismatch } from './request';

/** An approver's answer to the requests that they saw */
export type AppliedAnswer = Answer & {
	asked: readonly Interaction[];
	sessionId: string;
	comment?: string;
};

/** Returns what an answer says about a pending request. Nothing, if the approver saw another one. */
export function decideByAnswer(pending: unknown, answer: AppliedAnswer): Ruling {
	const obstacle = findObstacle(pending);
	if (obstacle !== undefined || !isRecord(pending)) return askVerdict(String(obstacle));
	if (answer.answer === 'none') return askVerdict(`nobody answered: ${answer.because}`);
	if (answer.answer === 'text') return askVerdict('a text only answers questions');
	const mismatch = findMismatch(answer, pending);
	if (mismatch !== undefined) return askVerdict(mismatch);
	const { comment } = answer;
	return {
		decision: answer.answer,
		decidedBy: 'answer',
		...(comment !== undefined && { comment }),
	};
}
