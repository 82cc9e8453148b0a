import type { IDataObject } from 'n8n-workflow';

import type { Client, Effect, SendOptions } from './client';
import { readPages } from './paging';
import { orProblem, Problem, Unclear } from './problem';
import { hasEnded, readSession, sameMoment, type Session } from './session';
import type { ApiRequest } from './transport';
import { readSessionId } from './wireNames';

// What to do about the requests that must not be sent twice (design: Sending again safely): how to look whether one took effect,
// and what to say where nobody can tell.

export type Look = () => Promise<Effect>;

export interface Unrepeatable {
	/** The path, with its parameters as groups */
	path: RegExp;
	/** What is not known, and what a person can do about it */
	message: string;
	wayOut: string;
	/** Whether an answer is one at all: without what it is for, nobody knows what became of the request */
	accept?: (body: unknown) => boolean;
	/**
	 * Called before the request is sent for the first time; what it returns is called when its fate is unclear.
	 * Absent where the API offers no way to look.
	 */
	watch?: (
		api: Client,
		request: ApiRequest,
		parameters: string[],
		options: SendOptions,
	) => Promise<Look>;
}

/** Waits before a 404 of a new session is believed: 1, 2 and 4 s (API document, Polling procedure, 5). */
export const NEW_SESSION = { notFoundWaitsMs: [1_000, 2_000, 4_000] };
/** A poll that hangs is worth less than the next one. */
const READ_TIMEOUT_MS = 30_000;

export const sessionPath = (sessionId: string, below = '') =>
	`/agent/sessions/${encodeURIComponent(sessionId)}${below}`;

/** The session as it is now. An answer that is no status object counts as none. */
export async function fetchSession(
	{ send }: Client,
	sessionId: string,
	options?: SendOptions,
): Promise<Session> {
	const accept = (body: unknown) => readSession(body, sessionId) !== undefined;
	const request = {
		method: 'GET',
		path: sessionPath(sessionId),
		timeoutMs: READ_TIMEOUT_MS,
	} as const;
	return readSession(await send(request, { ...NEW_SESSION, ...options, accept }), sessionId)!;
}

/** Whether a message arrived, told from the session before and after it. */
export const messageArrived =
	(api: Client, before: Session, options?: SendOptions): Look =>
	async () => {
		const now = await fetchSession(api, before.sessionId, options);
		if (sameMoment(before, now)) return { took: 'no' };
		// A session at rest only moves when a message reaches it; one at work moves by itself.
		return hasEnded(before) ? { took: 'yes', answer: now } : { took: 'unknown' };
	};

/** Whether an interaction was resolved, told from its being listed no longer. */
export const interactionResolved =
	(client: Client, sessionId: string, interactionId: string, options?: SendOptions): Look =>
	async () => {
		const now = await fetchSession(client, sessionId, options);
		const isPending = now.pendingInteractions.some(({ id }) => id === interactionId);
		return isPending ? { took: 'no' } : { took: 'yes', answer: now };
	};

/** How far the clocks of n8n and the service may be apart. */
const CLOCKS_APART_MS = 60_000;

type Body = Record<string, unknown>;

async function firstOf(
	api: Client,
	path: string,
	qs: IDataObject,
	options: SendOptions,
	matches: (item: IDataObject) => boolean,
): Promise<IDataObject | undefined> {
	for await (const { data } of readPages(api, { path, qs }, Infinity, options)) {
		const found = data.find(matches);
		if (found) return found;
	}
	return undefined;
}

const UNREPEATABLE: Unrepeatable[] = [
	{
		path: /^\/agent\/sessions$/,
		message: 'It is not known whether the session was started',
		wayOut:
			'No second one is started, so that the work is not done twice. Look in the dashboard: if the session is there, hand its ID to a Run Agent Session node with the operation Continue a Session; if not, run the workflow anew.',
		accept: (body) => readSessionId(body) !== undefined,
	},
	{
		path: /^\/agent\/sessions\/([^/]+)\/messages$/,
		message: 'It is not known whether the message reached the session',
		wayOut:
			'It is not sent again, so that the work is not done twice. Look at the session in the dashboard: if the message is there, continue the session without one; if not, run the workflow anew.',
		watch: async (api, _request, [sessionId], options) =>
			messageArrived(api, await fetchSession(api, sessionId, options), options),
	},
	{
		path: /^\/agent\/sessions\/([^/]+)\/interactions\/([^/]+)\/resolve$/,
		message: 'It is not known whether the interaction was resolved',
		wayOut:
			'Look at the session in the dashboard: if it still waits for an answer, run the workflow anew.',
		watch: async (client, _request, [sessionId, interactionId], options) =>
			interactionResolved(client, sessionId, interactionId, options),
	},
	{
		path: /^\/files$/,
		message: 'It is not known whether the file was created',
		wayOut:
			'There is a file of that name now. Look at it: if it is not the one, choose another name and run the workflow anew.',
		watch: async (api, request, _parameters, options) => {
			const { projectId, parentId, name, kind } = request.body as Body;
			const { names, clock } = api;
			const sentAt = clock.now();
			const qs = {
				[names.filesProject]: projectId,
				...(parentId !== undefined && { [names.filesParent]: parentId }),
			} as IDataObject;
			return async () => {
				const isIt = (file: IDataObject) =>
					file.name === name && file.kind === kind && (file.parentId ?? undefined) === parentId;
				const found = await firstOf(api, '/files', qs, options, isIt);
				// Names are unique among siblings: without one of that name nothing was created, and one that is new is ours.
				if (!found) return { took: 'no' };
				const isNew = Date.parse(String(found.createdAt)) >= sentAt - CLOCKS_APART_MS;
				return isNew ? { took: 'yes', answer: found } : { took: 'unknown' };
			};
		},
	},
	{
		path: /^\/products$/,
		message: 'It is not known whether the product was created',
		wayOut:
			'There is a product like it now, which may have been there before. Look at the products of the project, and run the workflow anew if it is missing.',
		watch: async (api, request, _parameters, options) => async () => {
			const { [api.names.productsProject]: projectId, ...fields } = request.body as Body;
			const isAlike = (product: IDataObject) =>
				Object.entries(fields).every(
					([key, value]) => JSON.stringify(product[key]) === JSON.stringify(value),
				);
			const found = await firstOf(
				api,
				'/products',
				{ [api.names.productsProject]: projectId } as IDataObject,
				options,
				isAlike,
			);
			return { took: found ? 'unknown' : 'no' };
		},
	},
];

const ANY_OTHER: Unrepeatable = {
	path: /^/,
	message: 'It is not known whether the request took effect',
	wayOut:
		'It is not sent again, so that nothing is done twice. Look at the service, and run the workflow anew if it did not.',
};

/** The row for a request that must not be sent twice, and the parameters in its path. */
export function unrepeatable(path: string): { row: Unrepeatable; parameters: string[] } {
	const row = UNREPEATABLE.find((candidate) => candidate.path.test(path)) ?? ANY_OTHER;
	return { row, parameters: (row.path.exec(path) ?? []).slice(1).map(decodeURIComponent) };
}

/** What there is to say of a request that an earlier try of the execution sent and never got an answer to. */
export function lostBefore(path: string): Unclear {
	const { message, wayOut } = unrepeatable(path).row;
	return new Unclear(
		message,
		`${wayOut} What happened: an earlier try of this execution did not get an answer to its request.`,
	);
}

/** A look that fails tells nothing. */
export async function lookSafely(look: Look): Promise<Effect> {
	const effect = await orProblem(look());
	return effect instanceof Problem ? { took: 'unknown' } : effect;
}
