import { UUID } from '../validation';
import { fingerprint, isRecord, sortedJson } from '../values';

// A remembered request approves only the same whole request, never parts of another.

export interface RememberedRequest {
	permission: string;
	/** In their order */
	patterns: readonly string[];
	/** Of command, cwd, instruction and all other fields that don't age */
	hash: string;
}

/** Names at the top and in the metadata that differ in each request. `n8nOrigin` is what this package adds to an item's requests. */
const UNCOMPARED = new Set(
	(
		'id interactionId requestId sessionId messageId callId toolCallId sandboxId containerId traceId spanId askedAt createdAt ' +
		'updatedAt requestedAt startedAt timestamp time elapsedMs durationMs n8nOrigin'
	).split(' '),
);
/** At the top. The type is always "permission", and missing in `decisions`. */
const UNCOMPARED_AT_TOP = new Set([...UNCOMPARED, 'type', 'permission', 'patterns']);
/** Fields of `decisions`, which say what happened to a request */
const UNCOMPARED_OF_DECISIONS = new Set([
	...UNCOMPARED_AT_TOP,
	...'decision option decidedBy because at state note comment lasts fromNowOn approvers'.split(' '),
]);
const NEVER_CHANGED = ['patterns', 'command', 'instruction'];
const ANY_UUID = new RegExp(UUID, 'gi');
const HEX_WORD = /(?<![\p{L}\p{N}])(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{8,}(?![\p{L}\p{N}])/giu;

type Fields = Record<string, unknown>;

/** Hides the parts of a path that name one run, such as `/tmp/5f3ab873`. */
function steadyText(name: string, value: unknown): unknown {
	const isOfRun = typeof value === 'string' && (name === 'cwd' || value.startsWith('/tmp/'));
	return isOfRun && !NEVER_CHANGED.includes(name)
		? value.replace(ANY_UUID, '#').replace(HEX_WORD, '#')
		: value;
}

/** Writes fields without what differs in each request, not in anything deeper. */
const steadyJson = (fields: Fields, ignoredFields: ReadonlySet<string>): string | undefined =>
	sortedJson(fields, (name, value) =>
		ignoredFields.has(name) ? undefined : steadyText(name, value),
	);

const isTexts = (value: unknown): value is string[] =>
	Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');

/** Describes a whole request. Returns undefined if rules can't read it. */
export function readWholeRequest(request: Fields): RememberedRequest | undefined {
	const { permission, patterns, metadata } = request;
	if (typeof permission !== 'string' || permission.trim() === '' || !isTexts(patterns))
		return undefined;
	const has = (name: string) => Object.hasOwn(request, name);
	const isDecision = !has('id') && has('decidedBy') && has('interactionId');
	const ignoredFields = isDecision ? UNCOMPARED_OF_DECISIONS : UNCOMPARED_AT_TOP;
	const hasFields = isRecord(metadata);
	const top = steadyJson(
		request,
		hasFields ? new Set([...ignoredFields, 'metadata']) : ignoredFields,
	);
	const below = hasFields ? steadyJson(metadata, UNCOMPARED) : '';
	if (top === undefined || below === undefined) return undefined;
	return { permission, patterns, hash: fingerprint(`${top}\n${below}`) };
}

export const isSameRequest = (one: RememberedRequest, other: RememberedRequest): boolean =>
	one.hash === other.hash &&
	one.permission === other.permission &&
	one.patterns.length === other.patterns.length &&
	one.patterns.every((pattern, at) => pattern === other.patterns[at]);
