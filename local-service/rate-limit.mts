// A token bucket for each key, in wall time: callers wait in real time, at any speed of the service.

export interface RateSetting {
	/** Sustained requests per second */
	perSecond: number;
	/** Requests allowed at once. By default those of one second, at least one. */
	burst?: number;
}

export type RateLimit = ReturnType<typeof createRateLimit>;

export function createRateLimit() {
	let setting: Required<RateSetting> | null = null;
	const buckets = new Map<string, { tokens: number; at: number }>();
	return {
		/** Null removes the limit. */
		set(next: RateSetting | null): void {
			buckets.clear();
			setting = next && { burst: Math.max(1, next.perSecond), ...next };
		},
		/** @returns whole seconds to wait; 0 when the request is allowed */
		take(who: string, wallNow: number): number {
			if (!setting) return 0;
			const { tokens, at } = buckets.get(who) ?? { tokens: setting.burst, at: wallNow };
			const filled = Math.min(setting.burst, tokens + ((wallNow - at) / 1000) * setting.perSecond);
			const allowed = filled >= 1;
			buckets.set(who, { tokens: allowed ? filled - 1 : filled, at: wallNow });
			return allowed ? 0 : Math.max(1, Math.ceil((1 - filled) / setting.perSecond));
		},
	};
}
