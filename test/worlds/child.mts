// Runs worlds in a process of its own, for main.mts: one line of JSON in, one out.
import { createInterface } from 'node:readline';
import { judge, type Violation } from './oracle.mts';
import { runWorld } from './run.mts';
import type { World } from './world.mts';

export interface Judged {
	violations: Violation[];
	/** To compare two runs of a seed */
	log: string[];
	ms: number;
}

for await (const line of createInterface({ input: process.stdin })) {
	const world = JSON.parse(line) as World;
	const began = process.hrtime.bigint();
	const history = await runWorld(world);
	const judged: Judged = {
		violations: judge(history),
		log: history.log,
		ms: Number(process.hrtime.bigint() - began) / 1e6,
	};
	process.stdout.write(`${JSON.stringify(judged)}\n`);
}
