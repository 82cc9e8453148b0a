import type { ChoiceName } from '../../shared/approvals/options';

// What an approver sent from the page, as it's kept and repeated.

/** The option is the one of Approve once. The workflow gets rules for later requests. */
export const FROM_NOW_ON = 'Approve from now on';

/** The words for a choice on the page: those for the service's options, and our own */
export type PageChoiceName = ChoiceName | typeof FROM_NOW_ON;

/** What an approver sent, as the page repeats it. */
export interface SentAnswer {
	/** Milliseconds since 1970 */
	at: number;
	choices: SentChoice[];
	comment?: string;
}

export interface SentChoice {
	name: PageChoiceName;
	decision: 'approve' | 'deny';
	/** The fingerprint of the request */
	content: string;
	/** The request in a few words, for the page only */
	permission: string;
	targets: string[];
}
