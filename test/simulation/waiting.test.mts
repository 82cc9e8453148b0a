// What a user sees of a wait, in simulated time: what is sent again and what isn't, how long it lasts, and how it ends.
import { describe, expect, test } from '@jest/globals';
import {
	getError,
	of,
	pausingRun,
	simulation,
	status,
	type Simulation,
	type Settings,
} from './simulation.mts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const messages = ({ sent }: Simulation) => of(sent, 'POST', '/messages');
/** An execution that pauses, whose approvers were asked about its first request */
async function question(prompt: string, changes: Settings) {
	const run = pausingRun(prompt, changes);
	await run.begin();
	return run;
}

describe('If Nobody Answers', () => {
	const PROMPT = '[ask bash: a] [work 1m] [say Done]';
	const limits = (ifNobodyAnswers: string) => ({
		approvals: { ifNobodyAnswers, unansweredAfter: 1 },
		maxWait: 180,
		onMaxWait: 'letRun',
	});

	test('abort ends the session, names the wait, and tells which option to raise', async () => {
		const asked = await question(PROMPT, limits('abort'));
		expect((await asked.after(50 * MINUTE)).kind).toBe('stillRunning');
		const error = await getError(asked.after(10 * MINUTE));
		expect(error.message).toBe(
			"The session waited 1 hour for an approver's decision and was aborted",
		);
		expect(error.description).toMatch(/^Raise 'If Nobody Answers After'\./);
		expect(asked.service.sessions()[0].aborted).toBe(true);
	});

	test('wait leaves the request until Max Wait, which may leave the session running', async () => {
		const asked = await question(PROMPT, limits('wait'));
		expect((await asked.after(2 * HOUR)).kind).toBe('stillRunning');
		const error = await getError(asked.after(HOUR));
		expect(error.message).toBe("The session did not finish within 3 hours. It's still running");
		expect(error.description).toMatch(/^Raise 'Max Wait'\./);
		expect(asked.service.sessions()[0].aborted).toBe(false);
	});

	test('deny continues the session, and its result comes in the same wake', async () => {
		const asked = await question(PROMPT, limits('deny'));
		const result = await asked.after(HOUR);
		expect(result).toMatchObject({ kind: 'completed', decisions: [{ decision: 'deny' }] });
	});

	test('denies only requests whose time is over: approvers are asked about a new one', async () => {
		const asked = await question(PROMPT, limits('deny'));
		asked.service.meets('poll', {
			change: (body) => ({
				...body,
				pendingInteractions: [
					...body.pendingInteractions,
					{ ...body.pendingInteractions[0], id: 'later', patterns: ['git push'] },
				],
			}),
		});
		const result = await asked.after(HOUR);
		expect(result.kind).toBe('needsApproval');
		expect(result.pendingInteractions).toMatchObject([{ patterns: ['git push'] }]);
		expect(result.decisions).toMatchObject([{ patterns: ['a'], decision: 'deny' }]);
	});
});

test('a service that refuses to show the session gets no message', async () => {
	const service = simulation();
	const { sessionId } = await service.run('[say First]');
	service.meets('poll', status(403));
	const error = await getError(service.continueWith(sessionId, '[say Second]'));
	expect(error.context.httpStatus).toBe(403);
	expect(messages(service)).toEqual([]);
});
