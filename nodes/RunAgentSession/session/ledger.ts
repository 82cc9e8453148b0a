import { toText, quote } from '../../shared/values';
import {
	fingerprintContent,
	NOT_A_LIST,
	type Interaction,
	type Session,
} from '../../shared/client/session';
import { decide, type Policy, type SettledVerdict } from '../policy/rules';

// What became of each interaction: one line for each decision that was sent. What is sent next, what is left to a person, and what
// the output says of it are all read from these lines. No effects; the lines are JSON, so that a retry goes on with them.

/** Requests that are looked at in one reading of a session */
export const MAX_PENDING = 100;
/** Decisions of a session: an agent that asks more often has lost its way */
export const MAX_DECISIONS = 1_000;
/** Polls after which a resolved request that is still listed is one that the service waits for */
const MAX_POLLS_AFTER_CONFIRMED = 4;
/** Polls without it that bear out that a request was resolved, where the answer to its decision was lost */
const MIN_POLLS_TO_INFER = 2;

/** A decision that was carried out, as the output lists it. */
export interface DecisionRecord extends SettledVerdict {
	interactionId: string;
	permission: string;
	patterns: string[];
	/** ISO date-time */
	at: string;
	/** What is not certain about it */
	note?: string;
}

export interface LedgerLine {
	/** What was pending when the decision was sent, and what was sent */
	record: DecisionRecord;
	/** Stands for the whole interaction, as it was pending then */
	content: string;
	/**
	 * - `sent`: nobody knows what became of it.
	 * - `inferred`: the answer was lost, and the interaction is listed no longer.
	 * - `confirmed`: the service said that it carried it out.
	 * - `refused`: the service said no.
	 */
	state: 'sent' | 'inferred' | 'confirmed' | 'refused';
	/** Polls since then: of what is inferred those that bear it out, of what is confirmed those that still list it */
	polls: number;
}

export type Ledger = readonly LedgerLine[];

/** A decision that is to be sent. */
export interface DueDecision {
	interaction: Interaction;
	verdict: SettledVerdict;
}

/** An interaction that a person has to decide. */
export interface UndecidedRequest {
	interaction: Interaction;
	because: string;
}

/** The line of an interaction that is pending. One that was carried out stays the line of that very request alone. */
const findLine = (ledger: Ledger, interaction: Interaction): LedgerLine | undefined =>
	ledger.find(
		({ record, state, content }) =>
			record.interactionId === interaction.id &&
			(state !== 'confirmed' || content === fingerprintContent(interaction)),
	);

/** Whether a session still lists an interaction, just as it was. */
export const isStillPending = (session: Session, interaction: Interaction): boolean =>
	session.pendingInteractions.some(
		(pending) =>
			pending.id === interaction.id &&
			fingerprintContent(pending) === fingerprintContent(interaction),
	);

/** The lines after a poll. A session that failed takes down its list, which tells nothing. */
export function applyPollToLedger(ledger: Ledger, session: Session): Ledger {
	if (session.status === 'failed') return ledger;
	return ledger.map((line): LedgerLine => {
		const { interactionId } = line.record;
		const listed = session.pendingInteractions.filter(({ id }) => id === interactionId);
		const after = { ...line, polls: line.polls + 1 };
		if (line.state === 'refused') return after;
		if (line.state === 'confirmed')
			return listed.some((each) => fingerprintContent(each) === line.content) ? after : line;
		if (listed.length > 0) return { ...after, state: 'sent' };
		return line.state === 'inferred' ? after : { ...line, state: 'inferred', polls: 0 };
	});
}

/** Whether a decision was sent of which no poll since could tell what became of it. */
export const hasUnknownDecision = (ledger: Ledger): boolean =>
	ledger.some(({ state, polls }) => state === 'sent' && polls === 0);

/** Why an interaction is not for the policy to decide, whatever that says; undefined where it is. */
function reasonToAsk(
	interaction: Interaction,
	index: number,
	all: readonly Interaction[],
	line: LedgerLine | undefined,
	decided: number,
): string | undefined {
	if (index >= MAX_PENDING) return `only ${MAX_PENDING} requests are looked at at once`;
	if (interaction.type === NOT_A_LIST) return 'what is pending is not a list';
	if (fingerprintContent(interaction) === undefined) return 'it is nested too deeply';
	if (interaction.id !== '' && all.filter(({ id }) => id === interaction.id).length > 1)
		return 'another request that is pending has the same ID';
	if (line?.state === 'confirmed')
		return 'it was resolved, and the service still lists it as pending';
	if (!line && decided >= MAX_DECISIONS)
		return `${MAX_DECISIONS} requests of this session were decided already`;
	return undefined;
}

/** Whether an interaction may still disappear from the list by itself. */
const isSettling = ({ state, polls }: LedgerLine): boolean =>
	state === 'confirmed' ? polls < MAX_POLLS_AFTER_CONFIRMED : state === 'inferred' || polls === 0;

/** What is to be sent, and what is left to a person, by what the policy says about all that is pending now. */
export function planDecisions(
	ledger: Ledger,
	{ pendingInteractions }: Session,
	policy: Policy,
): { due: DueDecision[]; undecided: UndecidedRequest[] } {
	const due: DueDecision[] = [];
	const undecided: UndecidedRequest[] = [];
	for (const [index, interaction] of pendingInteractions.entries()) {
		const line = findLine(ledger, interaction);
		if (line && isSettling(line)) continue;
		const decided = ledger.length + due.length;
		const because = reasonToAsk(interaction, index, pendingInteractions, line, decided);
		const verdict =
			because === undefined ? decide(interaction, policy) : { decision: 'ask' as const, because };
		if (verdict.decision === 'ask') undecided.push({ interaction, because: verdict.because });
		else due.push({ interaction, verdict });
	}
	return { due, undecided };
}

function addLine(
	ledger: Ledger,
	{ interaction, verdict }: DueDecision,
	state: LedgerLine['state'],
	at: string,
	note?: string,
): Ledger {
	const { permission, patterns } = interaction;
	const record: DecisionRecord = {
		interactionId: interaction.id,
		permission: toText(permission ?? ''),
		patterns: Array.isArray(patterns) ? patterns.map(toText) : [],
		...verdict,
		at,
		...(note !== undefined && { note }),
	};
	const earlier = findLine(ledger, interaction);
	const line = { record, content: fingerprintContent(interaction) ?? '', state, polls: 0 };
	return [...ledger.filter((each) => each !== earlier), line];
}

/** The lines once a decision is under way: noted before, so that a later reading tells if nothing else does. */
export const recordSent = (ledger: Ledger, due: DueDecision, at: string): Ledger =>
	addLine(ledger, due, 'sent', at);

function updateLine(
	ledger: Ledger,
	{ interaction }: DueDecision,
	changes: Partial<LedgerLine>,
): Ledger {
	const line = findLine(ledger, interaction);
	return ledger.map((each) => (each === line ? { ...each, ...changes } : each));
}

/** The lines once the service said that it carried a decision out. */
export const recordConfirmed = (ledger: Ledger, due: DueDecision): Ledger =>
	updateLine(ledger, due, { state: 'confirmed' });

/** Whether an earlier decision of this interaction may have been carried out. */
export const wasSent = (ledger: Ledger, { interaction }: DueDecision): boolean =>
	findLine(ledger, interaction)?.state === 'sent';

const ALREADY_DECIDED_NOTE =
	'The service said that it was answered already: by somebody else, or because this decision reached it twice.';

/**
 * The lines once a decision was refused.
 * @param before as they were before it was sent: an earlier one may be why
 * @param isGone whether the refusal says that there is nothing to decide any more; a later reading tells
 */
export function recordRefused(
	before: Ledger,
	due: DueDecision,
	at: string,
	isGone: boolean,
): Ledger {
	if (wasSent(before, due)) return updateLine(before, due, { polls: 0 });
	return isGone
		? addLine(before, due, 'sent', at, ALREADY_DECIDED_NOTE)
		: addLine(before, due, 'refused', at);
}

/** What the output says: each line is in one of the two, or in neither. */
export function summarizeDecisions(
	ledger: Ledger,
	session: Session | undefined,
): { decisions: DecisionRecord[]; doubts: string[] } {
	const decisions: DecisionRecord[] = [];
	const doubts: string[] = [];
	for (const { record, state, polls } of ledger) {
		const doubt = `Permission request ${quote(record.interactionId, 50)} may have been decided: "${quote(record.option, 50)}" was sent for it, and no answer came.`;
		// A session that completed has waited for nothing.
		const isBorneOut = polls >= MIN_POLLS_TO_INFER || session?.status === 'completed';
		if (state === 'confirmed' || (state === 'inferred' && isBorneOut)) decisions.push(record);
		else if (state === 'inferred')
			doubts.push(
				`${doubt} It is listed no longer, but only for less than ${MIN_POLLS_TO_INFER} polls.`,
			);
		else if (state === 'sent') doubts.push(doubt);
	}
	return { decisions, doubts };
}
