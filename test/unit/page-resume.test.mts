// When an answer of the approval page may resume the execution, and how long it waits for others.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
	addAnswer,
	claimResume,
	hasResumed,
	holdResume,
	pauseKey,
	takeAnswers,
	waitUntilTaken,
	whileArriving,
} from '../../nodes/RunAgentSession/approval/page/resume.ts';
import { realClock } from '../../nodes/shared/client/clock.ts';

const NOW = Date.parse('2026-10-05T15:12:00.000Z');
const MINUTE = 60_000;
const MAX_SLEEPS = 2_000;

let executions = 0;
/** In milliseconds */
let slept: number[] = [];
let sleep = jest.spyOn(realClock, 'sleep');
beforeEach(() => {
	executions++;
	slept = [];
	sleep = jest.spyOn(realClock, 'sleep').mockImplementation(async (ms) => {
		if (slept.push(ms) > MAX_SLEEPS) throw new Error('It waits without end.');
		await Promise.resolve();
	});
});
afterEach(() => void sleep.mockRestore());

const context = () => {
	const executionId = `resume-${executions}`;
	return { getNode: () => ({ id: 'node' }) as never, getExecutionId: () => executionId };
};
const pausedContext = (until = NOW + 60 * MINUTE) => ({ pause: { until, runs: 1 } });
const sum = (all: number[]) => all.reduce((before, each) => before + each, 0);

describe('the resume', () => {
	test('belongs to the first answer, and a link answers only once', () => {
		const [first, second] = [pausedContext(), pausedContext()];
		const key = pauseKey(context(), first);
		expect(claimResume(key, first, 'anna', NOW)).toEqual({ addTo: first, isFirst: true });
		expect(hasResumed(key, 'anna')).toBe(false);
		addAnswer(key, 'anna', () => {});
		expect(hasResumed(key, 'anna')).toBe(true);
		expect(claimResume(key, second, 'anna', NOW)).toBe('answered');
		const claim = claimResume(key, second, 'ben', NOW);
		expect(claim).toEqual({ addTo: first, isFirst: false });
		expect((claim as { addTo: object }).addTo).toBe(first);
	});

	test.each([
		[5_000, true],
		[4_999, false],
	])('%i ms before n8n executes the node anyway is possible: %p', (before, isPossible) => {
		const nodeContext = pausedContext(NOW + before);
		const claim = claimResume(pauseKey(context(), nodeContext), nodeContext, 'anna', NOW);
		expect(claim).toEqual(isPossible ? { addTo: nodeContext, isFirst: true } : 'busy');
	});

	test.each([
		[MINUTE, 'answered'],
		[MINUTE + 1, { addTo: expect.anything(), isFirst: true }],
	])('is remembered for a minute: after %i ms', (after, claim) => {
		const nodeContext = pausedContext();
		const key = pauseKey(context(), nodeContext);
		claimResume(key, nodeContext, 'anna', NOW);
		addAnswer(key, 'anna', () => {});
		expect(claimResume(key, nodeContext, 'anna', NOW + after)).toEqual(claim);
	});
});

describe('a held answer', () => {
	test('waits a second, and longer only while another answer arrives', async () => {
		const nodeContext = pausedContext();
		const key = pauseKey(context(), nodeContext);
		claimResume(key, nodeContext, 'anna', NOW);
		expect(await holdResume(key)).toBe(true);
		expect(slept).toEqual([1_000]);
		expect(claimResume(key, nodeContext, 'ben', NOW)).toBe('busy');
	});

	test('waits two more seconds at most for an answer that never arrives', async () => {
		const nodeContext = pausedContext();
		const key = pauseKey(context(), nodeContext);
		claimResume(key, nodeContext, 'anna', NOW);
		let arrive = () => {};
		const arriving = whileArriving(key, async () => {
			await new Promise<void>((resolve) => (arrive = resolve));
		});
		expect(await holdResume(key)).toBe(true);
		expect(sum(slept)).toBe(3_000);
		arrive();
		await arriving;
	});

	test('also resumes if so much time has passed that nobody remembers its claim', async () => {
		expect(await holdResume(pauseKey(context(), pausedContext()))).toBe(true);
	});

	test('has no effect if a run of the node has its answer already', async () => {
		const nodeContext = pausedContext();
		const key = pauseKey(context(), nodeContext);
		claimResume(key, nodeContext, 'anna', NOW);
		addAnswer(key, 'anna', (to) => (to.answered = ['anna']));
		const byTimer = { pause: { until: 0, runs: 2 }, answered: [] as string[] };
		takeAnswers(context(), byTimer);
		expect(byTimer.answered).toEqual(['anna']);
		expect(await holdResume(key)).toBe(false);
	});
});

describe('a run of the node', () => {
	test('is waited for a minute, even if nobody remembers the answer', async () => {
		expect(await waitUntilTaken(pauseKey(context(), pausedContext()))).toBe(false);
		expect(sum(slept)).toBe(MINUTE);
	});

	test('without answers gets none', () => {
		const nodeContext = { pause: { until: 0, runs: 2 } };
		takeAnswers(context(), nodeContext);
		expect(nodeContext).toEqual({ pause: { until: 0, runs: 2 } });
	});
});
