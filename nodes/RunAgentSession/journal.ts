import type { ItemRecord } from '../shared/n8n/executionJournal';
import type { Parked } from './durable';
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
	/** In the Database: since when the session is waited for, and how often it was read */
	parked?: Parked;
	pollCount?: number;
	/** The run of the node that handed it on as completed */
	completedIn?: number;
}

/** The record that keeps a retry from starting a second session: cleared when there is nothing left to continue. */
export type Journal = ItemRecord<Entry>;
