// Random numbers from a seed.
import { createDice } from '../../local-service/faults.mts';

export interface Random {
	(): number;
	/** True with this probability */
	chance(probability: number): boolean;
	/** An integer from `low` to `high` */
	between(low: number, high: number): number;
	/** Evenly over orders of magnitude */
	duration(lowMs: number, highMs: number): number;
	pick<T>(...values: readonly T[]): T;
	/** Numbers that don't depend on how many others were drawn */
	fork(name: string): Random;
}

function hash(text: string): number {
	let sum = 2166136261;
	for (const character of text) sum = Math.imul(sum ^ character.codePointAt(0)!, 16777619);
	return sum >>> 0;
}

export function createRandom(seed: string): Random {
	const next = createDice(hash(seed));
	return Object.assign(next, {
		chance: (probability: number) => next() < probability,
		between: (low: number, high: number) => low + Math.floor(next() * (high - low + 1)),
		duration: (lowMs: number, highMs: number) => Math.round(lowMs * (highMs / lowMs) ** next()),
		pick: <T,>(...values: readonly T[]) => values[Math.floor(next() * values.length)],
		fork: (name: string) => createRandom(`${seed} ${name}`),
	});
}
