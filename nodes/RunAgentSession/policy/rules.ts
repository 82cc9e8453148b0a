import { quoteVisible } from '../../shared/approvals/visibleText';
import type { OptionPreferences } from '../../shared/approvals/options';
import { oncePer } from '../../shared/lazily';
import { canBeId } from '../../shared/validation';
import { wholeRequest } from '../../shared/approvals/largeRequest';
import { isTooDeep, toText, isRecord, quoteText } from '../../shared/values';
import { MATCH_BUDGET, isSpent, type MatchBudget } from './globs';
import type { Decision, Rule } from './rule';
import { indexRules } from './compiledRule';
import type { ComparedRequest, ComparedText } from './matcher';
import { findUnreadable, readRequest, TOO_LONG } from './texts';

// Decides requests. Never throws for the service's data: approvers decide requests that rules can't read.

export interface Policy extends OptionPreferences {
	mode: 'ask' | 'approve' | 'deny' | 'rules';
	rules: Rule[];
	/** Evaluated after `rules` */
	moreRules?: readonly Rule[];
	defaultDecision: Decision;
}

/** Returns the policy without rules that have expired: the same one if none has. */
export function withoutExpired(policy: Policy, now: number): Policy {
	const { moreRules = [] } = policy;
	const current = moreRules.filter(({ expiresAt = Infinity }) => now < expiresAt);
	return current.length === moreRules.length ? policy : { ...policy, moreRules: current };
}

export interface SettledRuling {
	decision: 'approve' | 'deny';
	/** `policy`, `rule 2`, `more rule 2`, `rule 1 and rule 2`, `default decision`, `answer` or `page` */
	decidedBy: string;
	/** Which rule decided which part */
	because?: string;
	comment?: string;
}

export interface AskVerdict {
	decision: 'ask';
	because: string;
	/** Missing if no setting could decide */
	decidedBy?: string;
}

export type Ruling = SettledRuling | AskVerdict;

export const askVerdict = (because: string, decidedBy?: string): AskVerdict => ({
	decision: 'ask',
	because,
	...(decidedBy !== undefined && { decidedBy }),
});

const DEFAULT_DECISION = 'default decision';
const DECIDES = { approve: 'approves', deny: 'denies', ask: 'asks for approval of' };
const MAX_NAMED = 3;

/** Decision about one text, or about one part of a command */
interface TextRuling {
	decision: Decision;
	decidedBy: string;
	because: string;
}

const indexPolicy = oncePer(({ rules, moreRules = [] }: Policy) =>
	indexRules([...rules, ...moreRules]),
);

/** Applies the first rule that reaches a text. A rule that denies or asks, and may reach it, leaves it to an approver. */
function ruleText(
	compared: ComparedText,
	request: ComparedRequest,
	policy: Policy,
	budget: MatchBudget,
): TextRuling {
	const { isTooLong } = compared;
	const text = quoteText(compared.shown);
	let kept: string | undefined;
	for (const { name, rule, reach } of indexPolicy(policy)(compared, budget)) {
		const { decision, pattern } = rule;
		const reached = reach(compared, budget, request);
		if (reached.reach === 'yes')
			return { decision, decidedBy: name, because: `${name} ${DECIDES[decision]} ${text}` };
		if (reached.reach === 'doubt') {
			const because = `${name} ${DECIDES[decision]} ${quoteText(pattern)}, and may mean ${text}: ${reached.because}`;
			return { decision: 'ask', decidedBy: name, because: isTooLong ? TOO_LONG : because };
		}
		if (reached.reach === 'held') kept ??= `${name} doesn't approve ${text}: ${reached.because}`;
	}
	return {
		decision: isTooLong ? 'ask' : policy.defaultDecision,
		decidedBy: DEFAULT_DECISION,
		because: isTooLong ? TOO_LONG : (kept ?? `no rule covers ${text}`),
	};
}

/** Joins different texts, and counts those after the first few. */
function joinUnique(rulings: TextRuling[], name: keyof TextRuling, joint: string): string {
	const unique = [...new Set(rulings.map((each) => each[name]))];
	const others = unique.length - MAX_NAMED;
	return [...unique.slice(0, MAX_NAMED), ...(others > 0 ? [`${others} more`] : [])].join(joint);
}

/** Decides each text and each part of a command. One denial denies, and one "ask" asks. */
function applyRules(
	request: Record<string, unknown> | undefined,
	policy: Policy,
	budget: MatchBudget,
): Ruling {
	if (!request) return askVerdict('only a part of it is here');
	const unreadable = findUnreadable(request);
	if (unreadable !== undefined) return askVerdict(unreadable);
	const compared = readRequest(request, budget);
	const rulings: TextRuling[] = [];
	for (const text of compared.texts) {
		rulings.push(ruleText(text, compared, policy, budget));
		if (isSpent(budget)) return askVerdict(TOO_LONG);
	}
	const order: Decision[] = ['deny', 'ask', 'approve'];
	const decision = order.find((each) => rulings.some((one) => one.decision === each))!;
	const deciding = rulings.filter((one) => one.decision === decision);
	return {
		decision,
		decidedBy: joinUnique(deciding, 'decidedBy', ' and '),
		because: joinUnique(deciding, 'because', ', '),
	};
}

/** Returns the reason why a pending request can't be decided, or undefined. */
export function findObstacle(interaction: unknown): string | undefined {
	if (isTooDeep(interaction)) return "it's nested too deeply";
	if (!isRecord(interaction)) return "it isn't an object";
	const { id, type } = interaction;
	if (typeof id !== 'string' || !canBeId(id)) return 'it has no ID to answer to';
	return type === 'permission'
		? undefined
		: `its type ${quoteVisible(toText(type), 60)} isn't a permission request`;
}

/**
 * Applies the policy. Only rules need a permission and patterns, and leave a request without them to an approver.
 * @param budget shared by all requests of a poll
 */
export function applyPolicy(
	interaction: unknown,
	policy: Policy,
	budget: MatchBudget = { left: MATCH_BUDGET },
): Ruling {
	const obstacle = findObstacle(interaction);
	if (obstacle !== undefined || !isRecord(interaction)) return askVerdict(String(obstacle));
	const { mode } = policy;
	if (mode === 'rules') return applyRules(wholeRequest(interaction), policy, budget);
	return mode === 'ask'
		? askVerdict('the permission policy asks for approval', 'policy')
		: { decision: mode, decidedBy: 'policy' };
}
