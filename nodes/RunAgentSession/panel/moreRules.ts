import type { RememberedRequest } from '../../shared/approvals/rememberedRequest';
import { WorkspaceAutomationError } from '../../shared/errors';
import { MAX_PATTERN_CHARACTERS } from '../../shared/limits';
import { isRecord, isTooDeep, parseList, quote, tryParseJson } from '../../shared/values';
import { hasOpenHost } from '../policy/addresses';
import type { Decision, Rule } from '../policy/rule';

// Reads the option More Rules: rules from data.

const DECISIONS: readonly Decision[] = ['approve', 'deny', 'ask'];
const MAX_CHARACTERS = 1024 * 1024;
const DATE_TIME =
	/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

function refuseEntry(index: number, problem: string, entry: unknown): never {
	throw new WorkspaceAutomationError(
		`Rule ${index + 1} of 'More Rules' ${problem}`,
		`Nothing was sent. Correct this rule where 'More Rules' reads it from: ${quote(entry)}. A rule looks like {"permission": "bash", "pattern": "git status", "decision": "approve"}. It can have "wildcard": true and "expires": "2027-01-31T00:00:00Z", with a time zone. A remembered request from rulesToRemember or suggestedRule is also a rule.`,
	);
}

const isMissing = (value: unknown): boolean =>
	value === undefined || value === null || value === '';
const isText = (value: unknown): value is string =>
	typeof value === 'string' && value.trim() !== '';

/** Returns whether a day exists. `Date.parse` reads February 30 as March 2. */
function isDay(day: string): boolean {
	const at = Date.parse(day);
	return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

function readExpiry(
	{ expires }: Record<string, unknown>,
	index: number,
	entry: unknown,
): number | undefined {
	if (isMissing(expires)) return undefined;
	const isRead =
		typeof expires === 'string' && DATE_TIME.test(expires) && isDay(expires.slice(0, 10));
	const at = isRead ? Date.parse(expires) : NaN;
	return Number.isNaN(at)
		? refuseEntry(index, "needs an 'expires' with a date, a time and a time zone", entry)
		: at;
}

function readRemembered(request: unknown, index: number, entry: unknown): RememberedRequest {
	const { permission, patterns, hash } = isRecord(request) ? request : {};
	const isList = Array.isArray(patterns) && patterns.length > 0;
	if (
		!isText(permission) ||
		!isText(hash) ||
		!isList ||
		!patterns.every((each) => typeof each === 'string')
	)
		refuseEntry(index, 'has a request without permission, patterns or hash', entry);
	return { permission, patterns: patterns as string[], hash } as RememberedRequest;
}

function readEntry(entry: unknown, index: number): Rule {
	if (!isRecord(entry)) return refuseEntry(index, 'is not an object', entry);
	const { permission, pattern, decision, wildcard, request } = entry;
	const isRemembered = !isMissing(request);
	for (const [name, text] of Object.entries({ permission, pattern }))
		if (!isRemembered && !isText(text)) refuseEntry(index, `has no ${name}`, entry);
	if (!isRemembered && (pattern as string).length > MAX_PATTERN_CHARACTERS)
		refuseEntry(index, `has a pattern of more than ${MAX_PATTERN_CHARACTERS} characters`, entry);
	if (!DECISIONS.includes(decision as Decision)) refuseEntry(index, 'has no decision', entry);
	if (!isMissing(wildcard) && typeof wildcard !== 'boolean')
		refuseEntry(index, "has a 'wildcard' that is neither true nor false", entry);
	if (wildcard === true && decision === 'approve' && hasOpenHost(pattern as string))
		refuseEntry(index, 'has a host that ends with a wildcard', entry);
	const expiresAt = readExpiry(entry, index, entry);
	return {
		permission: isRemembered ? '' : (permission as string),
		pattern: isRemembered ? '' : (pattern as string),
		decision: decision as Decision,
		name: `more rule ${index + 1}`,
		...(isRemembered && { request: readRemembered(request, index, entry) }),
		...(!isRemembered && wildcard !== true && { isLiteral: true }),
		...(expiresAt !== undefined && { expiresAt }),
	};
}

/** Returns the field's JSON as a value. Dates of an expression become text. Undefined if it's nested too deeply or too long. */
function readJson(value: unknown): unknown {
	if (typeof value === 'string' && value.trim() === '') return [];
	const read = typeof value === 'string' ? tryParseJson(value) : (value ?? []);
	if (read === undefined || isTooDeep(read)) return undefined;
	const json = JSON.stringify(read);
	return json.length > MAX_CHARACTERS ? undefined : tryParseJson(json);
}

/**
 * Reads the option More Rules: rules from data and remembered requests. Texts match only themselves, unless `wildcard` is true.
 * @throws WorkspaceAutomationError that names the first entry that isn't a rule
 */
export function readMoreRules(value: unknown): Rule[] {
	const read = readJson(value);
	const list = typeof read === 'object' && read !== null ? parseList(read) : undefined;
	if (!list)
		throw new WorkspaceAutomationError(
			`'More Rules' is not a list of rules`,
			`Nothing was sent. Enter a JSON list such as [{"permission": "bash", "pattern": "git status", "decision": "approve"}], or an expression that returns one. It can have at most 1 MiB, and no deep nesting.`,
		);
	// An expression that finds no rows may return the empty item that Always Output Data adds.
	const isEmptyItem = (entry: unknown) => isRecord(entry) && Object.keys(entry).length === 0;
	return list.flatMap((entry, index) => (isEmptyItem(entry) ? [] : [readEntry(entry, index)]));
}
