import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** Facts that may be shown and logged, never a secret */
export interface ErrorContext {
	httpStatus?: number;
	/** Like the next two, from the service's error envelope (API document, Errors) */
	code?: string;
	serviceMessage?: string;
	docUrl?: string;
	/** Seconds */
	retryAfter?: number;
	sessionId?: string;
	dashboardUrl?: string;
	/** IDs of the sessions before, with Retry On Fail */
	earlierSessions?: string[];
	decisions?: unknown[];
}

/** The only error thrown on purpose below a node's `execute`. `message` names the failure, and `description` the way out. */
export class WorkspaceAutomationError extends Error {
	description: string;

	/** Set for a response: a rejection by the service, or something that isn't the service's response */
	kind?: 'rejected' | 'unusable';

	/** What became of the request, if no response came: `unsent` never reached the service */
	attempt?: string;

	/** The description without the advice, if the two can be separated */
	facts?: string;

	readonly context: ErrorContext;

	constructor(message: string, description: string, context: ErrorContext = {}) {
		super(message);
		this.description = description;
		this.context = context;
	}
}

/** A request that may or may not have taken effect, and must not be sent again. */
export class IndeterminateError extends WorkspaceAutomationError {}

/** The session has failed, or the node has aborted it, so that a retry starts another one. */
export class SessionOverError extends WorkspaceAutomationError {}

/** The time to wait for a session has passed, and it runs on. Only a person's retry waits for it again. */
export class StillRunningError extends WorkspaceAutomationError {}

export const indeterminateError = (
	{ message, description }: { message: string; description: string },
	happened: string,
	context?: ErrorContext,
): IndeterminateError =>
	new IndeterminateError(message, `${description} What happened: ${happened}`, context);

export class CanceledError extends Error {
	/** True if a non-idempotent request may have reached the service before Stop */
	readonly mayHaveTakenEffect: boolean;

	constructor(mayHaveTakenEffect = false) {
		super('The execution was canceled');
		this.mayHaveTakenEffect = mayHaveTakenEffect;
	}
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new CanceledError();
}

/** Returns whether an error proves that a request took no effect: it was refused, or never sent. */
export function hadNoEffect(error: unknown): boolean {
	if (error instanceof CanceledError) return !error.mayHaveTakenEffect;
	return error instanceof WorkspaceAutomationError && !(error instanceof IndeterminateError);
}

/** Returns a `WorkspaceAutomationError` as a value to decide on. Other errors are rethrown. */
export async function resultOrError<T>(work: Promise<T>): Promise<T | WorkspaceAutomationError> {
	return await work.catch((error: unknown) => {
		if (error instanceof WorkspaceAutomationError) return error;
		throw error;
	});
}

/** Adds the session, its decisions and remarks, and keeps the error's class and its own context. */
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
	const hasSession = error.context.sessionId !== undefined;
	const where = `Session ${sessionId}${dashboardUrl ? `, ${dashboardUrl}` : " (its dashboard URL isn't known yet)"}.`;
	const description = [error.description, ...(hasSession ? [] : [where]), ...remarks].join(' ');
	const ErrorClass =
		[IndeterminateError, SessionOverError, StillRunningError].find(
			(each) => error instanceof each,
		) ?? WorkspaceAutomationError;
	return new ErrorClass(error.message, description, context);
}

/** Converts any error to n8n's own. An error other than a `WorkspaceAutomationError` is a bug and keeps its message. */
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
 * Returns the JSON of a failed item. n8n (up to 1.123) recognizes one for the error output by these two keys and no others.
 * An `error` on the item itself would work too, but then the engine drops all of this.
 * @param isMarked true if the caller marks the item for the error output in another way
 */
export function errorJson(
	node: INode,
	error: NodeApiError | NodeOperationError,
	isMarked = false,
): IDataObject {
	const explanation = { error: error.message, message: error.description ?? error.message };
	if (node.onError === 'continueErrorOutput' && !isMarked) return explanation;
	const { httpStatus, code, docUrl, sessionId, dashboardUrl, decisions } =
		error.context as ErrorContext;
	const context = { httpStatus, code, docUrl, sessionId, dashboardUrl, decisions };
	const knownContext = Object.entries(context).filter(([, value]) => value !== undefined);
	return { ...explanation, ...(Object.fromEntries(knownContext) as IDataObject) };
}

/** Loads code on first use. Its file names contain a hash, so an update of a running n8n never mixes two versions. */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
	return await load().catch((error: unknown) => {
		if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error;
		throw new WorkspaceAutomationError(
			'The package was updated while n8n was running',
			'Run the workflow again. If that also fails, restart n8n and its workers.',
		);
	});
}
