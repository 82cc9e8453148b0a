export type Decision = 'approve' | 'deny' | 'ask';

export interface RememberedRequest {
	permission: string;
	/** In their order */
	patterns: readonly string[];
	/** Of command, cwd, instruction and all other fields that don't age */
	hash: string;
}

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
