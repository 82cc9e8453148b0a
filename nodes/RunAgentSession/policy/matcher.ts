import type { ComparedAddress } from './addresses';
import type { ComparedCommand } from './comparedCommand';
import type { MatchBudget } from './globs';
import type { Kind } from './kinds';
import type { ComparedPath } from './paths';
import type { RememberedRequest } from './rule';
import type { Words } from './words';

// What rules compare, and how far a rule reaches.

/** A text of a request, or a part of its command. What a rule needs is read once. */
export interface ComparedText {
	permission: string;
	/** The whole text. Undefined if the request has too many to compare each. */
	text: string | undefined;
	shown: string;
	isTooLong: boolean;
	/** How an approval reads it. A denial reads it in each of the ways below. */
	approvedAs: Kind;
	command?: ComparedCommand;
	path?: ComparedPath;
	address?: ComparedAddress;
}

/** What rules compare of a request */
export interface ComparedRequest {
	texts: ComparedText[];
	/** Of all its commands */
	words: () => Words;
	/** All of it, for remembered requests */
	whole: () => RememberedRequest | undefined;
}

/**
 * `no`: it doesn't apply. `yes`: it decides. `doubt`: it denies or asks, and may be about this text, so an approver decides.
 * `held`: only its wildcards don't match all of it.
 */
export type Reach = { reach: 'no' | 'yes' } | { reach: 'doubt' | 'held'; because: string };

export const NO: Reach = { reach: 'no' };
export const YES: Reach = { reach: 'yes' };
export const doubt = (because: string): Reach => ({ reach: 'doubt', because });
export const held = (because: string): Reach => ({ reach: 'held', because });

/** A pattern as it's compared with texts of one kind */
export interface Matcher {
	/** A word that each of its commands has. Undefined if it's compared with each. */
	key?: string;
	reach: (text: ComparedText, budget: MatchBudget, request: ComparedRequest) => Reach;
}
