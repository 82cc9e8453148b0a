// The node's own poll plan over sessions of all lengths, in simulated time: how often it asks, and how late it sees an end.
import { createDice } from '../local-service/faults.mts';
import { decimals, type Table } from './benchmark.mts';
import { defaultLimits, pollDelay } from './pollPlan.mts';

export const name = 'poll-plan';
export const about =
	'40,000 sessions of 10 s to 1 h in simulated time: requests, delay, and waits within the 5 to 10 s of the API document';

const SESSIONS = 40_000;
const SHORTEST_MS = 10_000;
const LONGEST_MS = 3_600_000;
const SEED = 20261005;
/** Time between two polls that the API document recommends (Polling procedure, 2) */
const RECOMMENDED = { least: 5_000, most: 10_000 };

interface Plan {
	title: string;
	/** Milliseconds until the next poll */
	wait(ageMs: number, random: number): number;
}

const always = (seconds: number): Plan => ({
	title: `every ${seconds} s`,
	wait: () => seconds * 1000,
});

const PLANS: Plan[] = [
	{
		title: 'the node',
		wait: (ageMs, random) => pollDelay(ageMs, random, defaultLimits),
	},
	always(RECOMMENDED.least / 1000),
	always(RECOMMENDED.most / 1000),
];

interface Outcome {
	title: string;
	/** Polls for each session, on average */
	polls: number;
	/** From the end to the poll that sees it by the session's length: on average, and of the sessions of at least 200 s at worst */
	delay: number;
	worstOfLong: number;
	/** Share of the waits that are as the API document recommends */
	recommended: number;
}

export async function run(): Promise<Table> {
	const outcomes = PLANS.map(simulate);
	const [node, often] = outcomes;
	return {
		columns: ['plan', 'polls', 'delay / length %', 'worst of long ones %', 'waits of 5 to 10 s %'],
		rows: outcomes.map(({ title, polls, delay, worstOfLong, recommended }) => [
			title,
			decimals(polls),
			...[delay, worstOfLong, recommended].map((share) => decimals(100 * share)),
		]),
		expectations: [
			{
				what: 'waits that are not of 5 to 10 s / waits',
				measured: 1 - node.recommended,
				atMost: 0,
			},
			{ what: 'delay / length of the session, mean', measured: node.delay, atMost: 0.05 },
			{
				what: 'polls for each session / those of a poll every 5 s',
				measured: node.polls / often.polls,
				atMost: 0.7,
			},
		],
	};
}

/** Lengths are spread evenly over their logarithms: as many from 10 to 20 s as from half an hour to an hour. */
function simulate(plan: Plan): Outcome {
	const dice = createDice(SEED);
	const sum = { polls: 0, delay: 0, recommended: 0 };
	let worstOfLong = 0;
	for (let session = 0; session < SESSIONS; session++) {
		const length = SHORTEST_MS * (LONGEST_MS / SHORTEST_MS) ** dice();
		let age = 0;
		while (age < length) {
			const wait = plan.wait(age, dice());
			age += wait;
			sum.polls++;
			if (wait >= RECOMMENDED.least && wait <= RECOMMENDED.most) sum.recommended++;
		}
		const delay = (age - length) / length;
		sum.delay += delay;
		if (length >= 200_000) worstOfLong = Math.max(worstOfLong, delay);
	}
	return {
		title: plan.title,
		polls: sum.polls / SESSIONS,
		delay: sum.delay / SESSIONS,
		worstOfLong,
		recommended: sum.recommended / sum.polls,
	};
}
