// Pairs of dialects: every use under services that differ in two ways at once. PAIRS of them, 60 if nothing is said, drawn from the day
// or from PAIRS_SEED; 0 is all of them. None may be silently wrong.
import { expect, test } from '@jest/globals';
import {
	findConflict,
	dialectNames,
	type DialectName,
} from '../../../local-service/dialects/index.mts';
import { createDice } from '../../../local-service/faults.mts';
import { usesUnder, findProblems } from './table.mts';

const pairs = dialectNames.flatMap((first, index) =>
	dialectNames
		.slice(index + 1)
		.filter((second) => !findConflict([first, second]))
		.map((second): [DialectName, DialectName] => [first, second]),
);
const seed = Number(process.env.PAIRS_SEED ?? Math.floor(Date.now() / 86_400_000));
const count = Number(process.env.PAIRS ?? 60) || pairs.length;

/** So many of a list, drawn with dice. */
function drawn<T>(list: readonly T[], size: number): T[] {
	const dice = createDice(seed);
	return list
		.map((item) => ({ item, at: dice() }))
		.sort((one, other) => one.at - other.at)
		.slice(0, size)
		.map(({ item }) => item);
}

test.each(drawn(pairs, count))(
	`nothing is silently wrong under %s and %s (seed ${seed})`,
	async (...names) => {
		expect(findProblems(await usesUnder(names))).toEqual([]);
	},
);
