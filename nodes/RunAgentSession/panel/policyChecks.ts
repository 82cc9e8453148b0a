import type { IDataObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../../shared/errors';
import { MAX_PATTERN_CHARACTERS, MAX_RULES } from '../../shared/limits';
import type { FieldSource } from '../../shared/n8n/fields';
import { hasOpenHost } from '../policy/addresses';
import { escapePattern } from '../../shared/globs';
import type { Decision, Rule } from '../policy/rule';
import { DECISION_CHOICES } from './policy';

/** Returns the pattern for a value after fixed text. A backslash at the end of that text stays one. */
const literalAfter = (before: string, value: string): string => {
	let backslashes = 0;
	while (before[before.length - 1 - backslashes] === '\\') backslashes++;
	return (backslashes % 2 === 1 ? '\\' : '') + escapePattern(value);
};

/** Returns what's wrong with a rule, and what to do about it. */
function findInvalidValue(
	{ permission, pattern, decision }: Rule,
	place: string,
): [problem: string, advice: string] | undefined {
	if (permission.trim() === '')
		return ['has no permission', `Enter a permission in ${place}, or * for every permission.`];
	if (pattern.trim() === '')
		return ['has no pattern', `Enter a pattern in ${place}, or * for everything.`];
	if (pattern.length > MAX_PATTERN_CHARACTERS)
		return [
			`has a pattern of more than ${MAX_PATTERN_CHARACTERS} characters`,
			`Shorten the pattern in ${place}, or end it with a wildcard.`,
		];
	if (decision !== 'approve' || !hasOpenHost(pattern)) return undefined;
	return [
		'has a host that ends with a wildcard',
		`Enter the whole host in ${place}, such as https://docs.example.com/*. A wildcard at its end also matches other hosts.`,
	];
}

/** @throws WorkspaceAutomationError that names the field with the rules that are too many */
export function checkRuleCount(rules: readonly Rule[], moreRules: readonly Rule[] = []): void {
	if (rules.length + moreRules.length <= MAX_RULES) return;
	const [label, entered] = moreRules.length > 0 ? ['More Rules', moreRules] : ['Rules', rules];
	const others = entered === rules ? '' : `, and 'Rules' ${rules.length}`;
	throw new WorkspaceAutomationError(
		`'${label}' has more rules than the limit allows`,
		`Nothing was sent. All rules together can be ${MAX_RULES}. '${label}' has ${entered.length}${others}. Remove rules that have expired, or replace several by one with a wildcard.`,
	);
}

/**
 * Refuses rules with an empty field, because an expression that finds nothing would otherwise mean everything, and rules for hosts of anybody.
 * @throws WorkspaceAutomationError that names the rule, counted from 1
 */
export function checkRules(rules: readonly Rule[]): void {
	checkRuleCount(rules);
	for (const [index, rule] of rules.entries()) {
		const invalid = findInvalidValue(rule, `rule ${index + 1} of 'Rules'`);
		if (invalid) throw new WorkspaceAutomationError(`Rule ${index + 1} ${invalid[0]}`, invalid[1]);
	}
}

/** Treats fixed text as a pattern. Each value of an expression matches only itself. */
function readPattern(
	label: string,
	index: number,
	raw: unknown,
	evaluate: FieldSource['evaluate'],
): string {
	if (raw === undefined || raw === null) return '';
	const refuse = (problem: string): never => {
		throw new WorkspaceAutomationError(
			`'${label}' of rule ${index + 1} ${problem}`,
			`Enter a text such as git status for '${label}' in rule ${index + 1} of 'Rules'. If it's an expression, check that the item it reads from has that field.`,
		);
	};
	if (typeof raw !== 'string') return refuse('is not a text');
	if (!raw.startsWith('=')) return raw;
	return raw.slice(1).replace(/\{\{[^]*?\}\}/g, (expression, at: number, whole: string) => {
		const value = evaluate(expression);
		if (value === undefined || value === null || value === '') return refuse('has no value');
		// A date is a text between others, and a list or an object isn't.
		const text = String(value);
		return Array.isArray(value) || text.startsWith('[object ')
			? refuse('is not a text')
			: literalAfter(whole.slice(0, at), text);
	});
}

export function checkRuleFields(
	_label: string,
	value: unknown,
	{ raw, evaluate }: FieldSource,
): Rule[] {
	const [entered, withExpressions] = [value, raw].map(
		(rules) => (rules as { rule?: IDataObject[] } | undefined)?.rule ?? [],
	);
	const rules = entered.map((rule, index): Rule => {
		const unresolved = withExpressions[index] ?? rule;
		const decision = rule.decision as Decision;
		if (!Object.hasOwn(DECISION_CHOICES, decision))
			throw new WorkspaceAutomationError(
				`Rule ${index + 1} has no decision`,
				`Choose Approve, Deny or Ask for Approval in rule ${index + 1} of 'Rules'.`,
			);
		const isExpression =
			typeof unresolved.pattern === 'string' && unresolved.pattern.startsWith('=');
		return {
			permission: readPattern('Permission', index, unresolved.permission, evaluate),
			pattern: readPattern('Pattern', index, unresolved.pattern, evaluate),
			decision,
			...(isExpression && { hasValues: true }),
		};
	});
	checkRules(rules);
	return rules;
}
