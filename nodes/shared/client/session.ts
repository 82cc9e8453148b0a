import { MAX_URL_LENGTH } from '../validation';
import {
	toText,
	fingerprint,
	parseTimestamp,
	optionalExcerpt,
	isRecord,
	isTooDeep,
	sortedJson,
	nonEmptyText,
} from '../values';

// An agent session as the API document describes it (Agent session status object), and how it is read.

/** API document, Agent session status object: `latestMessage` */
export interface LatestMessage {
	role?: string;
	text?: string;
	createdAt?: string;
	completedAt?: string;
}

/** API document, Agent session status object: `latestTool` */
export interface LatestTool {
	name?: string;
	status?: string;
	title?: string;
	at?: string;
}

/** A pending interaction. Only `id` and `type` can be relied on: the document leaves one of the two variants open. */
export type Interaction = { id: string; type: string } & Record<string, unknown>;

/** The status object with every field that may be missing made safe to use. */
export interface Session {
	sessionId: string;
	dashboardUrl?: string;
	/** `starting`, `running`, `completed`, `failed`, or a value that the document does not list */
	status: string;
	/** Each interaction once, however often the service lists it; `id` is empty where there is none */
	pendingInteractions: Interaction[];
	error?: string;
	latestMessage?: LatestMessage;
	latestTool?: LatestTool;
	/** As the service gives it: a date-time in some form */
	lastActivityAt?: string | number;
	/** The fields that the API document doesn't list, if there are any */
	more?: Record<string, unknown>;
}

/** The fields of the status object in the API document */
const DOCUMENTED_FIELDS = [
	'sessionId',
	'dashboardUrl',
	'status',
	'pendingInteractions',
	'error',
	'latestMessage',
	'latestTool',
	'lastActivityAt',
];

/** Returns a fingerprint of a JSON value, such as an interaction, independent of the order of keys. Undefined if it's nested too deeply. */
export function fingerprintContent(value: unknown): string | undefined {
	const json = sortedJson(value);
	return json === undefined ? undefined : fingerprint(json);
}

/** Returns the key of a request: what an approver is asked about. Metadata that ages isn't part of it. */
export const requestKey = ({ id, type, permission, patterns }: Record<string, unknown>): string =>
	fingerprint(toText([id, type, permission, patterns]));

/** The type of what represents `pendingInteractions` that are not a list: something waits, and nobody can tell what. */
export const NOT_A_LIST = 'pendingInteractions that are not a list';

/** The type of an interaction that is nested too deeply to be read */
const TOO_DEEP = 'interaction that is nested too deeply';

const hasOnlyBlanks = (value: unknown): boolean =>
	!value || (typeof value === 'object' && Object.values(value).every(hasOnlyBlanks));

/** Nothing, or a wrapping around nothing */
export const isBlank = (value: unknown): boolean => !isTooDeep(value) && hasOnlyBlanks(value);

/** Each interaction once, however often it is listed. What is not one is kept, too: it may be what the session waits for. */
export function readInteractions(value: unknown): Interaction[] {
	if (isBlank(value)) return [];
	if (!Array.isArray(value)) {
		const pendingInteractions = isTooDeep(value) ? toText(value) : value;
		return [{ id: '', type: NOT_A_LIST, pendingInteractions }];
	}
	const seen = new Set<string>();
	return value.flatMap((entry): Interaction[] => {
		if (isTooDeep(entry)) return [{ id: '', type: TOO_DEEP }];
		if (!isRecord(entry)) return [{ id: '', type: '', interaction: entry }];
		const id = typeof entry.id === 'number' ? String(entry.id) : (nonEmptyText(entry.id) ?? '');
		const interaction = { ...entry, id, type: nonEmptyText(entry.type) ?? '' };
		const content = fingerprintContent(interaction);
		if (id !== '' && content !== undefined && seen.has(content)) return [];
		if (content !== undefined) seen.add(content);
		return [interaction];
	});
}

const readRecord = (value: unknown): Record<string, unknown> | undefined =>
	isRecord(value) && !isTooDeep(value) ? value : undefined;

/** Returns the fields of a status object that the document doesn't list; undefined if there are none. */
function readMore(found: Record<string, unknown>): Record<string, unknown> | undefined {
	const more = Object.entries(found).filter(
		([name, value]) => !DOCUMENTED_FIELDS.includes(name) && !isTooDeep(value),
	);
	return more.length > 0 ? Object.fromEntries(more) : undefined;
}

export const isKnownStatus = (status: string): boolean =>
	['starting', 'running', 'completed', 'failed'].includes(status.toLowerCase());

/** The session in a response, as it is or below `session` or `data`; undefined where there is no status object. */
export function readSession(body: unknown, sessionId: string): Session | undefined {
	const places = (isRecord(body) ? [body, body.session, body.data] : []).filter(isRecord);
	const readable = places.filter(({ status }) => typeof status === 'string');
	// An envelope around it may have another status.
	const found = readable.find(({ status }) => isKnownStatus(String(status))) ?? readable[0];
	if (!found) return undefined;
	const { lastActivityAt } = found;
	const around = [found, found.session, found.data, ...places].filter(isRecord);
	const pending = around.map(({ pendingInteractions }) => pendingInteractions);
	const status = String(found.status);
	return {
		sessionId,
		// It is in errors and in the log, in one line like all that is shown.
		dashboardUrl: optionalExcerpt(found.dashboardUrl, MAX_URL_LENGTH),
		status: isKnownStatus(status) ? status.toLowerCase() : status,
		pendingInteractions: readInteractions(pending.find((each) => !isBlank(each))),
		error: isBlank(found.error) ? undefined : toText(found.error),
		latestMessage: readRecord(found.latestMessage),
		latestTool: readRecord(found.latestTool),
		lastActivityAt:
			typeof lastActivityAt === 'number' ? lastActivityAt : nonEmptyText(lastActivityAt),
		more: readMore(found),
	};
}

export const hasEnded = ({ status }: Session): boolean =>
	status === 'completed' || status === 'failed';

/** Returns what the agent said last. Until the agent speaks, the latest message is the prompt. */
export const latestAgentText = ({ latestMessage }: Session): string =>
	latestMessage?.role === 'user' ? '' : (latestMessage?.text ?? '');

/** Returns a key of the latest message: equal as long as nobody says anything. */
export const messageKey = ({ latestMessage }: Session): string =>
	fingerprint(toText([latestMessage?.createdAt, latestMessage?.text]));

/**
 * Returns whether a reading proves a turn after the one that ended before: the session is at work, or its latest message is new and not the
 * user's. `lastActivityAt` alone proves nothing.
 * @param before `messageKey` of the session before, and whether it had ended
 */
export function isNewTurn(
	before: { messageKey: string; hadEnded: boolean },
	now: Session,
): boolean {
	if (before.hadEnded && !hasEnded(now)) return true;
	return messageKey(now) !== before.messageKey && now.latestMessage?.role !== 'user';
}

/** Returns whether a reading is older than another one, by `lastActivityAt`; unreadable times are never older. */
export const isStale = (now: Session, lastActivityAt: string | number | undefined): boolean =>
	parseTimestamp(now.lastActivityAt) < parseTimestamp(lastActivityAt);

/** Returns whether a time of the service is after another one, in milliseconds since 1970. An unreadable time never is. */
export const isAfter = (time: string | number | undefined, ms: number): boolean =>
	parseTimestamp(time) > ms;
