import type { ApproverDecision, SettledVerdict } from '../policy/rules';
import type { PageChoiceName } from './choices';

// The answers of people to one request. A single approver is a team of one.

export interface Vote {
	/** Missing if the approver has no name */
	name?: string;
	/** Position among the approvers of the question */
	approver: number;
	decision: 'approve' | 'deny';
	/** In the type that the service gave it */
	option: string | number;
	/** The option for Approve once, if the page offered it */
	once?: string | number;
	fromNowOn?: true;
	/** The choice's name on the page */
	choice: PageChoiceName;
	comment?: string;
	/** Milliseconds since 1970 */
	at: number;
}

export type TalliedVerdict = Omit<SettledVerdict, 'decidedBy'>;

export const hasVoted = (votes: readonly Vote[], approver: number): boolean =>
	votes.some((vote) => vote.approver === approver);

/** Adds a vote. Returns undefined if the approver has voted, or if the votes decide without it. */
export function castVote(votes: readonly Vote[], vote: Vote, needed: number): Vote[] | undefined {
	if (hasVoted(votes, vote.approver) || tally(votes, needed)) return undefined;
	return [...votes, vote];
}

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

/**
 * Returns what the votes decide, or undefined while some are missing. One denial denies. Approvers who chose different ways to approve have
 * all approved once. If the request offers no way to approve once, they have to be asked again.
 */
export function tally(votes: readonly Vote[], needed: number): TalliedVerdict | undefined {
	const denial = votes.find(({ decision }) => decision === 'deny');
	const counted = denial ? votes.slice(0, votes.indexOf(denial) + 1) : votes.slice(0, needed);
	if (!denial && counted.length < needed) return undefined;
	const approvers = counted.flatMap(toApprover);
	const common = {
		...(approvers.length > 0 && { approvers }),
		...(approvers.length === 0 &&
			counted[0].comment !== undefined && { comment: counted[0].comment }),
	};
	if (denial) return { decision: 'deny', option: denial.option, ...common };
	const [{ option }] = counted;
	const isAgreed = counted.every((vote) => vote.option === option);
	const chosen = isAgreed
		? option
		: counted.map(({ once }) => once).find((each) => each !== undefined);
	if (chosen === undefined) return undefined;
	const fromNowOn = counted.every((vote) => vote.fromNowOn);
	return { decision: 'approve', option: chosen, ...(fromNowOn && { fromNowOn: true }), ...common };
}

/** Returns whether enough approvers have answered without deciding anything: they agree on no way to approve. */
export const isDeadlocked = (votes: readonly Vote[], needed: number): boolean =>
	votes.length >= needed && tally(votes, needed) === undefined;
