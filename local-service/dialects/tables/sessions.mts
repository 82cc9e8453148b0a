// The status object of a session in other shapes than the document shows.
import { isObject } from '../../json.mts';
import type { Dialect } from '../dialect.mts';
import { withSession } from '../values/options.mts';
import { body } from './answers.mts';

interface Status {
	status: string;
	pendingInteractions: Array<{ id: string }>;
}

/** @param at where the status object is then, if the package has to be told */
const toStatus = (
	summary: string,
	group: string,
	change: (status: Status) => unknown,
	at?: string,
): Dialect => ({
	summary,
	group,
	answers: Object.fromEntries(
		withSession.map((operationId) => [
			operationId,
			body<unknown>((status) => (isObject(status) ? change(status as unknown as Status) : status)),
		]),
	),
	...(at !== undefined && { readAt: { getAgentSession: { session: at } } }),
});

export const sessionForms = {
	'status-in-capitals': toStatus(
		"A session's status is in capitals: COMPLETED",
		'status words',
		({ status, ...others }) => ({ ...others, status: status.toUpperCase() }),
	),
	'pending-as-map': toStatus(
		'Pending interactions are a map by id',
		'pending interactions',
		({ pendingInteractions, ...others }) => ({
			...others,
			pendingInteractions: Object.fromEntries(pendingInteractions.map((each) => [each.id, each])),
		}),
	),
	'pending-below-data': toStatus(
		'Pending interactions are a list in pendingInteractions.data',
		'pending interactions',
		({ pendingInteractions, ...others }) => ({
			...others,
			pendingInteractions: { data: pendingInteractions },
		}),
	),
	'pending-elsewhere': toStatus(
		'Pending interactions are in data.pendingInteractions, beside the status',
		'pending interactions',
		({ pendingInteractions, ...others }) => ({ ...others, data: { pendingInteractions } }),
	),
	'session-usage': toStatus('A session has its usage and cost', 'usage', (session) => ({
		...session,
		usage: { inputTokens: 5200, outputTokens: 340 },
		cost: 0.12,
	})),
	'session-in-data': toStatus('A session is in data', 'sessions', (data) => ({ data })),
	'session-in-session': toStatus('A session is in session', 'sessions', (session) => ({ session })),
	'session-elsewhere': toStatus(
		'A session is in result.run',
		'sessions',
		(run) => ({ result: { run } }),
		'result.run',
	),
} satisfies Record<string, Dialect>;
