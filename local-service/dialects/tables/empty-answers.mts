import type { Dialect } from '../dialect.mts';
import { empty } from './answers.mts';
import { everyWrite } from './between.mts';

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
		deleteCustomDomain: empty(204),
		createProduct: empty(201),
		updateProduct: empty(204),
	},
};

/** Proxies and frameworks that take a success for all that there is to say. */
export const nothingToSay: Dialect = {
	summary: 'Everything but a GET is answered by 204',
	answers: everyWrite(empty(204)),
};
