import type { RememberedRequest } from '../../shared/approvals/rememberedRequest';
import { WorkspaceAutomationError } from '../../shared/errors';
import { escapePattern } from '../../shared/globs';
import { MAX_PATTERN_CHARACTERS, MAX_RULES } from '../../shared/limits';
import {
	entryChoice,
	entrySwitch,
	entryText,
	isBlank,
	listEntries,
	listRows,
	readEntries,
	readValues,
	type EntryList,
	type ReadValue,
	type RefuseEntry,
} from '../../shared/n8n/entries';
import type { FieldSource } from '../../shared/n8n/fields';
import { isRecord, isString } from '../../shared/values';
import { hasOpenHost } from '../policy/addresses';
import type { Decision, Rule } from '../policy/rule';

// Reads the rules of the fields Rules and More Rules.

const RULES: EntryList = {
	label: 'Rules',
	noun: 'rule',
	help: 'Enter a permission, or * for every permission, and a pattern, or * for everything. Then choose a decision.',
};

const MORE_RULES: EntryList = {
	label: 'More Rules',
	noun: 'rule',
	help: 'A rule looks like {"permission": "bash", "pattern": "git status", "decision": "approve"}. It can have "wildcard": true and "expires": "2027-01-31T00:00:00Z", with a time zone. A remembered request from rulesToRemember or suggestedRule is also a rule.',
};

const RULE = {
	permission: entryText(),
	pattern: entryText(MAX_PATTERN_CHARACTERS),
	decision: entryChoice<Decision>(['approve', 'deny', 'ask']),
};

/** @throws WorkspaceAutomationError if both fields together have too many rules */
export function checkRuleCount(rules: readonly Rule[], moreRules: readonly Rule[]): void {
	if (rules.length + moreRules.length <= MAX_RULES) return;
	throw new WorkspaceAutomationError(
		"'Rules' and 'More Rules' have too many rules together",
		`Nothing was sent. Together, they can have ${MAX_RULES}. 'Rules' has ${rules.length}, and 'More Rules' ${moreRules.length}. Remove rules that have expired, or replace several by one with a wildcard.`,
	);
}

/** Refuses to approve hosts that anybody can register. */
function refuseOpenHost({ decision, pattern }: Rule, refuse: RefuseEntry): void {
	if (decision !== 'approve' || !hasOpenHost(pattern)) return;
	refuse(
		'has a host that ends with a wildcard',
		'Enter the whole host, such as https://docs.example.com/*. A wildcard at its end also matches other hosts.',
	);
}

/** Returns the pattern for a value after fixed text. A backslash at the end of that text stays one. */
const literalAfter = (before: string, value: string): string => {
	let backslashes = 0;
	while (before[before.length - 1 - backslashes] === '\\') backslashes++;
	return (backslashes % 2 === 1 ? '\\' : '') + escapePattern(value);
};

const isMissing = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

const isExpression = (raw: unknown): raw is string =>
	typeof raw === 'string' && raw.startsWith('=');

/** Treats fixed text as a pattern. Each value of an expression matches only itself, and an expression without a value nothing. */
const evaluated =
	(readFixed: ReadValue<string>, evaluate: FieldSource['evaluate']): ReadValue<string> =>
	(raw, refuse, name) => {
		if (!isExpression(raw)) return readFixed(raw, refuse, name);
		const advice = 'Check that the item that the expression reads from has that field.';
		const text = raw.slice(1).replace(/\{\{[^]*?\}\}/g, (expression, at: number, all: string) => {
			const value = evaluate(expression);
			if (isMissing(value)) return refuse(`has a ${name} without a value`, advice);
			// A date is a text between others, and a list or an object isn't.
			const valueText = String(value);
			return Array.isArray(value) || valueText.startsWith('[object ')
				? refuse(`needs a text as '${name}'`, advice)
				: literalAfter(all.slice(0, at), valueText);
		});
		return readFixed(text, refuse, name);
	};

/** Reads the field Rules. @throws WorkspaceAutomationError that names the rule, counted from 1 */
export function readRules(_label: string, value: unknown, { raw, evaluate }: FieldSource): Rule[] {
	const [rows, rawRows] = [value, raw].map((rules) => listRows(rules, 'rule').filter(isRecord));
	const unresolved = rows.map(({ decision, ...row }, index) => {
		const { permission, pattern } = rawRows[index] ?? row;
		return { permission, pattern, decision };
	});
	const schema = {
		permission: evaluated(RULE.permission, evaluate),
		pattern: evaluated(RULE.pattern, evaluate),
		decision: RULE.decision,
	};
	return readEntries(RULES, unresolved, (entry, refuse, index) => {
		const rule: Rule = readValues(schema, entry, refuse);
		refuseOpenHost(rule, refuse);
		return { ...rule, ...(isExpression(unresolved[index].pattern) && { hasValues: true }) };
	});
}

const DATE_TIME =
	/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** Returns whether a day exists. `Date.parse` reads February 30 as March 2. */
function isDay(day: string): boolean {
	const at = Date.parse(day);
	return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

const readExpiry: ReadValue<number | undefined> = (value, refuse) => {
	if (isMissing(value)) return undefined;
	const isRead = typeof value === 'string' && DATE_TIME.test(value) && isDay(value.slice(0, 10));
	const at = isRead ? Date.parse(value) : NaN;
	return Number.isNaN(at) ? refuse("needs an 'expires' with a date, a time and a time zone") : at;
};

const readRemembered: ReadValue<RememberedRequest> = (value, refuse) => {
	const { permission, patterns, hash } = isRecord(value) ? value : {};
	const isList = Array.isArray(patterns) && patterns.length > 0 && patterns.every(isString);
	return isList && !isBlank(permission) && isString(permission) && !isBlank(hash) && isString(hash)
		? { permission, patterns, hash }
		: refuse('has a request without permission, patterns or hash');
};

const MORE_RULE = { ...RULE, wildcard: entrySwitch, expires: readExpiry };
const REMEMBERED_RULE = { request: readRemembered, decision: RULE.decision, expires: readExpiry };

/**
 * Reads the option More Rules: rules from data and remembered requests. Texts match only themselves, unless `wildcard` is true.
 * @throws WorkspaceAutomationError that names the first entry that isn't a rule
 */
export const readMoreRules = (value: unknown): Rule[] =>
	readEntries(MORE_RULES, listEntries(MORE_RULES, value), (entry, refuse, index): Rule => {
		const name = `more rule ${index + 1}`;
		if (isRecord(entry) && !isBlank(entry.request)) {
			const { expires: expiresAt, ...rememberedRule } = readValues(REMEMBERED_RULE, entry, refuse);
			return { permission: '', pattern: '', ...rememberedRule, name, expiresAt };
		}
		const { wildcard, expires: expiresAt, ...rule } = readValues(MORE_RULE, entry, refuse);
		if (wildcard) refuseOpenHost(rule, refuse);
		return { ...rule, name, expiresAt, ...(!wildcard && { isLiteral: true }) };
	});
