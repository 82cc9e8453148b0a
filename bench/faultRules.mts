// The weather of the benchmark by hand: which faults there are, and how likely.

import type { FaultRule } from '../local-service/faults.mts';

/** Numbers from 0 to 1, the same for the same seed: `createDice` of the local mock service */
export type Dice = () => number;

type Fault = Omit<FaultRule, 'operationId'>;

const POLL_FAULTS: Fault[] = [
	{ kind: 'status', status: 429, retryAfter: 1 },
	{ kind: 'status', status: 429, retryAfter: { date: 2 } },
	{ kind: 'status', status: 500 },
	{ kind: 'status', status: 503, retryAfter: 1 },
	{ kind: 'latency', ms: 120 },
	{ kind: 'reset' },
	{ kind: 'reset-after' },
	{ kind: 'half' },
	{ kind: 'html' },
	{ kind: 'empty' },
	{ kind: 'content-type' },
	{ kind: 'skew', ms: 3_600_000 },
	{ kind: 'not-found' },
	{ kind: 'duplicate-interactions' },
	{ kind: 'vanishing-interactions' },
];
const DECISION_FAULTS: Fault[] = [
	{ kind: 'status', status: 429, retryAfter: 1 },
	{ kind: 'status', status: 500 },
	{ kind: 'status', status: 500, process: true },
	{ kind: 'reset' },
	{ kind: 'reset-after' },
	{ kind: 'half' },
	{ kind: 'html', process: true },
	{ kind: 'empty' },
];
const START_FAULTS: Fault[] = [
	{ kind: 'status', status: 429, retryAfter: 1 },
	{ kind: 'status', status: 503 },
	{ kind: 'reset' },
	{ kind: 'reset-after' },
	{ kind: 'half' },
];

/** Rules for the control API. `share` makes all probabilities smaller: 1 leaves them as they are. */
export function faultsFrom(dice: Dice, share = 1): FaultRule[] {
	const rules = (operationId: string, kinds: Fault[], probability: number) =>
		kinds.map((fault) => ({
			operationId,
			times: 0,
			probability: share * probability * dice(),
			seed: Math.floor(dice() * 1e9),
			...fault,
		}));
	return [
		...rules('getAgentSession', POLL_FAULTS, 0.06),
		...rules('resolveInteraction', DECISION_FAULTS, 0.15),
		...rules('createAgentSession', START_FAULTS, 0.06),
	];
}
