import {
	chooseOption,
	readMeaning,
	readOptions,
	type OptionPreferences,
} from '../../shared/approvals/options';
import { isQuestion, findShapeProblem } from '../../shared/approvals/interaction';
import { isRecord, omit, quote } from '../../shared/values';
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
	type SentDecision,
	type DecisionState,
} from './requestRecord';
import type { RequestVerdict, SettledVerdict } from './votes';
import {
	isSameRequest,
	readWholeRequest,
	type RememberedRequest,
} from '../../shared/approvals/rememberedRequest';
import { sumEdits, type Edit } from '../changes/change';

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

/** Returns a request that is left for approvers. @param obstacle why neither a decision nor an answer can be sent */
export function leaveUndecided(
	record: RequestRecord,
	obstacle: string | undefined,
	otherwise = 'an approver decides',
): UndecidedRequest {
	const blocked = obstacle ?? findChange(record);
	const isBlocked = blocked !== undefined && ({ isBlocked: true } as const);
	return { record, interaction: record.interaction!, because: blocked ?? otherwise, ...isBlocked };
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
		const obstacle = reasonToAsk(record, decided + due.length);
		const verdict = obstacle === undefined ? findVerdict(record, voting, decide) : undefined;
		if (verdict && verdict.decision !== 'ask') {
			due.push({ record, verdict });
			continue;
		}
		undecided.push(leaveUndecided(record, obstacle, verdict?.because));
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

/** A decision in the output's form */
export interface DecisionSummary extends Partial<Omit<RequestVerdict, 'isText'>> {
	interactionId: string;
	permission: string;
	patterns: string[];
	/** `quiet`: the node's own request about a quiet session */
	kind?: 'quiet';
	/** The beginning of a question, and what was answered */
	question?: string;
	answer?: string;
	/** What happened. Only `confirmed` counts as approved or denied. */
	state: DecisionState;
	/** ISO date-time */
	at: string;
}

/** Decides only the same whole request. */
export interface RememberedRule {
	request: RememberedRequest;
	decision: 'approve';
}

/** Returns the rules that approve exactly these requests, each once. */
export const rememberRequests = (requests: readonly RememberedRequest[]): RememberedRule[] =>
	requests
		.filter((request, at) => requests.findIndex((each) => isSameRequest(each, request)) === at)
		.map((request) => ({ request, decision: 'approve' }));

/** Returns the rule that approves exactly this request. Undefined if rules can't read it. */
export function suggestRule(given: Record<string, unknown>): RememberedRule | undefined {
	const request = readWholeRequest(given);
	return request && { request, decision: 'approve' };
}

const WARNINGS: Partial<Record<DecisionState, string>> = {
	sent: 'was sent, and no poll has shown yet what came of it',
	unconfirmed: "couldn't be confirmed: the request was still pending, or the response was lost",
	gone: "wasn't needed: the request was gone before the decision was taken",
	refused: 'was refused by the service',
};

/** An answer is `answer`, because it may be no option. */
function showVerdict(decided: SentDecision['verdict']) {
	const { option, ...verdict } = omit(decided, 'isText');
	return verdict.decision === 'answer' ? { ...verdict, answer: option } : { ...verdict, option };
}

/** Returns the decisions, a warning for each that isn't known to have taken effect, the rules of those made from now on, and the files that they changed. */
export function summarizeDecisions(records: readonly RequestRecord[]): {
	decisions: DecisionSummary[];
	warnings: string[];
	rulesToRemember: RememberedRule[];
	changes: Edit[];
} {
	const decisions = records.flatMap((record): DecisionSummary[] => {
		const { id, permission, patterns, question, quiet, decision } = record;
		if (!decision) return [];
		const { verdict, state, at } = decision;
		return [
			{
				...(quiet && { kind: 'quiet' as const }),
				interactionId: id,
				permission,
				patterns,
				...(question !== undefined && { question }),
				...showVerdict(verdict),
				state,
				at: new Date(at).toISOString(),
			},
		];
	});
	const warnings = decisions.flatMap(({ interactionId, decision, option, answer, state }) =>
		WARNINGS[state] === undefined
			? []
			: `The decision "${decision}" (${quote(option ?? answer, 50)}) about request ${quote(interactionId, 50)} ${WARNINGS[state]}.`,
	);
	const remembered = records.flatMap(({ decision }) => decision?.remembered ?? []);
	const edits = records.flatMap(({ decision }) =>
		decision?.state === 'confirmed' ? (decision.edits ?? []) : [],
	);
	return {
		decisions,
		warnings,
		rulesToRemember: rememberRequests(remembered),
		changes: sumEdits(edits),
	};
}
