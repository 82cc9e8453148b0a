/**
 * The outputs in their order. Still Running is first, because n8n passes a paused node's input through the first output. A failed
 * session has no output: it throws.
 */
export const OUTPUTS = {
	stillRunning: 'Still Running',
	completed: 'Completed',
	needsApproval: 'Needs Approval',
} as const;

export type OutputKey = keyof typeof OUTPUTS;

export const outputIndex = (key: OutputKey): number => Object.keys(OUTPUTS).indexOf(key);

/** The place where n8n keeps the execution while sessions run. */
export type WaitMode = 'memory' | 'database';
