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

const namedOption = (option: unknown) =>
	isObject(option) ? { id: option.value, name: option.label } : { id: option, name: option };

export const questionForms = {
	'questions-in-message': toQuestion(
		"A question's text is in message, and its options are {id, name}",
		({ question, title, response, options, ...others }) => {
			const offered = isObject(response) ? response.options : options;
			return {
				...others,
				message: question ?? title,
				...(Array.isArray(offered) && { options: offered.map(namedOption) }),
			};
		},
	),
	'questions-in-response': toQuestion(
		"A question's text and options, in a group, are in response",
		({ question, title, response, options, ...others }) => {
			const offered = isObject(response) ? response.options : options;
			const groups = [{ label: 'Answers', options: offered }];
			return {
				...others,
				response: { prompt: question ?? title, ...(Array.isArray(offered) && { options: groups }) },
			};
		},
	),
} satisfies Record<string, Dialect>;
