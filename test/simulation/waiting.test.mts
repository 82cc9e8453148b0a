// What a user sees of a wait, in simulated time: what is sent again and what isn't, how long it lasts, and how it ends.
import { describe, expect, test } from '@jest/globals';
import type { RunningRecord, SessionRecord } from '../../nodes/RunAgentSession/session/record.ts';
import { openRecord } from '../../nodes/shared/n8n/journal.ts';
import {
	answerOnPage,
	getError,
	of,
	policy,
	simulation,
	status,
	type Simulation,
	type Weather,
} from './simulation.mts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ask = policy('ask');
const openJournal = (nodeContext: object) =>
	openRecord<SessionRecord>(nodeContext as never, 'sessions', '0.0');
const messages = ({ sent }: Simulation) => of(sent, 'POST', '/messages');
const aborts = ({ sent }: Simulation) => of(sent, 'POST', '/abort');

type Changes = NonNullable<Parameters<Simulation['wake']>[2]>;

/** Starts a session while paused and returns the question about its first request, and a function that resumes it later. */
async function question(service: Simulation, prompt: string, changes: Changes = {}) {
	const nodeContext = {};
	const settings = { policy: ask, ...changes };
	await service.wake(prompt, nodeContext, settings);
	service.advance(70_000);
	const first = await service.wake(prompt, nodeContext, settings);
	return {
		nodeContext,
		first,
		async after(ms: number) {
			service.advance(ms);
			return await service.wake(prompt, nodeContext, settings);
		},
	};
}

describe('a comment', () => {
	/** A session whose approver has approved with a comment */
	const approved = async (service: Simulation, getWeather: (attempts: number) => Weather) => {
		const asked = await question(service, '[ask bash: a] [work 5m] [say Done]', {
			sendComments: true,
		});
		const journal = openJournal(asked.nodeContext);
		const read = () => journal.read() as RunningRecord;
		answerOnPage(asked.nodeContext, ['Approve once'], { comment: '[say Noted]' });
		service.meets('message', () => getWeather(read().commentAttempts ?? 0));
		let result = await asked.after(0);
		while (result.wakeAt !== undefined) result = await asked.after(70_000);
		return { result, journal };
	};

	test('that does not leave is sent at a later poll', async () => {
		const service = simulation();
		const { result } = await approved(service, (attempts) => (attempts < 2 ? 'unsent' : 'fine'));
		expect(result).toMatchObject({ kind: 'completed', warnings: [] });
		expect(service.sessions()[0].interactions).toMatchObject([{ value: 'once' }]);
		expect(messages(service).filter(({ weather }) => weather === 'fine')).toHaveLength(1);
	});

	test('that never leaves is given up, and reported once', async () => {
		const service = simulation();
		const { result } = await approved(service, () => 'unsent');
		expect(result.kind).toBe('completed');
		expect(result.warnings).toEqual([expect.stringMatching(/^The comment couldn't be sent: ./)]);
		expect(aborts(service)).toEqual([]);
	});
});

test('a message that was being sent when n8n died is not sent again, and nobody reads the session for it', async () => {
	const service = simulation();
	const { session } = await service.run('[say First]');
	const target = {
		operation: 'continue' as const,
		sessionId: session.sessionId,
		message: '[say Second]',
	};
	const nodeContext = {};
	let saved: object = {};
	service.meets('message', () => {
		saved = JSON.parse(JSON.stringify(nodeContext)) as object;
		return 'fine';
	});
	await service.run('', { target }, nodeContext);
	expect(messages(service)).toHaveLength(1);
	const before = service.sent.length;
	const error = await getError(service.run('', { target }, saved as never));
	expect(error.message).toBe('The message may have been sent');
	expect(error.description).toContain(session.sessionId);
	expect(service.sent).toHaveLength(before);
});

describe('Max Wait', () => {
	test('aborts at its end, not before, and starts another session at a retry', async () => {
		const service = simulation();
		const nodeContext = {};
		const changes = { maxWaitMs: 62_000, onMaxWait: 'abort' as const };
		const error = await getError(service.run('[work 10m]', changes, nodeContext));
		expect(error.description).toMatch(/^Raise 'Max Wait'/);
		expect(aborts(service)[0].at).toBe(62_000);
		await service.run('[say Done]', changes, nodeContext).catch(() => {});
		expect(service.sessions()).toHaveLength(2);
	});
});

describe('If Nobody Answers', () => {
	const PROMPT = '[ask bash: a] [work 1m] [say Done]';
	const limits = { unansweredAfterMs: HOUR, maxWaitMs: 3 * HOUR };

	test('abort ends the session, names the wait, and tells which option to raise', async () => {
		const service = simulation();
		const timeouts = { ...limits, ifNobodyAnswers: 'abort' as const, onMaxWait: 'letRun' as const };
		const asked = await question(service, PROMPT, { timeouts });
		expect((await asked.after(50 * MINUTE)).kind).toBe('stillRunning');
		const error = await getError(asked.after(10 * MINUTE));
		expect(error.message).toBe(
			"The session waited 1 hour for an approver's decision and was aborted",
		);
		expect(error.description).toMatch(/^Raise 'If Nobody Answers After'\./);
		expect(service.sessions()[0].aborted).toBe(true);
	});

	test('wait leaves the request until Max Wait, which may leave the session running', async () => {
		const service = simulation();
		const timeouts = { ...limits, ifNobodyAnswers: 'wait' as const, onMaxWait: 'letRun' as const };
		const asked = await question(service, PROMPT, { timeouts });
		expect((await asked.after(2 * HOUR)).kind).toBe('stillRunning');
		const error = await getError(asked.after(HOUR));
		expect(error.message).toBe("The session did not finish within 3 hours. It's still running");
		expect(error.description).toMatch(/^Raise 'Max Wait'\./);
		expect(service.sessions()[0].aborted).toBe(false);
	});

	test('deny continues the session, and its result comes in the same wake', async () => {
		const service = simulation();
		const timeouts = { ...limits, ifNobodyAnswers: 'deny' as const };
		const asked = await question(service, PROMPT, { timeouts });
		const result = await asked.after(HOUR);
		expect(result).toMatchObject({ kind: 'completed', decisions: [{ decision: 'deny' }] });
	});

	test('denies only requests whose time is over: approvers are asked about a new one', async () => {
		const service = simulation();
		const timeouts = { ...limits, ifNobodyAnswers: 'deny' as const };
		const asked = await question(service, PROMPT, { timeouts });
		service.meets('poll', {
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
	const target = {
		operation: 'continue' as const,
		sessionId: session.sessionId,
		message: '[say Second]',
	};
	const error = await getError(service.run('', { target }));
	expect(error.context.httpStatus).toBe(403);
	expect(messages(service)).toEqual([]);
});
