import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SessionLog, SessionSnapshot } from '../../local-service/agent/model.mts';
import { sessionAt, startup } from '../../local-service/agent/session.mts';
import { scriptOfMessage, scriptOfPrompt } from '../../local-service/agent/story.mts';

const begin = Date.UTC(2026, 9, 5);
const newLog = (prompt: string, id = 'b0000000-0000-4000-8000-000000000000'): SessionLog => ({
	id,
	createdAt: begin,
	prompt,
	script: scriptOfPrompt(prompt),
	events: [],
});

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
