import type { IDataObject } from 'n8n-workflow';

/** A decision that was carried out, as the output lists it. */
export interface DecisionRecord {
	interactionId: string;
	permission: string;
	patterns: string[];
	decision: 'approve' | 'deny';
	/** The value that was sent for it */
	option: string;
	/** `policy`, `rule 2` or `default decision` */
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
}

/** One item's page in the journal. */
export interface Journal {
	read(): Entry | undefined;
	write(entry: Entry): void;
	/** Forgets the item: there is nothing left that a retry could continue. */
	clear(): void;
}

/**
 * The journal that keeps a retry from starting a second session. It lives in the node's context, which n8n hands on to
 * Retry On Fail and to a retry of the failed execution.
 * @param context what `getContext('node')` returns
 * @param purpose what the item asks for: the journal never serves one item's session to another request
 */
export function journalFor(
	context: IDataObject,
	runIndex: number,
	itemIndex: number,
	purpose: string,
): Journal {
	const key = `${runIndex}.${itemIndex}`;
	const pages = () =>
		(context.sessions ??= {}) as unknown as Record<
			string,
			{ purpose: string; entry: Entry } | undefined
		>;
	return {
		read: () => {
			const page = pages()[key];
			return page?.purpose === purpose ? page.entry : undefined;
		},
		write: (entry) => {
			pages()[key] = { purpose, entry };
		},
		clear: () => {
			delete pages()[key];
		},
	};
}
