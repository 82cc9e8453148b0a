// Looks for the planted faults. A fault is found by a world that falls for it, and doesn't without it.
import { FAULTS } from './faults.mts';
import type { Pool } from './pool.mts';
import { generate } from './world.mts';

/** Returns the first seed that finds a fault, or undefined. */
export async function findFault(
	pool: Pool,
	index: number,
	seeds: number,
): Promise<number | undefined> {
	const { kinds } = FAULTS[index];
	const isFound = async (seed: number, fault?: number) => {
		const { violations } = await pool.run(generate(seed), fault);
		return violations.some(({ kind }) => kinds.includes(kind));
	};
	for (let seed = 1; seed <= seeds; seed++)
		if ((await isFound(seed, index)) && !(await isFound(seed))) return seed;
	return undefined;
}
