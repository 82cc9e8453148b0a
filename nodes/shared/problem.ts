import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { Stopped } from './clock';

/** What is known about a failure besides its two sentences. Everything here may be shown and logged: never a secret. */
export interface Facts {
	/** HTTP status of the answer; absent where there was none */
	httpStatus?: number;
	/** `error.code`, `error.message` and `error.doc_url` of the service's error envelope */
	code?: string;
	serviceMessage?: string;
	docUrl?: string;
	/** Seconds that the service asked to wait */
	retryAfter?: number;
	sessionId?: string;
	dashboardUrl?: string;
}

/**
 * Something that a person has to know about: `message` says what happened, `description` how to get unstuck.
 * It is the only error that the rooms below a node's `execute` throw on purpose; `toNodeError` turns it into n8n's own.
 */
export class Problem extends Error {
	readonly description: string;

	readonly facts: Facts;

	constructor(message: string, description: string, facts: Facts = {}) {
		super(message);
		this.description = description;
		this.facts = facts;
	}
}

/** A request that may or may not have been carried out, and must not be sent again. */
export class Unclear extends Problem {}

/** Whether an error tells for sure that a request did nothing: it was refused, or never sent. */
export const nothingHappened = (error: unknown) =>
	error instanceof Stopped || (error instanceof Problem && !(error instanceof Unclear));

/** The result of `work`, or the `Problem` that it ended in, as a value to decide on. Anything else that is thrown goes on. */
export async function orProblem<T>(work: Promise<T>): Promise<T | Problem> {
	return await work.catch((error: unknown) => {
		if (error instanceof Problem) return error;
		throw error;
	});
}

/** The problem with the session added that it happened in, so that nobody has to search for what may still be running. */
export function inSession(
	problem: Problem,
	session: { sessionId: string; dashboardUrl?: string },
): Problem {
	if (problem.facts.sessionId) return problem;
	const { sessionId, dashboardUrl } = session;
	const where = `Session ${sessionId}${dashboardUrl ? `, ${dashboardUrl}` : ' (its dashboard URL is not known yet)'}.`;
	return new Problem(problem.message, `${problem.description} ${where}`, {
		...problem.facts,
		sessionId,
		dashboardUrl,
	});
}

/**
 * n8n's error for whatever was thrown. Answers of the service become a `NodeApiError` (with `httpCode`), everything else a
 * `NodeOperationError`; both carry the facts in `context`. Errors that are not a `Problem` are bugs and keep their own message.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		error.context.itemIndex ??= itemIndex;
		return error;
	}
	if (!(error instanceof Problem)) {
		return new NodeOperationError(node, error instanceof Error ? error : String(error), {
			itemIndex,
		});
	}
	const { message, description, facts } = error;
	const result =
		facts.httpStatus === undefined
			? new NodeOperationError(node, message, { description, itemIndex })
			: new NodeApiError(node, { ...facts } as JsonObject, {
					message,
					description,
					httpCode: String(facts.httpStatus),
					itemIndex,
				});
	// n8n rewrites a message that happens to contain a system error code (ENOENT, ...), such as a session's own error text.
	result.message = message;
	Object.assign(result.context, facts);
	return result;
}

/**
 * What an item that failed carries on when the node is set to continue on errors: `error` says what happened, `message` how to
 * get unstuck and where. n8n recognises an item for the error output by these two keys and no others, up to 1.123 exactly so;
 * where the item stays on its output it has the facts beside them. (An `error` on the item itself would do for both, but the
 * engine then drops all of this.)
 */
export function errorJson(node: INode, error: NodeApiError | NodeOperationError): IDataObject {
	const told = { error: error.message, message: error.description ?? error.message };
	if (node.onError === 'continueErrorOutput') return told;
	const { httpStatus, code, docUrl, sessionId, dashboardUrl } = error.context as Facts;
	const facts = { httpStatus, code, docUrl, sessionId, dashboardUrl };
	return {
		...told,
		...(Object.fromEntries(
			Object.entries(facts).filter(([, value]) => value !== undefined),
		) as IDataObject),
	};
}
