// Proxies between a service and its callers, such as the login of a network, which answer instead of the service.
import { namedOperations } from '../../../openapi/contract.mts';
import type { FaultRule } from '../../faults.mts';
import type { OperationId } from '../assumed-requests.mts';
import type { Dialect } from '../dialect.mts';

/** A table with an entry for every operation that changes something, and those that only ask with a POST. */
export const everyWrite = <T,>(entry: T): Partial<Record<OperationId, T>> =>
	Object.fromEntries(
		namedOperations
			.filter(({ method }) => method !== 'GET')
			.map(({ operationId }) => [operationId, entry]),
	);

const answers = (summary: string, kind: FaultRule['kind'], process: boolean): Dialect => ({
	summary,
	group: 'intermediaries',
	between: everyWrite({ kind, process }),
});

export const intermediaries = {
	'web-page-everywhere': {
		summary: 'A web page with status 200 answers every request',
		group: 'intermediaries',
		between: Object.fromEntries(
			namedOperations.map(({ operationId }) => [operationId, { kind: 'html' }]),
		),
	},
	'web-page-instead': answers(
		'A web page with status 200 answers instead of acting',
		'html',
		false,
	),
	'web-page-after': answers('A web page with status 200 answers after acting', 'html', true),
	'redirect-instead': answers('A redirect to a login answers instead of acting', 'redirect', false),
	'redirect-after': answers('A redirect answers after acting', 'redirect', true),
} satisfies Record<string, Dialect>;
