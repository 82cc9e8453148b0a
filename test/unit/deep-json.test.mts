// JSON of any depth, from the service or from a person, is read or is unreadable: nothing of it ends in a RangeError.
import { describe, expect, test } from '@jest/globals';
import { planDecisions, decideRequest } from '../../nodes/RunAgentSession/requests/plan.ts';
import { applyPoll } from '../../nodes/RunAgentSession/requests/record.ts';
import {
	fingerprintContent,
	readInteractions,
	readSession,
} from '../../nodes/shared/client/session.ts';
import { isTooDeep, sortedJson, toText } from '../../nodes/shared/values.ts';
import { policy, request } from './policies.mts';

const DEPTH = 100_000;
const nested = (start: string, inner: string, end: string, depth = DEPTH) =>
	JSON.parse(start.repeat(depth) + inner + end.repeat(depth)) as unknown;

describe.each([
	['lists', () => nested('[', '1', ']')],
	['objects', () => nested('{"a":', '1', '}')],
	['lists beside lists', () => nested('[1,[', '1', '],[]]')],
])('100,000 levels of %s', (_, create) => {
	const deep = create();

	test('are too deep to be read', () => {
		expect(isTooDeep(deep)).toBe(true);
		expect([sortedJson(deep), fingerprintContent(deep)]).toEqual([undefined, undefined]);
		expect(toText(deep)).toBe('JSON that is nested too deeply');
	});

	test.each<[string, unknown]>([
		['the list', deep],
		['a permission', [request({ permission: deep })]],
		['metadata', [request({ metadata: deep })]],
		['an ID', [request({ id: deep })]],
	])('as %s of pending requests are left to an approver, in a short form', (__, pending) => {
		const interactions = readInteractions(pending);
		expect(isTooDeep(interactions)).toBe(false);
		const session = { sessionId: 's1', status: 'running', pendingInteractions: interactions };
		const { due, undecided } = planDecisions(applyPoll([], session, 0), [], (each) =>
			decideRequest(each, policy({ mode: 'approve' })),
		);
		expect(due).toEqual([]);
		expect(undecided.length).toBeGreaterThan(0);
	});

	test('in a session leave the other fields readable', () => {
		const session = readSession(
			{ status: 'running', latestMessage: { deep }, latestTool: deep },
			's1',
		);
		expect(session).toMatchObject({ status: 'running', pendingInteractions: [] });
		expect(isTooDeep(session)).toBe(false);
	});
});

test('a hundred levels are read', () => {
	expect(isTooDeep(nested('[', '1', ']', 100))).toBe(false);
	expect(isTooDeep(nested('[', '1', ']', 102))).toBe(true);
	expect(toText(nested('[', '1', ']', 100))).toHaveLength(201);
});
