import type { ChoiceName, LastsFor } from '../../shared/approvals/options';
import type { SettledRuling } from '../policy/rules';

// What people's answers to one request say together. A single approver is a team of one.

/** Sends the option of Approve once. The workflow gets rules for later requests. */
export const FROM_NOW_ON = 'Approve from now on';

export type VoteName = ChoiceName | typeof FROM_NOW_ON | 'Answer';

export interface Vote {
	/** Missing if the approver has no name */
	name?: string;
	/** Position among the approvers of the ballot */
	approver: number;
	decision: RequestVerdict['decision'];
	/** The answer, for a question */
	option: string;
	/** True if the answer is a text of the approver's own */
	isText?: true;
	/** The option for Approve once, if the page offered it */
	once?: string;
	/** For how long a lasting option lasts, if its words say so */
	lastsFor?: LastsFor;
	fromNowOn?: true;
	choice: VoteName;
	comment?: string;
	/** Milliseconds since 1970 */
	at: number;
}

/** What an approver chooses */
export type ChosenVote = Omit<Vote, 'name' | 'approver' | 'comment' | 'at'>;

/** A decision with the option to send */
export interface SettledVerdict extends SettledRuling {
	option: string;
	/** True if the option can affect later requests */
	lasts?: true;
	fromNowOn?: true;
	approvers?: ApproverDecision[];
}

/** Choice of one of several approvers */
interface ApproverDecision {
	name: string;
	/** `answer`: to a question, which no policy decides */
	decision: 'approve' | 'deny' | 'answer';
	/** ISO date-time */
	at: string;
	comment?: string;
}

/** What is sent about a request: a decision, or the answer to a question */
export interface RequestVerdict extends Omit<SettledVerdict, 'decision'> {
	decision: SettledVerdict['decision'] | 'answer';
	isText?: true;
}

type TalliedVerdict = Omit<RequestVerdict, 'decidedBy'>;

export const hasVoted = (votes: readonly Vote[], approver: number): boolean =>
	votes.some((vote) => vote.approver === approver);

const toApprover = ({ name, decision, at, comment }: Vote): ApproverDecision[] =>
	name === undefined
		? []
		: [
				{
					name,
					decision,
					at: new Date(at).toISOString(),
					...(comment !== undefined && { comment }),
				},
			];

/** Returns the approvers who decided, or the comment of one without a name. */
function nameDeciders(votes: readonly Vote[]): Pick<TalliedVerdict, 'approvers' | 'comment'> {
	const approvers = votes.flatMap(toApprover);
	const { comment } = votes[0];
	if (approvers.length > 0) return { approvers };
	return comment === undefined ? {} : { comment };
}

/** Returns the option that lasts for the session only, if all others last longer. */
function findNarrowest(votes: readonly Vote[]): Vote['option'] | undefined {
	const narrow = votes.filter(({ lastsFor }) => lastsFor === 'session');
	const isClear = votes.every(({ lastsFor }) => lastsFor !== undefined);
	const [{ option } = {}] = narrow;
	return isClear && narrow.every((vote) => vote.option === option) ? option : undefined;
}

const findOnce = (votes: readonly Vote[]): Vote['option'] | undefined =>
	votes.map(({ once }) => once).find((each) => each !== undefined);

/**
 * Returns what the votes decide, or undefined while some are missing. One denial denies, and the first answer to a question counts.
 * Of two lasting ways to approve, the narrower one counts. Otherwise, approvers who chose different ways have all approved once. If the
 * request offers no way to approve once, they have to be asked again.
 */
export function tally(votes: readonly Vote[], needed: number): TalliedVerdict | undefined {
	const [first] = votes;
	if (first?.decision === 'answer') {
		const { decision, option, isText } = first;
		return { decision, option, ...(isText && { isText }), ...nameDeciders([first]) };
	}
	const denial = votes.find(({ decision }) => decision === 'deny');
	const counted = denial ? votes.slice(0, votes.indexOf(denial) + 1) : votes.slice(0, needed);
	if (!denial && counted.length < needed) return undefined;
	const deciders = nameDeciders(counted);
	if (denial) return { decision: 'deny', option: denial.option, ...deciders };
	const [{ option }] = counted;
	const isAgreed = counted.every((vote) => vote.option === option);
	const chosen = isAgreed ? option : (findNarrowest(counted) ?? findOnce(counted));
	if (chosen === undefined) return undefined;
	const fromNowOn = counted.every((vote) => vote.fromNowOn);
	return {
		decision: 'approve',
		option: chosen,
		...(fromNowOn && { fromNowOn: true }),
		...deciders,
	};
}

/** Returns whether enough approvers have answered without deciding anything: they agree on no way to approve. */
export const isDeadlocked = (votes: readonly Vote[], needed: number): boolean =>
	votes.length >= needed && tally(votes, needed) === undefined;
