// What a user sees of a wait, in simulated time: what is sent again and what isn't, how long it lasts, and how it ends.
import { describe, expect, test } from '@jest/globals';
import {
	getError,
	of,
	pausingRun,
	simulation,
	status,
	type Simulation,
	type WakeSettings,
} from './simulation.mts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const messages = ({ sent }: Simulation) => of(sent, 'POST', '/messages');
/** An execution that pauses, whose approvers were asked about its first request */
async function question(prompt: string, changes: WakeSettings) {
	const run = pausingRun(prompt, changes);
	await run.begin();
	return run;
}

test('a message that was being sent when n8n died is not sent again, and nobody reads the session for it', async () => {
	const service = simulation();
	const { session } = await service.run('[say First]');
	const nodeContext = {};
	let saved = {};
	service.meets('message', () => {
		saved = JSON.parse(JSON.stringify(nodeContext)) as object;
		return 'fine';
	});
	await service.continueWith(session.sessionId, '[say Second]', {}, nodeContext);
	expect(messages(service)).toHaveLength(1);
	const before = service.sent.length;
	const again = service.continueWith(session.sessionId, '[say Second]', {}, saved);
	const error = await getError(again);
	expect(error.message).toBe('The message may have been sent');
	expect(error.description).toContain(session.sessionId);
	expect(service.sent).toHaveLength(before);
});

describe('If Nobody Answers', () => {
	const PROMPT = '[ask bash: a] [work 1m] [say Done]';
	const limits = { unansweredAfterMs: HOUR, maxWaitMs: 3 * HOUR };

	test('abort ends the session, names the wait, and tells which option to raise', async () => {
		const timeouts = { ...limits, ifNobodyAnswers: 'abort' as const, onMaxWait: 'letRun' as const };
		const asked = await question(PROMPT, { timeouts });
		expect((await asked.after(50 * MINUTE)).kind).toBe('stillRunning');
		const error = await getError(asked.after(10 * MINUTE));
		expect(error.message).toBe(
			"The session waited 1 hour for an approver's decision and was aborted",
		);
		expect(error.description).toMatch(/^Raise 'If Nobody Answers After'\./);
		expect(asked.service.sessions()[0].aborted).toBe(true);
	});

	test('wait leaves the request until Max Wait, which may leave the session running', async () => {
		const timeouts = { ...limits, ifNobodyAnswers: 'wait' as const, onMaxWait: 'letRun' as const };
		const asked = await question(PROMPT, { timeouts });
		expect((await asked.after(2 * HOUR)).kind).toBe('stillRunning');
		const error = await getError(asked.after(HOUR));
		expect(error.message).toBe("The session did not finish within 3 hours. It's still running");
		expect(error.description).toMatch(/^Raise 'Max Wait'\./);
		expect(asked.service.sessions()[0].aborted).toBe(false);
	});

	test('deny continues the session, and its result comes in the same wake', async () => {
		const timeouts = { ...limits, ifNobodyAnswers: 'deny' as const };
		const asked = await question(PROMPT, { timeouts });
		const result = await asked.after(HOUR);
		expect(result).toMatchObject({ kind: 'completed', decisions: [{ decision: 'deny' }] });
	});

	test('denies only requests whose time is over: approvers are asked about a new one', async () => {
		const timeouts = { ...limits, ifNobodyAnswers: 'deny' as const };
		const asked = await question(PROMPT, { timeouts });
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
		expect(result.undecided.map(({ interaction }) => interaction.patterns)).toEqual([['git push']]);
		expect(result.decisions).toMatchObject([{ patterns: ['a'], decision: 'deny' }]);
	});
});

test('a service that refuses to show the session gets no message', async () => {
	const service = simulation();
	const { session } = await service.run('[say First]');
	service.meets('poll', status(403));
	const error = await getError(service.continueWith(session.sessionId, '[say Second]'));
	expect(error.context.httpStatus).toBe(403);
	expect(messages(service)).toEqual([]);
});
