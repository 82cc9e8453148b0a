import { isAging, toSnakeCase } from '../../shared/approvals/aging';
import { fingerprint, isRecord, omit, sortedJson } from '../../shared/values';

// A remembered request approves only the same whole request, never parts of another.

export interface RememberedRequest {
	permission: string;
	/** In their order */
	patterns: readonly string[];
	/** Of command, cwd, instruction and all other fields that don't age */
	hash: string;
}

/** Fields that differ in each request. `n8nOrigin` is what this package adds to an item's requests. */
const LEFT_OUT = new Set(
	'id interactionId requestId sessionId messageId callId toolCallId sandboxId containerId traceId spanId n8nOrigin'.split(
		' ',
	),
);
/** Fields of `decisions`, which say what happened to a request */
const OF_DECISIONS =
	'interactionId decision option decidedBy because at state note comment lasts fromNowOn approvers permission patterns'.split(
		' ',
	);
const NEVER_CHANGED = new Set(['patterns', 'command', 'instruction']);
const PATH_NAME = /(^|_)(cwd|(file_?)?paths?|dir|directory|folder|files?|filename|workspace|root)$/;
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;
const HEX_WORD = /(?<![\p{L}\p{N}])(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{8,}(?![\p{L}\p{N}])/giu;

/** Hides the parts of a path that name one run, such as `/tmp/5f3ab873`. */
const steadyPath = (path: string): string => path.replace(UUID, '#').replace(HEX_WORD, '#');

function steadyFields(value: unknown, name = ''): unknown {
	if (Array.isArray(value)) return value.map((each) => steadyFields(each, name));
	if (typeof value === 'string')
		return PATH_NAME.test(toSnakeCase(name)) ? steadyPath(value) : value;
	if (!isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(
				([key, inner]) => NEVER_CHANGED.has(key) || !(LEFT_OUT.has(key) || isAging(key, inner)),
			)
			.map(([key, inner]) => [key, NEVER_CHANGED.has(key) ? inner : steadyFields(inner, key)]),
	);
}

const isTexts = (value: unknown): value is string[] =>
	Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');

type Fields = Record<string, unknown> &
	Partial<Record<'permission' | 'patterns' | 'type', unknown>>;

/** Describes a whole request. Returns undefined if rules can't read it. */
export function readWholeRequest(request: object): RememberedRequest | undefined {
	// The type is always "permission", and missing in `decisions`.
	const { permission, patterns, ...others } = omit(request as Fields, 'type');
	if (typeof permission !== 'string' || permission.trim() === '' || !isTexts(patterns))
		return undefined;
	const isDecision = !('id' in others) && 'decidedBy' in others && 'interactionId' in others;
	const content = isDecision
		? Object.fromEntries(Object.entries(others).filter(([name]) => !OF_DECISIONS.includes(name)))
		: others;
	const json = sortedJson(content) === undefined ? undefined : sortedJson(steadyFields(content));
	return json === undefined ? undefined : { permission, patterns, hash: fingerprint(json) };
}

export const isSameRequest = (one: RememberedRequest, other: RememberedRequest): boolean =>
	one.hash === other.hash &&
	one.permission === other.permission &&
	one.patterns.length === other.patterns.length &&
	one.patterns.every((pattern, at) => pattern === other.patterns[at]);
