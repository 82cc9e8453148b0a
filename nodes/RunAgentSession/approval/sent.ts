import type { ChoiceName } from '../../shared/approvals/options';

// An approver's answer from the page, as the node keeps and repeats it.

/** Name of a choice that sends the option of Approve once. The workflow gets rules for later requests. */
export const FROM_NOW_ON = 'Approve from now on';

/** The names of a choice on the page: those for the service's options, and this package's own */
export type PageChoiceName = ChoiceName | typeof FROM_NOW_ON;

/** An approver's answer, as the page repeats it. */
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
