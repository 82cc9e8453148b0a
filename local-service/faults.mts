// Which requests a fault strikes. What each kind of fault does to an answer is in `fault-kinds.mts`.
import type { FaultKind } from './fault-kinds.mts';
import { faultKinds } from './fault-kinds.mts';

export interface FaultRule {
	/** `*` for every operation */
	operationId: string;
	kind: FaultKind;
	/** Number of times that it applies. Default 1, and 0 for no limit. */
	times?: number;
	/** Number of matching requests to skip first */
	after?: number;
	/** Probability of the fault, 0 to 1. The same `seed` gives the same sequence. */
	probability?: number;
	seed?: number;
	/** For `status` */
	status?: number;
	code?: string;
	message?: string;
	/** For `status`: the header in seconds, or as an HTTP date that many seconds ahead */
	retryAfter?: number | { date: number };
	/** For `latency` and `skew`: milliseconds */
	ms?: number;
	/** For `content-type` */
	contentType?: string;
	/** True if the service carries the request out all the same; each kind has its default */
	process?: boolean;
}

export interface ActiveFault extends FaultRule {
	id: number;
	/** Requests of the rule's operation so far */
	matched: number;
	struck: number;
}

export type Faults = ReturnType<typeof createFaults>;

/** Pseudo-random numbers from 0 to 1 (mulberry32): the same seed gives the same sequence. */
export function createDice(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

export function createFaults() {
	let active: Array<{ fault: ActiveFault; dice: () => number }> = [];
	let lastId = 0;
	const list = () => active.map(({ fault }) => ({ ...fault }));
	return {
		add(rules: FaultRule[]) {
			for (const rule of rules) {
				active.push({
					fault: { ...rule, id: ++lastId, matched: 0, struck: 0 },
					dice: createDice(rule.seed ?? 1),
				});
			}
			return list();
		},
		list,
		clear() {
			active = [];
		},
		/**
		 * The faults that strike a request: any number of `latency`, and at most one of another kind.
		 * @param stage `request`: before the request is carried out; `answer`: its answer has pending interactions
		 */
		strike(stage: 'request' | 'answer', operationId: string): ActiveFault[] {
			const striking: ActiveFault[] = [];
			for (const { fault, dice } of active) {
				if (faultKinds[fault.kind].stage !== stage) continue;
				if (fault.operationId !== '*' && fault.operationId !== operationId) continue;
				fault.matched += 1;
				const { after = 0, times = 1, probability = 1 } = fault;
				if (fault.matched <= after || (times > 0 && fault.struck >= times) || dice() >= probability)
					continue;
				fault.struck += 1;
				striking.push(fault);
				if (fault.kind !== 'latency') break;
			}
			return striking;
		},
	};
}
