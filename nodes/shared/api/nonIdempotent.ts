import type { IDataObject } from 'n8n-workflow';

import {
	fetchSession,
	hasEnded,
	momentOf,
	NEW_SESSION,
	newSessionIdIn,
	type Session,
} from '../session/session';
import { answerOverride, createRequest, type Values } from './operations';
import { readPages } from './pages';
import type { OperationId } from './assumedRequests';
import type { Overrides } from './overrides';
import { IndeterminateError, resultOrError, WorkspaceAutomationError } from '../base/errors';
import { LIMITS } from '../base/limits';
import type { ApiClient, Effect, Reconciliation, SendOptions } from '../transport/apiClient';
import type { ApiResponse } from '../transport/types';
import { quote } from '../base/values';

// The operations that must not be done twice (API document, Idempotency summary): how to find out whether a request of unknown
// fate took effect, and what to say where nobody can tell. One stale reading proves nothing, so each looks for as long as a
// change may take to show.

type Reconcile = () => Promise<Effect>;

interface NonIdempotentOperation extends Reconciliation {
	/**
	 * Called before the request is sent for the first time; what it returns is called when the request's fate is unknown.
	 * Absent where the API offers no way to find out.
	 */
	prepare?: (client: ApiClient, values: Values, options: SendOptions) => Promise<Reconcile>;
}

const LOOK_INTERVAL_MS = 3_000;
/** How far the clocks of n8n and the service may be apart. */
const CLOCK_SKEW_MS = 60_000;

const UNKNOWN: Effect = { applied: 'unknown' };
const applied = (body: unknown): Effect => ({
	applied: 'yes',
	response: { status: 200, headers: {}, body },
});

/** Looks again and again until something is found or the time is over; a look that fails finds nothing. */
async function lookFor(
	{ clock }: ApiClient,
	timeoutMs: number,
	{ deadline = Infinity }: SendOptions,
	look: (options: SendOptions) => Promise<Effect | undefined>,
	otherwise: Effect,
): Promise<Effect> {
	const end = Math.min(deadline, clock.now() + timeoutMs);
	for (;;) {
		const found = await resultOrError(look({ deadline: end }));
		const failed = found instanceof WorkspaceAutomationError;
		if (found && !failed) return found;
		if (clock.now() + LOOK_INTERVAL_MS > end) return failed ? UNKNOWN : otherwise;
		await clock.sleep(LOOK_INTERVAL_MS);
	}
}

/** Whether a session that is at rest has moved, or shows the message itself. That it shows neither is no proof. */
export const messageArrived =
	(client: ApiClient, before: Session, text: string, options: SendOptions = {}): Reconcile =>
	async () => {
		const look = async (within: SendOptions) => {
			const now = await fetchSession(client, before.sessionId, within);
			const shows = ({ latestMessage }: Session) =>
				latestMessage?.role === 'user' && latestMessage.text === text;
			// A session at work moves by itself.
			const moved = hasEnded(before) && momentOf(before) !== momentOf(now);
			return moved || (shows(now) && !shows(before)) ? applied(now) : undefined;
		};
		return await lookFor(client, LIMITS.turnMs, options, look, UNKNOWN);
	};

/** Whether an interaction was resolved, told from its being listed no longer. */
export const interactionResolved =
	(
		client: ApiClient,
		sessionId: string,
		interactionId: string,
		options: SendOptions = {},
	): Reconcile =>
	async () => {
		const look = async (within: SendOptions) => {
			const now = await fetchSession(client, sessionId, within);
			const isPending = now.pendingInteractions.some(({ id }) => id === interactionId);
			return isPending ? undefined : applied(now);
		};
		return await lookFor(client, LIMITS.resolvedMs, options, look, { applied: 'no' });
	};

/** A moment in any of the forms that services use: a date-time, or seconds or milliseconds since 1970. */
function timeOf(value: unknown): number {
	if (typeof value === 'number') return value < 1e11 ? value * 1000 : value;
	return typeof value === 'string' ? Date.parse(value) : NaN;
}

/** Whether a file was created. Names are unique among siblings, so one of that name that is new is the one. */
function fileCreated(client: ApiClient, values: Values, options: SendOptions): Reconcile {
	const { projectId, parentId, name, kind } = values;
	const sentAt = client.clock.now();
	const isIt = (file: IDataObject) =>
		file.name === name &&
		(file.kind === undefined || file.kind === kind) &&
		// What is created without a folder may come back with that of My Files.
		(parentId === undefined || file.parentId === parentId);
	const look = async (within: SendOptions): Promise<Effect | undefined> => {
		const list = { operation: 'listFiles', values: { projectId, parentId } } as const;
		const found: IDataObject[] = [];
		for await (const { data } of readPages(client, list, Infinity, within))
			found.push(...data.filter(isIt));
		const fresh = found.filter(({ createdAt }) => timeOf(createdAt) >= sentAt - CLOCK_SKEW_MS);
		if (fresh.length === 1) return applied(fresh[0]);
		return found.length > 0 ? UNKNOWN : undefined;
	};
	let looks = 0;
	return async () => {
		// The first time sending again is proof enough: the service refuses a name that exists. Then it has to show.
		const timeoutMs = looks++ === 0 ? 0 : LIMITS.fileMs;
		return await lookFor(client, timeoutMs, options, look, { applied: 'no' });
	};
}

const NON_IDEMPOTENT: Partial<Record<OperationId, NonIdempotentOperation>> = {
	createAgentSession: {
		message: 'It is not known whether the session was started',
		description:
			"No second one is started, so that the work is not done twice. Check the dashboard: if the session is there, give its ID to a Run Agent Session node with the operation 'Continue a Session'; if not, run the workflow again.",
	},
	sendAgentMessage: {
		message: 'It is not known whether the message reached the session',
		description:
			'It is not sent again, so that the work is not done twice. Check the session in the dashboard: if the message is there, continue the session without one; if not, run the workflow again.',
		prepare: async (client, { sessionId, text }, options) => {
			const before = await fetchSession(client, String(sessionId), options);
			return messageArrived(client, before, String(text), options);
		},
	},
	resolveInteraction: {
		message: 'It is not known whether the interaction was resolved',
		description:
			'Check the session in the dashboard: if it still waits for an answer, run the workflow again.',
		prepare: async (client, { sessionId, interactionId }, options) =>
			interactionResolved(client, String(sessionId), String(interactionId), options),
	},
	createFile: {
		message: 'It is not known whether the file was created',
		description:
			'There is a file of that name now. Check it: if it is not the one, choose another name and run the workflow again.',
		prepare: async (client, values, options) => fileCreated(client, values, options),
	},
	createProduct: {
		message: 'It is not known whether the product was created',
		description:
			'It is not created again, so that there are not two. Check the products of the project, and run the workflow again if it is missing.',
	},
};

export const mustNotRepeat = (operation: OperationId): boolean => operation in NON_IDEMPOTENT;

/** Operations on a session that may not be readable yet */
const ON_SESSION: OperationId[] = [
	'getAgentSession',
	'sendAgentMessage',
	'abortAgentSession',
	'resolveInteraction',
];

/** Operations that others wait for: an agent, or somebody who wants it to end */
const URGENT: OperationId[] = ['abortAgentSession', 'resolveInteraction'];

export interface CallOptions extends SendOptions {
	/** Fields that the user adds to the body */
	extra?: Record<string, unknown>;
	/** Milliseconds after which an attempt counts as lost */
	timeoutMs?: number;
	/** Finds out whether the request took effect, for a caller who knows more than this table */
	reconcile?: Reconcile;
}

/**
 * Calls an operation of the API: the one way for every node. What must not be done twice is sent again only on proof that it
 * did not happen.
 * @throws as `ApiClient.send`
 */
export async function callOperation(
	client: ApiClient,
	operation: OperationId,
	values: Values,
	{ extra, timeoutMs, reconcile, ...given }: CallOptions = {},
): Promise<ApiResponse> {
	const options: SendOptions = {
		...(ON_SESSION.includes(operation) && NEW_SESSION),
		...(URGENT.includes(operation) && { urgent: true }),
		...given,
	};
	const request = { ...createRequest(operation, values, client.overrides, extra), timeoutMs };
	const row = NON_IDEMPOTENT[operation];
	if (!row) return await client.send(request, options);
	const look = reconcile ?? (await row.prepare?.(client, values, options));
	const reconciliation = { ...row, reconcile: look };
	return await client.send(request, { ...options, reconciliation });
}

/**
 * The id of a session that was just started.
 * @throws IndeterminateError quoting a response without one: a session may be running that nobody knows
 */
export function readNewSessionId(response: ApiResponse, overrides: Overrides): string {
	const id = newSessionIdIn(response, overrides);
	if (id !== undefined) return id;
	const { message, description } = NON_IDEMPOTENT.createAgentSession!;
	if (response.body === undefined)
		throw new IndeterminateError(
			message,
			`${description} What happened: the service answered status ${response.status} without JSON. ${answerOverride('createAgentSession', 'sessionId')}`,
		);
	throw new IndeterminateError(
		'A session was started, but the response has no session ID',
		`The service answered: ${quote(response.body)}. ${description} ${answerOverride('createAgentSession', 'sessionId')}`,
	);
}

/** The error for a request that an earlier try of the execution sent without learning what became of it. */
export function interruptedEarlier(operation: OperationId): IndeterminateError {
	const { message, description } = NON_IDEMPOTENT[operation]!;
	return new IndeterminateError(
		message,
		`${description} What happened: an earlier try of this execution did not get a response to its request.`,
	);
}
