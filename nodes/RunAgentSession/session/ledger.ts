import { toText, quote } from '../../shared/values';
import {
	fingerprintContent,
	NOT_A_LIST,
	type Interaction,
	type Session,
} from '../../shared/client/session';
import { decide, type Policy, type SettledVerdict } from '../policy/rules';

// Each decision that was sent has one line. The lines are JSON, so that a retry continues with them.

export const MAX_PENDING = 100;
/** An agent that asks more often isn't making progress. */
export const MAX_DECISIONS = 1_000;
/** Polls after which a resolved request counts as still pending if the service lists it */
const MAX_POLLS_AFTER_CONFIRMED = 4;
/** Polls without a request that confirm its decision, if the response to the decision was lost */
const MIN_POLLS_TO_INFER = 2;

/** A decision that was carried out, in the output's form. */
export interface DecisionRecord extends SettledVerdict {
	interactionId: string;
	permission: string;
	patterns: string[];
	/** ISO date-time */
	at: string;
	note?: string;
}

export interface LedgerLine {
	record: DecisionRecord;
	/** Fingerprint of the whole request, as it was pending then */
	content: string;
	/** `sent`: the outcome is unknown. `inferred`: the response was lost, and the request isn't listed anymore. */
	state: 'sent' | 'inferred' | 'confirmed' | 'refused';
	/** Polls since then. For `inferred`, those without the request. For `confirmed`, those that still list it. */
	polls: number;
}

export type Ledger = readonly LedgerLine[];

export interface DueDecision {
	interaction: Interaction;
	verdict: SettledVerdict;
}

export interface UndecidedRequest {
	interaction: Interaction;
	because: string;
}

/** Finds a request's line. A confirmed decision belongs only to a request with the same content. */
const findLine = (ledger: Ledger, interaction: Interaction): LedgerLine | undefined =>
	ledger.find(
		({ record, state, content }) =>
			record.interactionId === interaction.id &&
			(state !== 'confirmed' || content === fingerprintContent(interaction)),
	);

export const isStillPending = (session: Session, interaction: Interaction): boolean =>
	session.pendingInteractions.some(
		(pending) =>
			pending.id === interaction.id &&
			fingerprintContent(pending) === fingerprintContent(interaction),
	);

/** Returns the ledger after a poll. A failed session removes its list, which proves nothing. */
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

/** Returns whether a decision was sent, and no poll since then shows its outcome. */
export const hasUnknownDecision = (ledger: Ledger): boolean =>
	ledger.some(({ state, polls }) => state === 'sent' && polls === 0);

function reasonToAsk(
	interaction: Interaction,
	index: number,
	all: readonly Interaction[],
	line: LedgerLine | undefined,
	decided: number,
): string | undefined {
	if (index >= MAX_PENDING)
		return `the node decides at most ${MAX_PENDING} pending requests at once`;
	if (interaction.type === NOT_A_LIST) return "the session's pending requests aren't a list";
	if (fingerprintContent(interaction) === undefined) return 'it is nested too deeply';
	if (interaction.id !== '' && all.filter(({ id }) => id === interaction.id).length > 1)
		return 'another request that is pending has the same ID';
	if (line?.state === 'confirmed')
		return 'it was resolved, and the service still lists it as pending';
	if (!line && decided >= MAX_DECISIONS)
		return `${MAX_DECISIONS} requests of this session were decided already`;
	return undefined;
}

/** Returns whether a request may still disappear from the list by itself. */
const isSettling = ({ state, polls }: LedgerLine): boolean =>
	state === 'confirmed' ? polls < MAX_POLLS_AFTER_CONFIRMED : state === 'inferred' || polls === 0;

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

/** Records a decision that is about to be sent. Without a response, a later poll shows its outcome. */
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

export const recordConfirmed = (ledger: Ledger, due: DueDecision): Ledger =>
	updateLine(ledger, due, { state: 'confirmed' });

/** Returns whether an earlier decision of this request may have been carried out. */
export const wasSent = (ledger: Ledger, { interaction }: DueDecision): boolean =>
	findLine(ledger, interaction)?.state === 'sent';

const ALREADY_DECIDED_NOTE =
	'The service said that the request was already answered. Someone else may have answered it, or this decision reached the service twice.';

/** Records a refusal. @param before the ledger before the decision was sent: an earlier decision may be the reason */
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

/** Returns the decisions and doubts for the output. Each line is in one of the two, or in neither. */
export function summarizeDecisions(
	ledger: Ledger,
	session: Session | undefined,
): { decisions: DecisionRecord[]; doubts: string[] } {
	const decisions: DecisionRecord[] = [];
	const doubts: string[] = [];
	for (const { record, state, polls } of ledger) {
		const doubt = `Permission request ${quote(record.interactionId, 50)} may have been decided: "${quote(record.option, 50)}" was sent, and there was no response.`;
		// A completed session doesn't wait for any request.
		const isBorneOut = polls >= MIN_POLLS_TO_INFER || session?.status === 'completed';
		if (state === 'confirmed' || (state === 'inferred' && isBorneOut)) decisions.push(record);
		else if (state === 'inferred')
			doubts.push(`${doubt} Fewer than ${MIN_POLLS_TO_INFER} polls have left it out since then.`);
		else if (state === 'sent') doubts.push(doubt);
	}
	return { decisions, doubts };
}
