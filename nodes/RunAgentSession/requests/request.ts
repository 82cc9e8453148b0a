import type { Interaction } from '../../shared/client/session';
import { fingerprint, isRecord, sortedJson } from '../../shared/values';

/** Facts that each request of an item has, so that every node passes them to *Apply an Answer*. */
export interface RequestOrigin {
	sessionId: string;
	projectName?: string;
	/** Shown if the project's name isn't known */
	projectId?: string;
	/** Time zone of the workflow, such as `Europe/Berlin`. UTC by default. */
	timeZone?: string;
	prompt?: string;
	/** The service's link to a page that the session works on */
	previewUrl?: string;
}

/** Key of this package's data in a request. No service has it by accident, and its request would still be answered. */
const ORIGIN_KEY = 'n8nOrigin';

interface StoredOrigin extends RequestOrigin {
	/** Fingerprint of all fields that the service sent */
	contentHash?: string;
}

/** Returns a fingerprint that ignores the order of keys, or undefined if the value is nested too deeply. */
function fingerprintContent(value: unknown): string | undefined {
	const json = sortedJson(value);
	return json === undefined ? undefined : fingerprint(json);
}

export const addOrigin = (requests: readonly Interaction[], origin: RequestOrigin): Interaction[] =>
	requests.map((request): Interaction => {
		const stored: StoredOrigin = { ...origin, contentHash: fingerprintContent(request) };
		return { ...request, [ORIGIN_KEY]: stored };
	});

const readStoredOrigin = (request: Interaction | undefined): Partial<StoredOrigin> | undefined => {
	const origin = request?.[ORIGIN_KEY];
	return isRecord(origin) ? origin : undefined;
};

/** Compares contents. Returns false for JSON that is nested too deeply. */
function isSameContent(one: unknown, other: unknown): boolean {
	const content = fingerprintContent([one]);
	return content !== undefined && content === fingerprintContent([other]);
}

/** Returns the fields that changed since a request was shown. The order of lists counts, because the request may look different. */
export function differences(asked: Interaction, pending: Record<string, unknown>): string[] {
	const [before, now] = [asked, pending].map((request): Record<string, unknown> => ({
		...request,
		[ORIGIN_KEY]: undefined,
	}));
	const { contentHash } = readStoredOrigin(asked) ?? {};
	const isSame = isSameContent(before, now);
	if (isSame && (contentHash === undefined || contentHash === fingerprintContent(pending)))
		return [];
	const named = ['permission', 'patterns', 'response', 'metadata'];
	const changed = named.filter((name) => !isSameContent(before[name], now[name]));
	return changed.length > 0 ? changed : ['content'];
}

/** Returns the reason why an answer to the requests shown doesn't count for a pending one, or undefined. */
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
	if (origin?.contentHash === undefined) return "the request shown doesn't say for which session";
	if (origin.sessionId !== sessionId) return 'the request shown was for another session';
	const changed = differences(first, pending);
	return changed.length > 0
		? `it isn't the request shown: its ${changed.join(' and ')} changed`
		: undefined;
}
