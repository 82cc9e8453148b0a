/** After this time without a result, something hangs. A slow machine needs far less. In milliseconds. */
export const HANG_MS = 10 * 60_000;
