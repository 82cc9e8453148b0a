import { WorkspaceAutomationError } from '../../shared/errors';
import { isRecord, quote, tryParseJson } from '../../shared/values';
import { parseList } from '../requests/request';
import { escapeGlob } from './patterns';
import { judge, listTargets, type Decision, type Policy, type Rule } from './rules';

const DECISIONS: readonly Decision[] = ['approve', 'deny', 'ask'];
export const MAX_MORE_RULES = 1_000;
const ISO_DATE =
	/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

export interface StoredRule {
	permission: string;
	pattern: string;
	decision: Decision;
	wildcard?: true;
}

function refuseEntry(index: number, problem: string, entry: unknown): never {
	throw new WorkspaceAutomationError(
		`Rule ${index + 1} of 'More Rules' ${problem}`,
		`Nothing was sent. Correct this rule where 'More Rules' reads it from: ${quote(entry)}. A rule looks like {"permission": "bash", "pattern": "git status", "decision": "approve"}. It can have "wildcard": true and "expires": "2027-01-31".`,
	);
}

const isMissing = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

/** Returns whether a text is a date that exists. `Date.parse` reads February 30 as March 2. */
function isIsoDate(text: string): boolean {
	const [day] = text.split(/[T ]/);
	const at = ISO_DATE.test(text) ? Date.parse(day) : NaN;
	return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

function readExpiry(entry: Record<string, unknown>, index: number): number | undefined {
	const { expires } = entry;
	if (isMissing(expires)) return undefined;
	const at = typeof expires === 'string' && isIsoDate(expires) ? Date.parse(expires) : NaN;
	return Number.isNaN(at) ? refuseEntry(index, "has an invalid 'expires'", entry) : at;
}

function readEntry(entry: unknown, index: number): Rule {
	if (!isRecord(entry)) return refuseEntry(index, 'is not an object', entry);
	const { permission, pattern, decision, wildcard } = entry;
	for (const [name, text] of Object.entries({ permission, pattern })) {
		if (typeof text === 'string' && text.trim() !== '') continue;
		refuseEntry(index, `has no ${name}`, entry);
	}
	if (!DECISIONS.includes(decision as Decision)) refuseEntry(index, 'has no decision', entry);
	if (!isMissing(wildcard) && typeof wildcard !== 'boolean')
		refuseEntry(index, "has a 'wildcard' that is neither true nor false", entry);
	const expiresAt = readExpiry(entry, index);
	return {
		permission: permission as string,
		pattern: pattern as string,
		decision: decision as Decision,
		name: `more rule ${index + 1}`,
		...(wildcard !== true && { isLiteral: true }),
		...(expiresAt !== undefined && { expiresAt }),
	};
}

/**
 * Reads the option More Rules. Its texts match only themselves, unless `wildcard` is true.
 * @throws WorkspaceAutomationError that names the first entry that isn't a rule
 */
export function readMoreRules(value: unknown): Rule[] {
	// Dates of an expression become text.
	const list = parseList(
		typeof value === 'string' ? value : tryParseJson(JSON.stringify(value ?? [])),
	);
	if (!list)
		throw new WorkspaceAutomationError(
			`'More Rules' is not a list of rules`,
			`Nothing was sent. Enter a JSON list such as [{"permission": "bash", "pattern": "git status", "decision": "approve"}], or an expression that returns one.`,
		);
	if (list.length > MAX_MORE_RULES)
		throw new WorkspaceAutomationError(
			`'More Rules' has more than ${MAX_MORE_RULES} rules`,
			`Nothing was sent. It has ${list.length}. Remove rules that have expired, or replace several by one with "wildcard": true.`,
		);
	// An expression that finds no rows may return the empty item that Always Output Data adds.
	const isEmptyItem = (entry: unknown) => isRecord(entry) && Object.keys(entry).length === 0;
	return list.flatMap((entry, index) => (isEmptyItem(entry) ? [] : [readEntry(entry, index)]));
}

export const withoutExpired = (policy: Policy, now: number): Policy =>
	policy.moreRules
		? {
				...policy,
				moreRules: policy.moreRules.filter(({ expiresAt = Infinity }) => now < expiresAt),
			}
		: policy;

interface RequestTexts {
	permission?: unknown;
	patterns?: unknown;
}

const isTextList = (value: unknown): value is string[] =>
	Array.isArray(value) && value.every((each) => typeof each === 'string' && each.trim() !== '');

/** Returns a request's texts, if rules with exactly these texts can cover it. */
function readExactTexts(request: object): { permission: string; patterns: string[] } | undefined {
	const { permission, patterns } = request as RequestTexts;
	const isText = typeof permission === 'string' && permission.trim() !== '';
	if (!isText || !isTextList(patterns) || patterns.length === 0) return undefined;
	const targets = listTargets(request as Record<string, unknown>);
	return isTextList(targets) ? { permission, patterns: targets } : undefined;
}

/** Returns whether rules with exactly a request's patterns can approve it. */
export function canBeRemembered(request: object): boolean {
	const { patterns } = readExactTexts(request) ?? {};
	const listed = (request as RequestTexts).patterns;
	return (
		patterns !== undefined && isTextList(listed) && patterns.every((each) => listed.includes(each))
	);
}

/** Returns the rules that approve exactly these requests, each once. */
export function exactRules(requests: readonly object[]): StoredRule[] {
	const rules = requests.flatMap((request) => {
		const { permission = '', patterns = [] } = readExactTexts(request) ?? {};
		return patterns.map((pattern): StoredRule => ({ permission, pattern, decision: 'approve' }));
	});
	return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

const SUGGESTED = 'suggested rule';

/** Returns the narrowest rule that approves a request. Undefined if another rule decides, or if this one wouldn't. */
export function suggestRule(
	request: Record<string, unknown>,
	policy: Policy,
): StoredRule | undefined {
	const exact = readExactTexts(request);
	if (!exact || !['ask', 'rules'].includes(policy.mode)) return undefined;
	const permission = escapeGlob(exact.permission);
	const pattern = exact.patterns.map(escapeGlob).join(', ');
	const isPlain = permission === exact.permission && pattern === exact.patterns.join();
	const rule: StoredRule = { permission, pattern, decision: 'approve' };
	const moreRules = [...(policy.moreRules ?? []), { ...rule, name: SUGGESTED }];
	const tried = judge(request, { ...policy, mode: 'rules', moreRules });
	return tried.decision === 'approve' && tried.decidedBy === SUGGESTED
		? { ...rule, ...(!isPlain && { wildcard: true }) }
		: undefined;
}
