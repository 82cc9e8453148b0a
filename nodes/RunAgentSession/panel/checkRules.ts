import { WorkspaceAutomationError } from '../../shared/errors';
import { hasOpenHost } from '../policy/addresses';
import type { Rule } from '../policy/rule';

const MAX_RULES = 1_000;

/** Returns what's wrong with a rule, and what to do about it. */
function findMistake(
	{ permission, pattern, decision }: Rule,
	place: string,
): [problem: string, advice: string] | undefined {
	if (permission.trim() === '')
		return ['has no permission', `Enter a permission in ${place}, or * for every permission.`];
	if (pattern.trim() === '')
		return ['has no pattern', `Enter a pattern in ${place}, or * for everything.`];
	if (decision !== 'approve' || !hasOpenHost(pattern)) return undefined;
	return [
		'has a host that ends with a wildcard',
		`Enter the whole host in ${place}, such as https://docs.example.com/*. A wildcard at its end also matches other hosts.`,
	];
}

/**
 * Refuses rules with an empty field, because an expression that finds nothing would otherwise mean everything, and rules for hosts of anybody.
 * @throws WorkspaceAutomationError that names the rule, counted from 1
 */
export function checkRules(rules: readonly Rule[]): void {
	if (rules.length > MAX_RULES)
		throw new WorkspaceAutomationError(
			`'Rules' has more than ${MAX_RULES} rules`,
			`Rule ${MAX_RULES + 1} and those after it are too many. Replace several rules by one with a wildcard.`,
		);
	for (const [index, rule] of rules.entries()) {
		const mistake = findMistake(rule, `rule ${index + 1} of 'Rules'`);
		if (mistake) throw new WorkspaceAutomationError(`Rule ${index + 1} ${mistake[0]}`, mistake[1]);
	}
}
