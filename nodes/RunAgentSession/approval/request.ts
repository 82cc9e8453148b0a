import { WorkspaceAutomationError } from '../../shared/errors';
import {
	fingerprintContent,
	readInteractions,
	type Interaction,
} from '../../shared/client/session';
import { isRecord, tryParseJson, nonEmptyText } from '../../shared/values';

// What a person is asked, and whether what is pending now is still that.

/** What a question says beside the requests; it goes with each of them, through whatever asks, to *Apply an Answer*. */
export interface RequestOrigin {
	sessionId: string;
	projectName?: string;
	/** Shown where the project's name is not known */
	projectId?: string;
	/** The project's, such as `Europe/Berlin`; UTC is shown without it */
	timeZone?: string;
	/** What the agent was told to do */
	job?: string;
}

/** Requests that one question shows */
const MAX_REQUESTS_SHOWN = 5;

/**
 * The requests that a person is asked about: those that the question shows, that the item holds and that the answer decides.
 * What is not among them is asked in another question.
 */
export const shownRequests = <T>(undecided: readonly T[]): T[] =>
	undecided.slice(0, MAX_REQUESTS_SHOWN);

/** The key of our own data in a request of an item. No service has it by accident, and one that does is answered as well. */
const ORIGIN_KEY = 'n8nOrigin';

/** Our own data in a request of an item */
interface StoredOrigin extends RequestOrigin {
	/** The fingerprint of all that the service sent, whatever its keys are */
	content?: string;
}

/** Returns requests as an item holds them. */
export const addOrigin = (requests: readonly Interaction[], origin: RequestOrigin): Interaction[] =>
	requests.map((request): Interaction => {
		const stored: StoredOrigin = { ...origin, content: fingerprintContent(request) };
		return { ...request, [ORIGIN_KEY]: stored };
	});

const readStoredOrigin = (request: Interaction | undefined): Partial<StoredOrigin> | undefined => {
	const origin = request?.[ORIGIN_KEY];
	return isRecord(origin) ? origin : undefined;
};

/** Returns whether two values have the same content. JSON that is nested too deeply never has. */
function isSameContent(one: unknown, other: unknown): boolean {
	const content = fingerprintContent([one]);
	return content !== undefined && content === fingerprintContent([other]);
}

/**
 * Returns in what a pending request differs from the one that was shown. The order of lists counts, the order of keys doesn't:
 * an approver is asked again about a request that may look different.
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

/** Returns why an answer to the requests shown doesn't answer a pending request, or undefined. */
export function findMismatch(
	{ asked, sessionId }: { asked: readonly Interaction[]; sessionId: string },
	pending: Record<string, unknown>,
): string | undefined {
	const [first, ...others] = asked.filter(({ id }) => id === pending.id);
	if (!first) return "it wasn't among the requests shown";
	// It is answered by its ID, which does not tell one from the other.
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

/** Returns the origin of the requests in an item, as far as the item says it. */
export function readOrigin([first]: readonly Interaction[]): Omit<RequestOrigin, 'sessionId'> {
	const { projectName, job } = readStoredOrigin(first) ?? {};
	return { projectName: nonEmptyText(projectName), job: nonEmptyText(job) };
}

/**
 * The list in a JSON field, which gives text or, by expression, a value; a single object counts as a list of one.
 * Undefined where it is neither, an empty list where the field is empty.
 */
export function parseList(field: unknown): unknown[] | undefined {
	if (typeof field === 'string' && field.trim() === '') return [];
	const value = typeof field === 'string' ? tryParseJson(field) : (field ?? []);
	if (Array.isArray(value)) return value;
	return isRecord(value) ? [value] : undefined;
}

const REQUESTS_SHOWN_HELP = 'Drag pendingInteractions of the Needs Approval item here.';

/**
 * The requests in the field 'Requests Shown': `pendingInteractions` of a Needs Approval item, or one of them, as JSON or as its text.
 * They are read as those of a session.
 * @throws WorkspaceAutomationError where there is none, or where something else is in it
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
