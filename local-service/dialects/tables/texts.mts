// Texts in another form than they were sent, or in other bytes.
import { namedOperations } from '../../../openapi/contract.mts';
import { isObject } from '../../json.mts';
import type { ChangeAnswer, Dialect } from '../dialect.mts';
import { body } from './answers.mts';
import type { List } from './lists.mts';

const prefixRule = (task: unknown): unknown =>
	isObject(task) && typeof task.rrule === 'string'
		? { ...task, rrule: `RRULE:${task.rrule.replace(/^RRULE:/, '')}` }
		: task;

const inLatin1: ChangeAnswer = (answer) => ({
	...answer,
	headers: { ...answer.headers, 'content-type': 'application/json; charset=iso-8859-1' },
});

export const texts = {
	'prefixed-rules': {
		summary: 'The recurrence rule of a task begins with RRULE:',
		answers: {
			listTasks: body<List>((list) => ({ ...list, data: list.data.map(prefixRule) })),
			getTask: body(prefixRule),
			updateTask: body(prefixRule),
		},
	},
	'latin-1': {
		summary: 'Every answer is in ISO-8859-1, as its Content-Type says',
		answers: Object.fromEntries(namedOperations.map(({ operationId }) => [operationId, inLatin1])),
	},
} satisfies Record<string, Dialect>;
