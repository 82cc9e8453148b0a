// The system clock is set forward or back in the middle of a wait: nothing changes.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fetchSession } from '../../nodes/shared/client/session.ts';
import { apiWith, type Answer } from '../support/apiWith.mts';

const ID = '123e4567-e89b-42d3-a456-426614174000';
const HOUR_MS = 60 * 60_000;

/** Returns the times of requests in a wait of 10 minutes, if the clock is set right before one of them */
async function requestTimes(answers: Answer[], shiftMs: number, shiftAt: number) {
	let index = 0;
	let elapsed = () => 0;
	const times: number[] = [];
	const { api, clock } = await apiWith(() => {
		times.push(Math.round(elapsed() / 1_000));
		if (index === shiftAt) clock.shiftWall(shiftMs);
		return answers[Math.min(index++, answers.length - 1)];
	});
	elapsed = () => clock.monotonicMs();
	for (let poll = 0; poll < 5; poll++) {
		const deadline = clock.monotonicMs() + 120_000;
		const polling = fetchSession(api, ID, { deadline, maxAttempts: Infinity });
		await clock.run(polling.catch(() => {}));
		await clock.run(clock.sleep(5_000));
	}
	return times;
}

test('the wait after a 429 and all deadlines stay the same', async () => {
	const answer = fc.constantFrom<Answer>(
		{ status: 429, headers: { 'retry-after': '5' }, body: {} },
		{ status: 429, body: {} },
		{ status: 503, body: {} },
		{ code: 'ECONNRESET' },
		{ body: { status: 'running' } },
	);
	const random = Math.random;
	Math.random = () => 0.5;
	try {
		await fc.assert(
			fc.asyncProperty(
				fc.array(answer, { minLength: 1, maxLength: 12 }),
				fc.constantFrom(-HOUR_MS, HOUR_MS, -24 * HOUR_MS, 24 * HOUR_MS),
				fc.nat(5),
				async (answers, shiftMs, shiftAt) => {
					const expected = await requestTimes(answers, 0, shiftAt);
					expect(await requestTimes(answers, shiftMs, shiftAt)).toEqual(expected);
				},
			),
			{ numRuns: 60 },
		);
	} finally {
		Math.random = random;
	}
});
