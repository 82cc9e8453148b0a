import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	CanceledError,
	hadNoEffect,
	IndeterminateError,
	WorkspaceAutomationError,
	type ErrorContext,
} from '../shared/base/errors';
import { toNodeError } from '../shared/base/nodeErrors';
import { excerpt } from '../shared/base/values';
import { comesFromItself } from '../shared/n8n/wires';
import { withResult } from './endings';
import type { RunResult } from './run';

// What the node says where sessions fail.

export type Results = ReadonlyArray<PromiseSettledResult<RunResult>>;

/** What a failed session is reported as. */
export function sessionFailed(result: RunResult): WorkspaceAutomationError {
	const { session, decisions, warnings } = result;
	const advice = decisions.some(({ decision }) => decision === 'deny')
		? 'A permission that it asked for was denied, which may be why. Look at the session in the dashboard.'
		: 'Look at the session in the dashboard, then run the workflow again or continue the session with a message.';
	const error = new WorkspaceAutomationError(
		`The agent session failed: ${excerpt(session.error ?? 'the service gave no reason', 500)}`,
		[advice, ...warnings].join(' '),
	);
	return withResult(error, session, decisions);
}

/** The error of the first item that failed, which names all the others: the node stops, and nobody else tells of them. */
export function allFailures(context: IExecuteFunctions, results: Results): Error | undefined {
	const [first, ...others] = results.flatMap((result, itemIndex) =>
		result.status === 'rejected' ? [{ itemIndex, reason: result.reason as Error }] : [],
	);
	if (!first) return undefined;
	const error = toNodeError(context.getNode(), first.reason, first.itemIndex);
	if (others.length === 0) return error;
	const named = others.map(({ itemIndex, reason }) => {
		const { sessionId, dashboardUrl } =
			reason instanceof WorkspaceAutomationError ? reason.context : {};
		const session = sessionId
			? ` (session ${[sessionId, dashboardUrl].filter(Boolean).join(', ')})`
			: '';
		return `Item ${itemIndex}: ${reason.message}${session}.`;
	});
	error.description = [error.description, 'Other items failed as well.', ...named].join(' ');
	return error;
}

/** The error after Stop, which drops all items. It says where nobody knows what became of a request. */
export function canceled(context: IExecuteFunctions, results: Results): Error {
	const unknown = results.flatMap((result, itemIndex) => {
		const reason: unknown = result.status === 'rejected' && result.reason;
		const isKnown = reason instanceof CanceledError || reason instanceof IndeterminateError;
		return isKnown && !hadNoEffect(reason) ? [`Item ${itemIndex}`] : [];
	});
	const description = `${unknown.join(', ')}: it is not known whether a request that was under way took effect. It may have started a session: look in the dashboard before you run the workflow again.`;
	return new NodeOperationError(context.getNode(), 'The execution was canceled', {
		description: unknown.length > 0 ? description : undefined,
	});
}

/** What an item has that failed while n8n parks the sessions of others: the node fails when they have ended, as it does in memory. */
type Held = { heldFailure?: { message: string; description?: string; context?: ErrorContext } };

export const hold = ({ message, description, context }: WorkspaceAutomationError): Held => ({
	heldFailure: { message, description, context },
});

/** The failure of an earlier round that an item holds. */
export function heldFailure(
	context: IExecuteFunctions,
	{ json }: INodeExecutionData,
): WorkspaceAutomationError | undefined {
	const { heldFailure: held } = json as Held;
	if (!held || !comesFromItself(context)) return undefined;
	return new WorkspaceAutomationError(held.message, held.description ?? '', held.context);
}
