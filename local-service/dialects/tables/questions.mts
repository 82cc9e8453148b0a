// The agent's questions in other forms. The document shows none.
import { isObject } from '../../json.mts';
import type { Dialect } from '../dialect.mts';
import { isPermission, withSession } from '../values/options.mts';
import { body } from './answers.mts';

type Question = Record<string, unknown>;

const toQuestion = (summary: string, change: (question: Question) => Question): Dialect => ({
	summary,
	group: 'questions',
	answers: Object.fromEntries(
		withSession.map((operationId) => [
			operationId,
			body<unknown>((session) =>
				isObject(session) && Array.isArray(session.pendingInteractions)
					? {
							...session,
							pendingInteractions: session.pendingInteractions.map((each) =>
								isObject(each) && !isPermission(each) ? change(each) : each,
							),
						}
					: session,
			),
		]),
	),
});

export const questionForms = {
	'questions-in-text': toQuestion("A question's text is in text", ({ question, ...others }) => ({
		...others,
		text: question,
	})),
} satisfies Record<string, Dialect>;
