// Generated worlds, in the engine of the n8n that these tests run on.
import { afterAll, expect, test } from '@jest/globals';
import { hostVersion, hostVersions } from '../../n8n-host/versions.mts';
import { FAULTS } from '../worlds/faults.mts';
import { findFault } from '../worlds/planted.mts';
import { startPool } from '../worlds/pool.mts';
import { TABLE } from '../worlds/table.mts';
import { generate } from '../worlds/world.mts';

/** `npm run worlds` runs more of them. */
const SEEDS = 50;
const SEEDS_FOR_FAULT = 40;

const version = hostVersion();
const pool = startPool(version, 2);
afterAll(() => pool.end());

test('no world breaks a promise', async () => {
	const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1);
	const found = await Promise.all(
		seeds.map(async (seed) => {
			const { violations } = await pool.run(generate(seed));
			return violations.map(({ kind, about }) => ({ seed, kind, about }));
		}),
	);
	expect(found.flat()).toEqual([]);
});

test('the same seed is the same world, event for event', async () => {
	const [one, other] = await Promise.all([pool.run(generate(3)), pool.run(generate(3))]);
	expect(one.log).toEqual(other.log);
});

test.each(TABLE)('$rule', async (row) => {
	const { violations } = await pool.run({ seed: 1, ...row.world });
	expect(violations).toEqual([]);
});

// What they find doesn't depend on the n8n.
if (version === hostVersions[0])
	test.each(FAULTS.map(({ says }, index) => [says, index] as const))(
		'worlds find a planted fault: %s',
		async (_, index) => {
			expect(await findFault(pool, index, SEEDS_FOR_FAULT)).toBeDefined();
		},
	);
