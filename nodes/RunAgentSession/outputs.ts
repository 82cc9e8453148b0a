/** Still Running is first, because n8n passes a paused node's input through the first output. A failed session throws. */
export const OUTPUTS = {
	stillRunning: 'Still Running',
	completed: 'Completed',
	needsApproval: 'Needs Approval',
} as const;

export type OutputKey = keyof typeof OUTPUTS;

export const outputIndex = (key: OutputKey): number => Object.keys(OUTPUTS).indexOf(key);

export type WaitMode = 'memory' | 'database';
