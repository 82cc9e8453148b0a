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

/** Requests as an item holds them. */
export const addOrigin = (requests: readonly Interaction[], about: RequestOrigin): Interaction[] =>
	requests.map((request) => ({ ...request, about }));

/** What is nested too deeply to be compared is taken for something else. */
function isSameContent(one: unknown, other: unknown): boolean {
	const content = fingerprintContent([one]);
	return content !== undefined && content === fingerprintContent([other]);
}

/**
 * In what a pending request differs from the one that was asked. The order of lists counts (nothing but the order of keys is
 * taken as meaningless): what may be shown differently is asked again.
 */
export function differences(asked: Interaction, pending: Record<string, unknown>): string[] {
	const before: Record<string, unknown> = { ...asked, about: undefined };
	if (isSameContent(before, pending)) return [];
	const named = ['permission', 'patterns', 'response', 'metadata'];
	const changed = named.filter((name) => !isSameContent(before[name], pending[name]));
	return changed.length > 0 ? changed : ['content'];
}

/** Why an answer to what was asked is none to a pending request; undefined where it is. */
export function findMismatch(
	{ asked, sessionId }: { asked: readonly Interaction[]; sessionId: string },
	pending: Record<string, unknown>,
): string | undefined {
	const [first, ...others] = asked.filter(({ id }) => id === pending.id);
	if (!first) return 'it was not among what was asked';
	// It is answered by its ID, which does not tell one from the other.
	if (others.some((other) => !isSameContent(first, other)))
		return 'two requests with its ID were asked';
	if (!isRecord(first.about)) return 'what was asked does not say for which session';
	if (first.about.sessionId !== sessionId) return 'it was asked for another session';
	const changed = differences(first, pending);
	return changed.length > 0
		? `it is not what was asked: its ${changed.join(' and ')} changed`
		: undefined;
}

/** What a question said beside the requests, as far as what was dragged tells. */
export function readOrigin([first]: readonly Interaction[]): Omit<RequestOrigin, 'sessionId'> {
	const about = isRecord(first?.about) ? first.about : {};
	return { projectName: nonEmptyText(about.projectName), job: nonEmptyText(about.job) };
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
			`${REQUESTS_SHOWN_HELP} Only what is in it is decided by the answer; to decide all requests, set 'Applies To' to All Requests of the Session.`,
		);
	const requests = readInteractions(list);
	if (requests.length > 0 && requests.every(({ id }) => id !== '')) return requests;
	throw new WorkspaceAutomationError(
		"'Requests Shown' is not a list of requests",
		`Each needs at least an id. ${REQUESTS_SHOWN_HELP}`,
	);
}
