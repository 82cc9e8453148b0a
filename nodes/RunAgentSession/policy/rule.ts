import type { RememberedRequest } from '../../shared/approvals/rememberedRequest';

export type Decision = 'approve' | 'deny' | 'ask';

export interface Rule {
	/** Such as `bash`. `*` is any. */
	permission: string;
	/** Text with wildcards. `*` is everything. */
	pattern: string;
	decision: Decision;
	/** True if both texts match only themselves */
	isLiteral?: true;
	/** True if the pattern has escaped values of expressions, so it was never typed like this */
	hasValues?: true;
	/** Applies to this request only. The other texts are empty then. */
	request?: RememberedRequest;
	/** Milliseconds since 1970 */
	expiresAt?: number;
	/** Shown in the output instead of `rule` with its position */
	name?: string;
}

/**
 * What a rule says about a text. `no`: it doesn't apply. `yes`: it decides. `doubt`: it denies or asks, and may be about this text.
 * `held`: only its wildcards don't match all of it.
 */
export type Reach = { reach: 'no' | 'yes' } | { reach: 'doubt' | 'held'; because: string };

export const NO: Reach = { reach: 'no' };
export const YES: Reach = { reach: 'yes' };
export const doubt = (because: string): Reach => ({ reach: 'doubt', because });
export const held = (because: string): Reach => ({ reach: 'held', because });
