/**
 * How far a rule reaches. `no`: it doesn't apply. `yes`: it decides.
 * `doubt`: it denies or asks, and may be about this text, so an approver decides. `held`: only its wildcards don't match all of it.
 */
export type Reach =
	| { reach: 'no' | 'yes' }
	| { reach: 'doubt'; because: string }
	/** Most reasons are never read */
	| { reach: 'held'; because: () => string };

export const NO: Reach = { reach: 'no' };
export const YES: Reach = { reach: 'yes' };
export const doubt = (because: string): Reach => ({ reach: 'doubt', because });
export const held = (because: () => string): Reach => ({ reach: 'held', because });
export const reachIf = (applies: boolean): Reach => (applies ? YES : NO);
