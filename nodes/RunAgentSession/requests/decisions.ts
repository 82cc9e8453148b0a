import {
	chooseOption,
	readMeaning,
	readOptions,
	type OptionPreferences,
} from '../../shared/approvals/options';
import { isQuestion, findShapeProblem } from '../../shared/approvals/interaction';
import { isRecord } from '../../shared/values';
import type { Interaction } from '../../shared/client/session';
import {
	askVerdict,
	createJudge,
	type AskVerdict,
	type Policy,
	type Ruling,
} from '../policy/rules';
import { decidedByVotes, type Voting } from './ballots';
import {
	findChange,
	reasonToAsk,
	isChanging,
	isWaiting,
	type RequestRecord,
} from './requestRecord';
import type { RequestVerdict, SettledVerdict } from './votes';

/** Chooses the option of a ruling. Asks if none clearly means the decision. */
export function chooseVerdict(
	interaction: unknown,
	ruled: Ruling,
	policy: OptionPreferences,
): SettledVerdict | AskVerdict {
	const problem = isRecord(interaction) ? findShapeProblem(interaction) : undefined;
	if (problem !== undefined) return askVerdict(problem);
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

/** Returns a function that decides the requests of one reading or call. */
export function createDecider(
	policy: Policy,
): (interaction: unknown) => SettledVerdict | AskVerdict {
	const judge = createJudge(policy);
	return (interaction) => chooseVerdict(interaction, judge(interaction), policy);
}

export const decideRequest = (interaction: unknown, policy: Policy): SettledVerdict | AskVerdict =>
	createDecider(policy)(interaction);

/** What decides a pending request without its votes. A question is decided by an answer only. */
export type Decide = (interaction: Interaction) => RequestVerdict | AskVerdict;

export const LEFT_QUESTION = askVerdict("it's a question, which only an approver answers");

export interface DueDecision {
	record: RequestRecord;
	verdict: RequestVerdict;
}

export interface UndecidedRequest {
	record: RequestRecord;
	interaction: Interaction;
	because: string;
	/** True if approvers can only decide or answer it in the dashboard */
	isBlocked?: true;
}

interface DecisionPlan {
	/** Denials last: a denial may end the agent's other requests */
	due: DueDecision[];
	undecided: UndecidedRequest[];
}

/** Returns the decisions to send now, and the requests that are left for approvers. People's answers win over the policy. */
export function planDecisions(
	records: readonly RequestRecord[],
	voting: Voting,
	decide: Decide,
): DecisionPlan {
	const pending = records.filter(({ interaction }) => interaction !== undefined);
	const decided = records.filter(({ decision }) => decision !== undefined).length;
	const due: DueDecision[] = [];
	const undecided: UndecidedRequest[] = [];
	for (const record of pending) {
		if (isWaiting(record)) continue;
		const interaction = record.interaction!;
		const obstacle = reasonToAsk(record, decided + due.length);
		const verdict = obstacle === undefined ? findVerdict(record, voting, decide) : undefined;
		if (verdict && verdict.decision !== 'ask') {
			due.push({ record, verdict });
			continue;
		}
		const because = obstacle ?? findChange(record);
		undecided.push({
			record,
			interaction,
			because: because ?? (verdict as AskVerdict).because,
			...(because !== undefined && { isBlocked: true }),
		});
	}
	const rank = ({ verdict }: DueDecision) => (verdict.decision === 'deny' ? 1 : 0);
	return { due: due.sort((one, other) => rank(one) - rank(other)), undecided };
}

function findVerdict(
	record: RequestRecord,
	voting: Voting,
	decide: Decide,
): RequestVerdict | AskVerdict {
	const interaction = record.interaction!;
	const voted = decidedByVotes(record, voting);
	if (voted && !isChanging(record)) return { ...voted, decidedBy: 'page' };
	const verdict = decide(interaction);
	if (isQuestion(interaction)) return verdict;
	if (record.wasResolved && verdict.decision !== 'ask')
		return {
			decision: 'ask',
			because: 'it was resolved, and the service still lists it as pending',
		};
	return verdict;
}

/** Returns whether a decision was sent, and no poll since then shows what came of it. */
export const hasUnknownDecision = (records: readonly RequestRecord[]): boolean =>
	records.some(
		({ decision }) => decision?.state === 'sent' && !decision.isTaken && decision.pollsShown === 0,
	);
