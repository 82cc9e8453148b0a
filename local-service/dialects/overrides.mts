// Requests in a mixture of dialects, and the credential's Overrides for it.
import {
	assumedAnswer,
	assumedRequests,
	operationIds,
	type OperationId,
	type RequestTemplate,
} from './assumed-requests.mts';
import type { Dialect, Override, Overrides } from './dialect.mts';
import { mergeTemplates, type Template } from './templates.mts';

export interface DialectRequest extends RequestTemplate {
	/** Only where it is not the contract's */
	version?: string;
}

/** A request in a mixture of dialects: each moves what it names, the later ones last. */
export const findRequest = (
	dialects: readonly Dialect[],
	operationId: OperationId,
): DialectRequest =>
	dialects.reduce<DialectRequest>((request, { requests }) => {
		const { query, body, ...others } = requests?.[operationId] ?? {};
		return {
			...request,
			...others,
			...(query && {
				// Laid over a query, a query results
				query: mergeTemplates(request.query, query) as Record<string, string>,
			}),
			...(body !== undefined && { body: mergeTemplates(request.body, body) }),
		};
	}, assumedRequests[operationId]);

/** The body that answers a question in a mixture of dialects. */
export const findQuestionAnswer = (dialects: readonly Dialect[]): Template =>
	dialects.reduce<Template>(
		(body, { questionAnswer }) =>
			questionAnswer === undefined ? body : mergeTemplates(body, questionAnswer),
		assumedAnswer,
	);

/** Returns the differing parts of a request as a whole, in the format of Overrides. */
function getOverride(dialects: readonly Dialect[], operationId: OperationId): Override {
	const assumed: DialectRequest = assumedRequests[operationId];
	const request = findRequest(dialects, operationId);
	const differs = (field: keyof DialectRequest) =>
		JSON.stringify(request[field]) !== JSON.stringify(assumed[field]);
	const response = Object.assign({}, ...dialects.map(({ readAt }) => readAt?.[operationId]));
	const words = Object.assign({}, ...dialects.map((dialect) => dialect.words?.[operationId]));
	return {
		...(differs('method') && { method: request.method }),
		...(differs('path') && { path: request.path }),
		...(differs('query') && { query: request.query }),
		...(differs('body') && { body: request.body }),
		...(differs('version') && { version: request.version }),
		...(Object.keys(response).length > 0 && { response }),
		...(Object.keys(words).length > 0 && { words }),
	};
}

/** The Overrides without which the package does not work with these dialects; empty when it needs none. */
export function getOverrides(dialects: readonly Dialect[]): Overrides {
	const answer = findQuestionAnswer(dialects);
	return {
		...Object.fromEntries(
			operationIds
				.map((operationId) => [operationId, getOverride(dialects, operationId)] as const)
				.filter(([, override]) => Object.keys(override).length > 0),
		),
		...(answer !== assumedAnswer && { answerQuestion: { body: answer } }),
	};
}
