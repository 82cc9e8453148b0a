// Requests with thousands of fields: their short form identifies them, and rules read them whole.
import { describe, expect, test } from '@jest/globals';
import { applyPolicy } from '../../nodes/RunAgentSession/policy/rules.ts';
import { applyPoll } from '../../nodes/RunAgentSession/requests/record.ts';
import { shortenRequest } from '../../nodes/shared/approvals/largeRequest.ts';
import { readInteractions, type Interaction } from '../../nodes/shared/client/session.ts';
import { sizeOf } from '../../nodes/shared/values.ts';
import { ALWAYS, lastingRequest, ONCE, REJECT, session } from './interactions.mts';
import { policy, rule } from './policies.mts';

const fields = (changed?: object) => ({
	...Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`k${at}`, at])),
	...changed,
});
const copy = <T,>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const read = (request: object): Interaction => readInteractions([copy(request)])[0];
const options = [ONCE, ALWAYS, REJECT];

/** Objects of at most 60 fields in each other */
function tree(all: object): object {
	const entries = Object.entries(all);
	const parts = Array.from({ length: 60 }, (_, at) =>
		Object.fromEntries(entries.slice(at * 60, (at + 1) * 60)),
	);
	return Object.fromEntries(parts.map((part, at) => [`part${at}`, part]));
}

const SHAPES: Record<string, (changed?: object) => object> = {
	'at the top': (changed) => lastingRequest(fields(changed)),
	'deep in the metadata': (changed) =>
		lastingRequest({ metadata: { a: [{ b: fields(changed) }] } }),
	'in the response': (changed) => lastingRequest({ response: { options, ...fields(changed) } }),
	'in an option': (changed) =>
		lastingRequest({ response: { options: [{ ...ONCE, ...fields(changed) }, REJECT] } }),
	'in many lists': (changed) =>
		lastingRequest({ lists: Array.from({ length: 20 }, () => Object.values(fields(changed))) }),
	'in many small objects': (changed) =>
		lastingRequest({
			objects: Array.from({ length: 3_000 }, (_, at) => ({ ...changed, at })),
		}),
	'in a tree before the options': (changed) => ({
		metadata: tree(fields(changed)),
		...lastingRequest(),
	}),
};

describe.each(Object.entries(SHAPES))('a request with thousands of fields %s', (_, shape) => {
	test('has a short form of at most 2,000, which is its own short form', () => {
		const short = read(shape());
		expect(sizeOf(short).all).toBeLessThanOrEqual(2_000);
		expect(shortenRequest(short)).toBe(short);
	});

	test('has the same short form for the same content only', () => {
		expect(read(shape())).toEqual(read(shape()));
		for (const changed of [{ k0: -1 }, { k2999: -1 }, { more: 1 }])
			expect(read(shape(changed))).not.toEqual(read(shape()));
	});

	test('keeps the options that nothing was left out of', () => {
		expect(read(shape())).toMatchObject({
			id: 'i1',
			type: 'permission',
			response: { options: expect.arrayContaining([REJECT]) },
		});
	});
});

test("the service's own field of the name that a short form has makes another request", () => {
	const [none, one, other] = [{}, { n8nLeftOut: 1 }, { n8nLeftOut: 2 }].map((own) =>
		read(lastingRequest({ metadata: fields(), ...own })),
	);
	expect(one).not.toEqual(none);
	expect(other).not.toEqual(one);
});

test('rules read a large request whole, and none that n8n has saved', () => {
	const rules = policy({
		rules: [rule('bash', 'git *', 'approve'), rule('bash', 'rm *', 'deny')],
	});
	const harmless = read(lastingRequest({ patterns: ['git push'], ...fields() }));
	const denied = read(lastingRequest({ patterns: ['git push'], ...fields(), cmd: 'rm -rf x' }));
	expect(applyPolicy(harmless, rules)).toMatchObject({ decision: 'approve' });
	expect(applyPolicy(denied, rules)).toMatchObject({ decision: 'deny' });
	expect(applyPolicy(copy(harmless), rules)).toEqual({
		decision: 'ask',
		because: 'only a part of it is here',
	});
});

test('large metadata that changes with each reading stays the same request', () => {
	let records: ReturnType<typeof applyPoll> = [];
	for (let at = 0; at < 4; at++) {
		const pendingInteractions = [read(lastingRequest({ metadata: fields({ k0: `${at}` }) }))];
		records = applyPoll(copy(records), session({ pendingInteractions }), at * 10_000);
	}
	expect(records.filter(({ interaction }) => interaction)).toMatchObject([
		{ unsteady: ['n8nLeftOut'] },
	]);
});
