import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** Facts about a failure. Everything in it may be shown and logged: never a secret. */
export interface ErrorContext {
	/** HTTP status of the response; absent where there was none */
	httpStatus?: number;
	/** `error.code`, `error.message` and `error.doc_url` of the service's error envelope (API document, Errors) */
	code?: string;
	serviceMessage?: string;
	docUrl?: string;
	/** Seconds that the service asked to wait */
	retryAfter?: number;
	sessionId?: string;
	dashboardUrl?: string;
	/** The approval requests that were decided before the failure */
	decisions?: unknown[];
}

/**
 * An error that a person has to act on: `message` says what happened, `description` how to get unstuck. It is the only error
 * that the code below a node's `execute` throws on purpose; `toNodeError` turns it into n8n's own classes.
 */
export class WorkspaceAutomationError extends Error {
	description: string;

	/** Set for a response: the service rejected the request, or something responded that isn't the service */
	kind?: 'rejected' | 'unusable';

	readonly context: ErrorContext;

	constructor(message: string, description: string, context: ErrorContext = {}) {
		super(message);
		this.description = description;
		this.context = context;
	}
}

/** A request that may or may not have taken effect, and must not be sent again. */
export class IndeterminateError extends WorkspaceAutomationError {}

/** The error for one of which nobody can tell, by what there is to say of it and what happened */
export const indeterminateError = (
	{ message, description }: { message: string; description: string },
	happened: string,
	context?: ErrorContext,
): IndeterminateError =>
	new IndeterminateError(message, `${description} What happened: ${happened}`, context);

/** Thrown out of a wait or a request when the execution is stopped. */
export class CanceledError extends Error {
	/** True if a request that must not be repeated may have reached the service before the stop */
	readonly mayHaveTakenEffect: boolean;

	constructor(mayHaveTakenEffect = false) {
		super('The execution was canceled');
		this.mayHaveTakenEffect = mayHaveTakenEffect;
	}
}

/** @throws CanceledError when the execution was stopped */
export function throwIfAborted(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new CanceledError();
}

/** Returns whether an error proves that a request took no effect: it was refused, or never sent. */
export function hadNoEffect(error: unknown): boolean {
	if (error instanceof CanceledError) return !error.mayHaveTakenEffect;
	return error instanceof WorkspaceAutomationError && !(error instanceof IndeterminateError);
}

/** The result of `work`, or the `WorkspaceAutomationError` it failed with, as a value to decide on. Others are rethrown. */
export async function resultOrError<T>(work: Promise<T>): Promise<T | WorkspaceAutomationError> {
	return await work.catch((error: unknown) => {
		if (error instanceof WorkspaceAutomationError) return error;
		throw error;
	});
}

/**
 * The error with its session added, and the decisions, so that nobody has to search for a running session. What is known
 * already wins.
 * Keeps the class of the error.
 * @param remarks sentences that a person should read, too
 */
export function addSession(
	error: WorkspaceAutomationError,
	{
		sessionId,
		dashboardUrl,
		decisions = [],
	}: { sessionId: string; dashboardUrl?: string; decisions?: unknown[] },
	remarks: string[] = [],
): WorkspaceAutomationError {
	const decided = decisions.length > 0 && { decisions };
	const context = { sessionId, dashboardUrl, ...decided, ...error.context };
	const named = error.context.sessionId !== undefined;
	const where = `Session ${sessionId}${dashboardUrl ? `, ${dashboardUrl}` : " (its dashboard URL isn't known yet)"}.`;
	const description = [error.description, ...(named ? [] : [where]), ...remarks].join(' ');
	const ErrorClass =
		error instanceof IndeterminateError ? IndeterminateError : WorkspaceAutomationError;
	return new ErrorClass(error.message, description, context);
}

/**
 * Converts any error to n8n's error. Responses of the service become a `NodeApiError` (with `httpCode`), everything else a
 * `NodeOperationError`; both carry the error's context. Anything that is not a `WorkspaceAutomationError` is a bug and keeps its
 * own message.
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
	if (!(error instanceof WorkspaceAutomationError)) {
		return new NodeOperationError(node, error instanceof Error ? error : String(error), {
			itemIndex,
		});
	}
	const { message, description, context } = error;
	const result =
		context.httpStatus === undefined
			? new NodeOperationError(node, message, { description, itemIndex })
			: new NodeApiError(node, { ...context } as JsonObject, {
					message,
					description,
					httpCode: String(context.httpStatus),
					itemIndex,
				});
	// n8n rewrites a message that happens to contain a system error code (ENOENT, ...), such as a session's own error text.
	result.message = message;
	Object.assign(result.context, context);
	return result;
}

/**
 * The JSON of an item that failed, for a node that continues on errors: `error` says what happened, `message` how to get
 * unstuck. n8n recognizes an item for the error output by these two keys and no others, up to 1.123 exactly so; where the item
 * stays on its output it has the context beside them. (An `error` on the item itself would do for both, but then the engine
 * drops all of this.)
 */
export function errorJson(node: INode, error: NodeApiError | NodeOperationError): IDataObject {
	const told = { error: error.message, message: error.description ?? error.message };
	if (node.onError === 'continueErrorOutput') return told;
	const { httpStatus, code, docUrl, sessionId, dashboardUrl, decisions } =
		error.context as ErrorContext;
	const context = { httpStatus, code, docUrl, sessionId, dashboardUrl, decisions };
	const known = Object.entries(context).filter(([, value]) => value !== undefined);
	return { ...told, ...(Object.fromEntries(known) as IDataObject) };
}
