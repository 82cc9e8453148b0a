import {
	chooseOption,
	readMeaning,
	readOptions,
	type OptionPreferences,
} from '../../shared/approvals/options';
import type { MatchBudget } from '../policy/globs';
import {
	applyPolicy,
	askVerdict,
	type AskVerdict,
	type Policy,
	type Ruling,
	type SettledRuling,
} from '../policy/rules';

// A decision with the option to send.

export interface SettledVerdict extends SettledRuling {
	/** In the type that the service gave it */
	option: string | number;
	/** True if the option can affect later requests */
	lasts?: true;
	fromNowOn?: true;
	approvers?: ApproverDecision[];
}

/** Choice of one of several approvers */
export interface ApproverDecision {
	name: string;
	/** `answer`: to a question, which no policy decides */
	decision: 'approve' | 'deny' | 'answer';
	/** ISO date-time */
	at: string;
	comment?: string;
}

export type Verdict = SettledVerdict | AskVerdict;

/** Chooses the option of a ruling. Asks if none clearly means the decision. */
export function chooseVerdict(
	interaction: unknown,
	ruled: Ruling,
	policy: OptionPreferences,
): Verdict {
	if (ruled.decision === 'ask') return ruled;
	const { decision, decidedBy } = ruled;
	const options = readOptions(interaction);
	const option = chooseOption(options, decision, policy);
	if (option === undefined)
		return askVerdict(`none of its options clearly means "${decision}"`, decidedBy);
	const chosen = options.find(({ value }) => value === option);
	const { lasts = false } = chosen ? readMeaning(chosen, policy) : {};
	return { ...ruled, option, ...(lasts && { lasts }) };
}

/** Decides a pending request, and chooses the option. */
export const decideRequest = (
	interaction: unknown,
	policy: Policy,
	budget?: MatchBudget,
): Verdict => chooseVerdict(interaction, applyPolicy(interaction, policy, budget), policy);
