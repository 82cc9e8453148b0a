import type { ItemRecord } from '../shared/n8n/executionJournal';
import type { Ledger } from './ledger';
import type { Turn } from './turn';

/** What the node has done for one item so far. */
export interface Entry {
	/** `sending` from before a start or a message is sent until its fate is known, `sent` once it is known to have arrived */
	state: 'new' | 'sending' | 'sent';
	sessionId?: string;
	/** Known where the session was started here */
	projectId?: string;
	dashboardUrl?: string;
	/** The message, until its turn shows */
	turn?: Turn;
	/** What became of each interaction */
	ledger: Ledger;
}

/** The record that keeps a retry from starting a second session: cleared when there is nothing left to continue. */
export type Journal = ItemRecord<Entry>;
