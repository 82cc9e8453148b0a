import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SessionLog, SessionSnapshot } from '../../local-service/agent/model.mts';
import { sessionAt } from '../../local-service/agent/session.mts';
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
});
