import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SessionLog, SessionSnapshot } from '../../local-service/agent/model.mts';
import { abortedError, sessionAt, startup } from '../../local-service/agent/session.mts';
import { isDenial, scriptOfMessage, scriptOfPrompt } from '../../local-service/agent/story.mts';

const begin = Date.UTC(2026, 9, 5);
const newLog = (prompt: string, id = 'b0000000-0000-4000-8000-000000000000'): SessionLog => ({
	id,
	createdAt: begin,
	prompt,
	script: scriptOfPrompt(prompt),
	events: [],
});
const runningAt = (log: SessionLog) => log.createdAt + startup(log.id).runningAfter;
/** The session that many seconds after the agent began */
const after = (log: SessionLog, seconds: number) => sessionAt(log, runningAt(log) + seconds * 1000);
const resolve = (log: SessionLog, seconds: number, value: string, index = 0) =>
	log.events.push({
		kind: 'resolve',
		at: runningAt(log) + seconds * 1000,
		interactionId: after(log, seconds).pending[index].id,
		value,
	});
const say = (log: SessionLog, seconds: number, text: string) =>
	log.events.push({
		kind: 'message',
		at: runningAt(log) + seconds * 1000,
		text,
		script: scriptOfMessage(text, log),
	});
const abort = (log: SessionLog, seconds: number) =>
	log.events.push({ kind: 'abort', at: runningAt(log) + seconds * 1000 });

const directive = fc.constantFrom(
	'[work 3s]',
	'[work 25s]',
	'[idle 4s]',
	'[ask bash: a, b]',
	'[ask! bash: x]',
	'[ask bash: a + edit: c]',
	'[question Which?]',
	'[question Which? {Red, Blue}]',
	'[change diff: a => b] [ask edit: c]',
	'[say Hello]',
	'[fail Broken]',
	'[status mystery 2s]',
	'[work 1ms]',
);
const prompt = fc.array(directive, { maxLength: 5 }).map((parts) => `Do it ${parts.join(' ')}`);
const act = fc.record({
	wait: fc.integer({ min: 1, max: 9000 }),
	what: fc.nat({ max: 9 }),
	choice: fc.nat(),
	text: prompt,
});

/** Uses a session as callers do; returns what it looked like after each act. */
function live(
	log: SessionLog,
	acts: Array<{ wait: number; what: number; choice: number; text: string }>,
): Array<[number, SessionSnapshot]> {
	let now = log.createdAt;
	return acts.map(({ wait, what, choice, text }) => {
		now += wait;
		const { pending, visible, finishedAt } = sessionAt(log, now);
		const interaction = pending[choice % Math.max(1, pending.length)];
		if (visible && interaction && what < 6) {
			const value = interaction.options?.[choice % interaction.options.length].value ?? text;
			log.events.push({ kind: 'resolve', at: now, interactionId: interaction.id, value });
		} else if (visible && what === 7)
			log.events.push({ kind: 'message', at: now, text, script: scriptOfMessage(text, log) });
		else if (visible && what === 8 && finishedAt === undefined)
			log.events.push({ kind: 'abort', at: now });
		return [now, sessionAt(log, now)];
	});
}
const lives = fc
	.record({ prompt, id: fc.uuid(), acts: fc.array(act, { maxLength: 25 }) })
	.map(({ prompt, id, acts }) => {
		const log = newLog(prompt, id);
		return { log, seen: live(log, acts) };
	});

describe('every session, for any calls', () => {
	test("later events don't change earlier states", () => {
		fc.assert(
			fc.property(lives, ({ log, seen }) =>
				seen.forEach(([now, state]) => expect(sessionAt(log, now)).toEqual(state)),
			),
		);
	});

	test('is finished exactly when it is completed or failed, and then nothing is pending', () => {
		fc.assert(
			fc.property(lives, ({ seen }) => {
				for (const [now, { status, finishedAt, pending, error }] of seen) {
					expect(finishedAt !== undefined).toBe(['completed', 'failed'].includes(status));
					expect(finishedAt ?? 0).toBeLessThanOrEqual(now);
					expect(error !== undefined).toBe(status === 'failed');
					if (pending.length > 0) expect(status).toBe('running');
				}
			}),
		);
	});

	test('activity, interactions and turns only grow, and are never in the future', () => {
		fc.assert(
			fc.property(lives, ({ seen }) => {
				seen.forEach(([now, state], index) => {
					const before = seen[index - 1]?.[1];
					for (const moment of [
						state.activityAt,
						state.message.createdAt,
						state.message.completedAt ?? 0,
						state.tool?.at ?? 0,
					]) {
						expect(moment).toBeLessThanOrEqual(now);
					}
					if (!before) return;
					expect(state.activityAt).toBeGreaterThanOrEqual(before.activityAt);
					expect(state.message.createdAt).toBeGreaterThanOrEqual(before.message.createdAt);
					expect(state.turns).toBeGreaterThanOrEqual(before.turns);
					expect(
						state.interactions.map(({ id }) => id).slice(0, before.interactions.length),
					).toEqual(before.interactions.map(({ id }) => id));
				});
			}),
		);
	});

	test('has interactions with unique ids', () => {
		fc.assert(
			fc.property(lives, ({ seen }) => {
				const ids = seen.at(-1)?.[1].interactions.map(({ id }) => id) ?? [];
				expect(new Set(ids).size).toBe(ids.length);
			}),
		);
	});

	test('ends if every request is approved and no other call is made', () => {
		fc.assert(
			fc.property(prompt, fc.uuid(), (prompt, id) => {
				const log = newLog(prompt, id);
				let now = begin;
				for (let round = 0; round < 20 && sessionAt(log, now).finishedAt === undefined; round++) {
					now += 200_000;
					for (const { id: interactionId } of sessionAt(log, now).pending)
						log.events.push({ kind: 'resolve', at: now, interactionId, value: 'once' });
				}
				expect(sessionAt(log, now).status).toBe(prompt.includes('[fail') ? 'failed' : 'completed');
			}),
		);
	});

	test('is invisible for 1 to 2 seconds, then starting, then running', () => {
		fc.assert(
			fc.property(fc.uuid(), (id) => {
				const log = newLog('[work 1m]', id);
				const { visibleAfter, runningAfter } = startup(id);
				expect(visibleAfter).toBeGreaterThanOrEqual(1000);
				expect(visibleAfter).toBeLessThanOrEqual(2000);
				expect(sessionAt(log, begin + visibleAfter - 1).visible).toBe(false);
				expect(sessionAt(log, begin + visibleAfter)).toMatchObject({
					visible: true,
					status: 'starting',
				});
				expect(sessionAt(log, begin + runningAfter).status).toBe('running');
			}),
		);
	});
});

describe('a turn', () => {
	test('without directives works, asks for the build, works, and quotes the prompt', () => {
		const log = newLog('Tidy up');
		expect(after(log, 3.9).pending).toEqual([]);
		expect(after(log, 4).pending).toMatchObject([
			{ type: 'permission', permission: 'bash', patterns: ['npm run build'] },
		]);
		expect(after(log, 9999).status).toBe('running');
		resolve(log, 10, 'once');
		expect(after(log, 13.9).status).toBe('running');
		expect(after(log, 14)).toMatchObject({
			status: 'completed',
			message: { role: 'assistant', text: 'Done: “Tidy up”.' },
		});
	});

	test('shows changing tools and messages while it works', () => {
		const log = newLog('[work 30s]');
		const states = Array.from({ length: 30 }, (_, second) => after(log, second + 0.9));
		expect(new Set(states.map(({ tool }) => tool?.title)).size).toBeGreaterThan(4);
		expect(new Set(states.map(({ tool }) => tool?.status))).toEqual(
			new Set(['running', 'completed']),
		);
		expect(new Set(states.map(({ message }) => message.text)).size).toBeGreaterThan(2);
		states
			.slice(3)
			.forEach(({ activityAt }, index) =>
				expect(activityAt).toBeGreaterThan(states[index].activityAt),
			);
	});

	test('uses other tools in its next piece of work', () => {
		const log = newLog('[work 2s] [work 2s]');
		expect(after(log, 3).tool?.title).not.toBe(after(log, 1).tool?.title);
	});

	test('that idles shows no sign of activity', () => {
		const log = newLog('[work 2s] [idle 30s]');
		expect(after(log, 31.9)).toEqual(after(log, 2));
		expect(after(log, 32).status).toBe('completed');
	});

	test('asks for several permissions at once, and continues when all are resolved', () => {
		const log = newLog('[ask bash: x + edit: src/*] [say ok]');
		expect(after(log, 0).pending).toHaveLength(2);
		resolve(log, 1, 'once', 1);
		expect(after(log, 1).pending).toMatchObject([{ permission: 'bash' }]);
		resolve(log, 2, 'once');
		expect(after(log, 2)).toMatchObject({ status: 'completed', message: { text: 'ok' } });
	});

	test('continues after a denial, and says so at the end', () => {
		const log = newLog('[ask bash: git push] [work 2s] [say Finished.]');
		resolve(log, 1, 'reject');
		expect(after(log, 3)).toMatchObject({
			status: 'completed',
			message: { text: 'Finished. I carried on without what was not permitted: bash (git push).' },
		});
	});

	test('fails if a required permission is denied', () => {
		const log = newLog('[ask! bash: git push] [say no]');
		resolve(log, 1, 'reject');
		expect(after(log, 1)).toMatchObject({
			status: 'failed',
			error: 'Permission denied: bash (git push)',
		});
	});

	test("doesn't ask again after an approval with always", () => {
		const script = '[ask bash: a] [ask bash: a] [ask bash: a, b]';
		const always = newLog(script);
		resolve(always, 1, 'always');
		expect(after(always, 1).interactions).toMatchObject([
			{ patterns: ['a'] },
			{ patterns: ['a', 'b'] },
		]);
		const once = newLog(script);
		resolve(once, 1, 'once');
		expect(after(once, 1).interactions).toMatchObject([{ patterns: ['a'] }, { patterns: ['a'] }]);
	});

	test.each([
		['continues', '[ask bash: git push]', 'message'],
		['fails', '[ask! bash: git push]', 'error'],
	] as const)('that %s after a denial says why it was denied', (_, prompt, field) => {
		const log = newLog(prompt);
		resolve(log, 1, 'reject');
		Object.assign(log.events[0], { reason: 'Use a branch' });
		expect(JSON.stringify(after(log, 1)[field])).toContain(
			'bash (git push), because “Use a branch”',
		);
	});

	test('shows the change of an edit once, and of nothing else', () => {
		const log = newLog('[change diff: a => b] [ask bash: x + edit: c + edit: d]');
		const changes = after(log, 0).pending.map(
			(interaction) => interaction.type === 'permission' && interaction.change,
		);
		expect(changes).toEqual([undefined, { form: 'diff', before: 'a', after: 'b' }, undefined]);
	});

	test('asks questions and repeats the answer', () => {
		const log = newLog('Paint [question Which colour?]');
		expect(after(log, 0).pending).toMatchObject([{ type: 'question', text: 'Which colour?' }]);
		resolve(log, 1, 'blue');
		expect(after(log, 1).message.text).toBe('Done: “Paint”. You answered “blue”.');
	});

	test('fails at the step [fail], and does nothing afterwards', () => {
		const log = newLog('[fail Out of disk] [say never]');
		expect(after(log, 0)).toMatchObject({ status: 'failed', error: 'Out of disk' });
		expect(after(log, 60)).toEqual(after(log, 0));
	});

	test('reports an undocumented status for as long as the script says', () => {
		const log = newLog('[work 1s] [status mystery 5s] [work 1s]');
		expect([0, 1, 5.9, 6, 7].map((seconds) => after(log, seconds).status)).toEqual([
			'running',
			'mystery',
			'mystery',
			'running',
			'completed',
		]);
	});
});

describe('a message', () => {
	test('resumes a session that has completed or failed', () => {
		for (const prompt of ['[say one]', '[fail one]']) {
			const log = newLog(prompt);
			say(log, 10, 'Again');
			expect(after(log, 9).finishedAt).toBeDefined();
			expect(after(log, 10)).toMatchObject({ status: 'running', turns: 2 });
			expect(after(log, 10).error).toBeUndefined();
			expect(after(log, 12)).toMatchObject({
				status: 'completed',
				message: { text: 'Done: “Again”.' },
			});
		}
	});

	test('without directives gets its response from the previous script, one turn for each message', () => {
		const log = newLog('[say one] [next turn] [work 1s] [say two] [next turn] [say three]');
		say(log, 10, 'Again');
		expect(after(log, 12).message.text).toBe('two');
		say(log, 20, 'And again');
		expect(after(log, 22).message.text).toBe('three');
		say(log, 30, 'Once more');
		expect(after(log, 35).message.text).toBe('Done: “Once more”.');
	});

	test('with its own directives replaces the planned steps', () => {
		const log = newLog('[say one] [next turn] [say two]');
		say(log, 10, '[say mine]');
		say(log, 20, 'Again');
		expect(after(log, 15).message.text).toBe('mine');
		expect(after(log, 25).message.text).toBe('Done: “Again”.');
	});

	test('to a working session waits until its turn is over', () => {
		const log = newLog('[work 10s]');
		say(log, 5, '[work 10s] [say second]');
		expect(after(log, 5).message).toMatchObject({ role: 'user', text: '[work 10s] [say second]' });
		expect(after(log, 10).status).toBe('running');
		expect(after(log, 20)).toMatchObject({ status: 'completed', message: { text: 'second' } });
	});
});

describe('an abort', () => {
	test('ends a working or waiting session as failed, with nothing pending', () => {
		for (const prompt of ['[work 1m]', '[ask bash: x]', '[status mystery 1m]']) {
			const log = newLog(prompt);
			abort(log, 5);
			expect(after(log, 5)).toMatchObject({
				status: 'failed',
				error: abortedError,
				pending: [],
				finishedAt: runningAt(log) + 5000,
			});
			expect(after(log, 600)).toEqual(after(log, 5));
		}
	});

	test('does not change a session that has completed', () => {
		const log = newLog('[work 2s]');
		abort(log, 5);
		expect(after(log, 6).status).toBe('completed');
	});

	test('before the agent has started also ends the session', () => {
		const log = newLog('[work 2s]');
		abort(log, -0.5);
		expect(after(log, 9)).toMatchObject({ status: 'failed', error: abortedError });
		say(log, -0.2, '[work 1m]');
		expect(after(log, -0.2).status).toBe('running');
	});

	test('drops waiting messages, and later messages start a new turn', () => {
		const log = newLog('[work 1m]');
		say(log, 1, '[say late]');
		abort(log, 5);
		expect(after(log, 200).message.text).not.toBe('late');
		expect(after(log, 200)).toMatchObject({ status: 'failed', finishedAt: runningAt(log) + 5000 });
		say(log, 300, '[say back]');
		expect(after(log, 300)).toMatchObject({ status: 'completed', message: { text: 'back' } });
	});
});

test.each([
	['reject', true],
	['deny', true],
	['no', true],
	['no_thanks', true],
	['Reject', true],
	['once', false],
	['always', false],
	['notify', false],
	['yes', false],
])('%s means no: %s', (value, expected) => expect(isDenial(value)).toBe(expected));
