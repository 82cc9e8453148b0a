import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { WorkspaceAutomationError, type ErrorContext } from '../shared/base/errors';
import { excerpt } from '../shared/base/values';
import { shownRequests, withAbout } from './askedInteractions';
import { question } from './question';
import type { RunResult } from './runSession';

/** The node's outputs in their order; a failed session has none, it raises an error. What is parked has to be on the first. */
const OUTPUTS = {
	memory: ['completed', 'needsApproval', 'stillRunning'],
	database: ['stillRunning', 'completed', 'needsApproval'],
} as const;
export type Wait = keyof typeof OUTPUTS;

export const OUTPUT_NAMES = {
	memory: ['Completed', 'Needs Approval', 'Still Running'],
	database: ['Waiting', 'Completed', 'Needs Approval'],
} as const satisfies Record<Wait, readonly string[]>;

/** The `status` that a model reads when the node is its tool, where there is only one output. */
const TOOL_STATUS: Record<RunResult['kind'], string> = {
	completed: 'completed',
	failed: 'failed',
	needsApproval: 'needs_approval',
	stillRunning: 'still_running',
};

/** What a person is asked: the requests that the question shows are those that the item holds and the answer decides. */
function asked({ session, about, projectId, undecided }: RunResult, asTool: boolean) {
	const { sessionId } = session;
	const shown = shownRequests(undecided.map(({ interaction }) => interaction));
	const more = undecided.length - shown.length;
	return {
		// A model answers nothing, and pays for every word.
		pendingInteractions: asTool ? shown : withAbout(shown, { ...about, sessionId }),
		undecided: undecided.map(({ interaction: { id }, because }) => ({
			interactionId: id,
			because,
		})),
		question: question({ ...session, ...about, projectId, interactions: shown, more }),
	};
}

/** The output item of a result. Never has a key `error`: n8n's Retry On Fail would take it for a failure. */
export function toJson(result: RunResult, asTool = false): IDataObject {
	const { kind, session, decisions, warnings, pollCount, durationMs } = result;
	const { latestMessage, latestTool, lastActivityAt } = session;
	const json: Record<string, unknown> = {
		sessionId: session.sessionId,
		dashboardUrl: session.dashboardUrl,
		status: asTool ? TOOL_STATUS[kind] : session.status,
		// Until the agent speaks, the latest message is what it was told.
		text: latestMessage?.role === 'user' ? '' : (latestMessage?.text ?? ''),
		...(kind === 'needsApproval' && asked(result, asTool)),
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

/** What a Waiting item has beside what came in, which the parameters may speak of again */
interface Marks {
	sessionId?: string;
	dashboardUrl?: string;
	/** A failure waits for the sessions of the others, as it does in memory: then the node fails. */
	heldFailure?: { message: string; description?: string; context?: ErrorContext };
}

const marked = (item: INodeExecutionData, marks: Marks): INodeExecutionData => ({
	...item,
	json: { ...item.json, ...(marks as IDataObject) },
});

/** The item of a session that n8n parks. */
export const parkedItem = (
	item: INodeExecutionData,
	{ session: { sessionId, dashboardUrl } }: RunResult,
): INodeExecutionData => marked(item, { sessionId, dashboardUrl });

/** The item of a failure, where n8n parks the sessions of other items. */
export function failedItem(item: INodeExecutionData, reason: unknown): INodeExecutionData {
	const { message, description, context } = reason as WorkspaceAutomationError;
	return marked(item, { heldFailure: { message, description, context } });
}

/** The failure of an earlier round that an item holds */
export function heldFailure({ json }: INodeExecutionData): WorkspaceAutomationError | undefined {
	const { heldFailure: held } = json as Marks;
	return held && new WorkspaceAutomationError(held.message, held.description ?? '', held.context);
}
