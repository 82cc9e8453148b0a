/** After this time without a result, something hangs. A slow machine needs far less. In milliseconds. */
export const HANG_MS = 10 * 60_000;

/** Time until the next look at a result that isn't there yet. Each look takes processor time of a busy n8n, so they become rarer. In milliseconds. */
export const lookAgainMs = (waitedMs: number): number => Math.min(1_000, 250 + waitedMs / 20);
