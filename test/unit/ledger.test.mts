// Results of decisions, for any order of polls and answers.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	recordConfirmed,
	applyPollToLedger,
	planDecisions,
	recordRefused,
	recordSent,
	summarizeDecisions,
	type Ledger,
} from '../../nodes/RunAgentSession/session/ledger.ts';
import type { Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import type { Session } from '../../nodes/shared/client/session.ts';

const policy: Policy = { mode: 'approve', rules: [], defaultDecision: 'ask', approveWith: 'once' };
const session = (ids: number[], status = 'running'): Session => ({
	sessionId: 's',
	status,
	pendingInteractions: ids.map((id) => ({
		id: `i${id}`,
		type: 'permission',
		permission: 'bash',
		patterns: ['x'],
		response: { options: [{ value: 'once', label: 'Allow once' }] },
	})),
});

const events = fc.array(
	fc.record({
		listed: fc.uniqueArray(fc.nat(3), { maxLength: 4 }),
		answers: fc.array(fc.constantFrom('confirmed', 'lost', 'refused', 'held'), {
			minLength: 4,
			maxLength: 4,
		}),
	}),
	{ maxLength: 8 },
);

test('no decision is both listed and unconfirmed, lost, or sent twice for a poll, and the ledger is JSON', () => {
	fc.assert(
		fc.property(events, fc.constantFrom('running', 'completed', 'failed'), (readings, status) => {
			let ledger: Ledger = [];
			const isConfirmed = new Set<string>();
			const isSent = new Set<string>();
			for (const [round, { listed, answers }] of readings.entries()) {
				const reading = session(listed);
				ledger = applyPollToLedger(ledger, reading);
				const held: string[] = [];
				for (const [index, due] of planDecisions(ledger, reading, policy).due.entries()) {
					const at = `${round}.${index}`;
					const before = ledger;
					expect(isConfirmed.has(due.interaction.id)).toBe(false);
					ledger = recordSent(before, due, at);
					if (answers[index] === 'confirmed') {
						ledger = recordConfirmed(ledger, due);
						isConfirmed.add(due.interaction.id);
					} else if (answers[index] === 'lost') isSent.add(due.interaction.id);
					else if (answers[index] === 'refused') ledger = recordRefused(before, due, at, false);
					else {
						ledger = before;
						held.push(due.interaction.id);
					}
				}
				const again = planDecisions(ledger, reading, policy).due.map(
					({ interaction }) => interaction.id,
				);
				expect(again).toEqual(held);
				expect(JSON.parse(JSON.stringify(ledger))).toEqual(ledger);
			}
			const { decisions, doubts } = summarizeDecisions(ledger, session([], status));
			const ids = decisions.map(({ interactionId }) => interactionId);
			expect(new Set(ids).size).toBe(ids.length);
			for (const id of isConfirmed) expect(ids).toContain(id);
			for (const id of isSent) {
				const isDoubted = doubts.some((doubt) => doubt.includes(id));
				expect({ id, told: ids.includes(id) || isDoubted }).toEqual({ id, told: true });
			}
			for (const id of ids) expect(doubts.filter((doubt) => doubt.includes(id))).toEqual([]);
		}),
	);
});
