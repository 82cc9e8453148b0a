import type { ChoiceName } from '../../shared/approvals/options';

/** Sends the option of Approve once. The workflow gets rules for later requests. */
export const FROM_NOW_ON = 'Approve from now on';

export type PageChoiceName = ChoiceName | typeof FROM_NOW_ON;

export interface SentAnswer {
	/** Milliseconds since 1970 */
	at: number;
	choices: SentChoice[];
	comment?: string;
}

export interface SentChoice {
	name: PageChoiceName;
	decision: 'approve' | 'deny';
	/** Fingerprint of the request */
	content: string;
	/** Shortened, for the page only */
	permission: string;
	targets: string[];
}
