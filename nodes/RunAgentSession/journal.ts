import type { ItemRecord } from '../shared/n8n/executionJournal';

/** A decision that was carried out, as the output lists it. */
export interface DecisionRecord {
	interactionId: string;
	permission: string;
	patterns: string[];
	decision: 'approve' | 'deny';
	/** The value that was sent for it */
	option: string | number;
	/** `policy`, `rule 2`, `default decision` or `answer` */
	decidedBy: string;
	/** ISO date-time */
	at: string;
}

/** What the node has done for one item so far. */
export interface Entry {
	/** `sending` from before a start or a message is sent until its fate is known, `sent` once it is known to have arrived */
	state: 'new' | 'sending' | 'sent';
	sessionId?: string;
	dashboardUrl?: string;
	decisions: DecisionRecord[];
	/** Sent, and not known to be carried out or refused: a later reading tells, maybe in a later try */
	undetermined: DecisionRecord[];
}

/** The record that keeps a retry from starting a second session: cleared when there is nothing left to continue. */
export type Journal = ItemRecord<Entry>;
