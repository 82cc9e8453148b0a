import { WorkspaceAutomationError } from '../../shared/errors';
import {
	fingerprintContent,
	readInteractions,
	type Interaction,
} from '../../shared/client/session';
import { isRecord, tryParseJson, nonEmptyText } from '../../shared/values';

// The requests that an approver is asked about, and the comparison with the pending ones.

/** The facts of a question besides the requests. Each request has them, so that every node passes them to *Apply an Answer*. */
export interface RequestOrigin {
	sessionId: string;
	projectName?: string;
	/** Shown if the project's name isn't known */
	projectId?: string;
	/** The project's, such as `Europe/Berlin`. Without it, times are in UTC. */
	timeZone?: string;
	/** The prompt of the session */
	job?: string;
}

/** Requests that one question shows */
const MAX_REQUESTS_SHOWN = 5;

/**
 * Returns the requests that an approver is asked about: those that the question shows, that the item has and that the answer decides. All
 * others are in another question.
 */
export const shownRequests = <T>(undecided: readonly T[]): T[] =>
	undecided.slice(0, MAX_REQUESTS_SHOWN);

/**
 * The key of the package's data in a request of an item. No service has it by accident. A request of the service with this key is answered,
 * too.
 */
const ORIGIN_KEY = 'n8nOrigin';

/** The package's data in a request of an item */
interface StoredOrigin extends RequestOrigin {
	/** The fingerprint of all fields that the service sent, with any keys */
	content?: string;
}

/** Returns requests in the form that an item has. */
export const addOrigin = (requests: readonly Interaction[], origin: RequestOrigin): Interaction[] =>
	requests.map((request): Interaction => {
		const stored: StoredOrigin = { ...origin, content: fingerprintContent(request) };
		return { ...request, [ORIGIN_KEY]: stored };
	});

const readStoredOrigin = (request: Interaction | undefined): Partial<StoredOrigin> | undefined => {
	const origin = request?.[ORIGIN_KEY];
	return isRecord(origin) ? origin : undefined;
};

/** Returns whether two values have the same content; false for JSON that is nested too deeply. */
function isSameContent(one: unknown, other: unknown): boolean {
	const content = fingerprintContent([one]);
	return content !== undefined && content === fingerprintContent([other]);
}

/**
 * Returns the differences between a pending request and the one that was shown. The order of lists counts, the order of keys doesn't. An
 * approver is asked again about a request that may look different.
 */
export function differences(asked: Interaction, pending: Record<string, unknown>): string[] {
	const [before, now] = [asked, pending].map((request): Record<string, unknown> => ({
		...request,
		[ORIGIN_KEY]: undefined,
	}));
	const { content } = readStoredOrigin(asked) ?? {};
	const isSame = isSameContent(before, now);
	if (isSame && (content === undefined || content === fingerprintContent(pending))) return [];
	const named = ['permission', 'patterns', 'response', 'metadata'];
	const changed = named.filter((name) => !isSameContent(before[name], now[name]));
	return changed.length > 0 ? changed : ['content'];
}

/** Returns the reason why an answer to the requests shown doesn't answer a pending request, or undefined. */
export function findMismatch(
	{ asked, sessionId }: { asked: readonly Interaction[]; sessionId: string },
	pending: Record<string, unknown>,
): string | undefined {
	const [first, ...others] = asked.filter(({ id }) => id === pending.id);
	if (!first) return "it wasn't among the requests shown";
	// The answer is sent with the ID, which doesn't distinguish the two requests.
	if (others.some((other) => !isSameContent(first, other)))
		return 'two of the requests shown have its ID';
	const origin = readStoredOrigin(first);
	if (origin?.content === undefined) return "the request shown doesn't say for which session";
	if (origin.sessionId !== sessionId) return 'the request shown was for another session';
	const changed = differences(first, pending);
	return changed.length > 0
		? `it isn't the request shown: its ${changed.join(' and ')} changed`
		: undefined;
}

/** Returns the origin of the requests in an item, if the item has it. */
export function readOrigin([first]: readonly Interaction[]): Omit<RequestOrigin, 'sessionId'> {
	const { projectName, job } = readStoredOrigin(first) ?? {};
	return { projectName: nonEmptyText(projectName), job: nonEmptyText(job) };
}

/**
 * Returns the list in a JSON field, which gives text or, by expression, a value. A single object counts as a list of one. Undefined if it's
 * neither, an empty list if the field is empty.
 */
export function parseList(field: unknown): unknown[] | undefined {
	if (typeof field === 'string' && field.trim() === '') return [];
	const value = typeof field === 'string' ? tryParseJson(field) : (field ?? []);
	if (Array.isArray(value)) return value;
	return isRecord(value) ? [value] : undefined;
}

const REQUESTS_SHOWN_HELP = 'Drag pendingInteractions of the Needs Approval item here.';

/**
 * Returns the requests in the field 'Requests Shown': `pendingInteractions` of a Needs Approval item, or one of them, as JSON or as its
 * text. They are read like those of a session.
 * @throws WorkspaceAutomationError if there are none, or if something else is in the field
 */
export function readRequestsShown(value: unknown): Interaction[] {
	const list = parseList(value);
	if (list?.length === 0)
		throw new WorkspaceAutomationError(
			"'Requests Shown' is empty",
			`${REQUESTS_SHOWN_HELP} The answer decides only these requests. To decide all requests, set 'Applies To' to All Requests of the Session.`,
		);
	const requests = readInteractions(list);
	if (requests.length > 0 && requests.every(({ id }) => id !== '')) return requests;
	throw new WorkspaceAutomationError(
		"'Requests Shown' isn't a list of requests",
		`Each needs at least an id. ${REQUESTS_SHOWN_HELP}`,
	);
}
