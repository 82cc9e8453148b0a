// Runs worlds in a process of its own, for main.mts: one line of JSON in, one out.
import { createInterface } from 'node:readline';
import { FAULTS } from './faults.mts';
import { judge, type Violation } from './oracle.mts';
import { runWorld } from './run.mts';
import type { World } from './world.mts';

export interface Asked {
	world: World;
	/** Its place in the list of faults */
	fault?: number;
}

export interface Judged {
	violations: Violation[];
	/** To compare two runs of a seed */
	log: string[];
}

for await (const line of createInterface({ input: process.stdin })) {
	const { world, fault } = JSON.parse(line) as Asked;
	const history = await runWorld(world, fault === undefined ? undefined : FAULTS[fault]);
	const judged: Judged = { violations: judge(history), log: history.log };
	process.stdout.write(`${JSON.stringify(judged)}\n`);
}
