import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import {
	hadNoEffect,
	IndeterminateError,
	WorkspaceAutomationError,
	type ErrorContext,
} from '../shared/base/errors';
import { excerpt } from '../shared/base/values';
import { question } from './question';
import type { RunResult } from './runSession';

/** The node's outputs in their order; a failed session has none, it raises an error. What is parked has to be on the first. */
const OUTPUTS = {
	memory: ['completed', 'needsApproval', 'stillRunning'],
	database: ['stillRunning', 'completed', 'needsApproval'],
} as const;
export type Wait = keyof typeof OUTPUTS;

/** The `status` that a model reads when the node is its tool, where there is only one output. */
const TOOL_STATUS: Record<RunResult['kind'], string> = {
	completed: 'completed',
	failed: 'failed',
	needsApproval: 'needs_approval',
	stillRunning: 'still_running',
};

/** The output item of a result. Never has a key `error`: n8n's Retry On Fail would take it for a failure. */
export function toJson(
	{ kind, session, projectId, decisions, undecided, warnings, pollCount, durationMs }: RunResult,
	asTool = false,
): IDataObject {
	const { latestMessage, latestTool, lastActivityAt } = session;
	// What a person is asked is what the answer may decide.
	const interactions = undecided.map(({ interaction }) => interaction);
	const json: Record<string, unknown> = {
		sessionId: session.sessionId,
		dashboardUrl: session.dashboardUrl,
		status: asTool ? TOOL_STATUS[kind] : session.status,
		// Until the agent speaks, the latest message is what it was told.
		text: latestMessage?.role === 'user' ? '' : (latestMessage?.text ?? ''),
		...(kind === 'needsApproval' && {
			pendingInteractions: interactions,
			undecided: undecided.map(({ interaction: { id }, because }) => ({
				interactionId: id,
				because,
			})),
			question: question({ ...session, projectId, interactions }),
		}),
		...(kind === 'failed' && { failure: session.error ?? 'The service gave no reason' }),
		decisions,
		// A model pays for every word, and has no use for these.
		...(!asTool && { latestMessage, latestTool, lastActivityAt, pollCount, durationMs }),
		...(warnings.length > 0 && { warnings }),
	};
	return json as IDataObject;
}

/** What a failed session is reported as. */
export const sessionFailed = ({ session, decisions, warnings }: RunResult) =>
	new WorkspaceAutomationError(
		`The agent session failed: ${excerpt(session.error ?? 'the service gave no reason', 500)}`,
		[
			decisions.some(({ decision }) => decision === 'deny')
				? 'A permission that it asked for was denied, which may be why. Look at the session in the dashboard.'
				: 'Look at the session in the dashboard, then run the workflow again or continue the session with a message.',
			...warnings,
		].join(' '),
	);

/** Sorts items onto the node's outputs; as a tool only the first output is read, so everything goes there. */
export function toOutputs(
	items: Array<{ kind: RunResult['kind'] | 'error'; item: INodeExecutionData }>,
	asTool: boolean,
	wait: Wait = 'memory',
): INodeExecutionData[][] {
	const order: ReadonlyArray<RunResult['kind']> = OUTPUTS[wait];
	const outputs: INodeExecutionData[][] = order.map(() => []);
	for (const { kind, item } of items) {
		const output = order.indexOf(kind === 'error' || kind === 'failed' ? 'completed' : kind);
		outputs[asTool ? 0 : output].push(item);
	}
	return outputs;
}

/** What a Waiting item has beside what came in, which parameters may speak of again */
interface Waiting {
	sessionId?: string;
	dashboardUrl?: string;
	/** An item that failed waits for the others, as in memory: then the node fails */
	heldFailure?: { message: string; description: string; context: ErrorContext; isUnknown: boolean };
}

const waitingItem = (item: INodeExecutionData, waiting: Waiting): INodeExecutionData => ({
	...item,
	json: { ...item.json, ...(waiting as IDataObject) },
});

/** The item of a session that n8n parks: what came in, and the session. */
export const parkedItem = (
	item: INodeExecutionData,
	{ session: { sessionId, dashboardUrl } }: RunResult,
): INodeExecutionData => waitingItem(item, { sessionId, dashboardUrl });

/** The item of a failure that waits for sessions that n8n parks. */
export function heldItem(item: INodeExecutionData, reason: unknown): INodeExecutionData {
	const { message } = reason as Error;
	const { description = message, context = {} } = reason as Partial<WorkspaceAutomationError>;
	const isUnknown = !hadNoEffect(reason);
	return waitingItem(item, { heldFailure: { message, description, context, isUnknown } });
}

/** The failure that an item holds since an earlier round. */
export function failureHeldBy({ json }: INodeExecutionData): WorkspaceAutomationError | undefined {
	const { heldFailure } = json as Waiting;
	if (!heldFailure) return undefined;
	const { message, description, context, isUnknown } = heldFailure;
	const ErrorClass = isUnknown ? IndeterminateError : WorkspaceAutomationError;
	return new ErrorClass(message, description, context);
}

/** Lets a retry try again what is known to have had no effect. */
export function letGo({ json }: INodeExecutionData): void {
	if ((json as Waiting).heldFailure?.isUnknown === false) delete json.heldFailure;
}
