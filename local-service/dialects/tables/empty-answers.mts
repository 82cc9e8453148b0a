import type { Dialect } from '../dialect.mts';
import { empty } from './answers.mts';

/** Wherever the API document promises no answer, there is none. */
export const emptyAnswers: Dialect = {
	summary: 'Answers have no body if the document promises none',
	answers: {
		sendAgentMessage: empty(202),
		abortAgentSession: empty(204),
		resolveInteraction: empty(204),
		createFile: empty(201),
		renameFile: empty(204),
		moveFile: empty(200),
		createProduct: empty(201),
		updateProduct: empty(204),
	},
};
