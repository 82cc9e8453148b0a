import type { IDataObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../../shared/errors';
import type { Field, FieldSource } from '../../shared/n8n/fields';
import { readAnswer, readAnswerText, type Answer } from '../requests/answer';
import { readRequestsShown } from '../requests/request';
import { escapePattern } from '../policy/globs';
import type { Decision, Rule } from '../policy/rule';
import type { Interaction } from '../../shared/client/session';
import { checkRules } from './checkRules';
import { readMoreRules } from './moreRules';
import { DECISION_CHOICES } from './policy';

/** Returns the pattern for a value after fixed text. A backslash at the end of that text stays one. */
const literalAfter = (before: string, value: string): string => {
	let backslashes = 0;
	while (before[before.length - 1 - backslashes] === '\\') backslashes++;
	return (backslashes % 2 === 1 ? '\\' : '') + escapePattern(value);
};

export const checkAnswer: Field<Answer>['check'] = (_label, value) => readAnswer(value);

export const checkAnswerText: Field<Answer>['check'] = (_label, value) => readAnswerText(value);

export const checkRequestsShown: Field<Interaction[]>['check'] = (_label, value) =>
	readRequestsShown(value);

export const checkMoreRules: Field<Rule[]>['check'] = (_label, value) => readMoreRules(value);

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
		return typeof value === 'object'
			? refuse('is not a text')
			: literalAfter(whole.slice(0, at), String(value));
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
