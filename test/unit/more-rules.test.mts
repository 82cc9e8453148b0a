// Rules from data: what an entry of More Rules means, which entries are errors, and which rule Try Rules suggests.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readMoreRules } from '../../nodes/RunAgentSession/panel/readLists.ts';
import { rememberRequests } from '../../nodes/RunAgentSession/requests/decisions.ts';
import { readWholeRequest } from '../../nodes/shared/approvals/rememberedRequest.ts';
import {
	createJudge,
	withoutExpired,
	type Policy,
} from '../../nodes/RunAgentSession/policy/rules.ts';
import { tryRules } from '../../nodes/RunAgentSession/operations/tryRules.ts';
import { policy, request, rule } from './policies.mts';

const entry = (changes: object = {}) => ({
	permission: 'bash',
	pattern: 'git push',
	decision: 'approve',
	...changes,
});
const exactRules = (requests: ReadonlyArray<Record<string, unknown>>) =>
	rememberRequests(requests.flatMap((each) => readWholeRequest(each) ?? []));
const by = (entries: unknown, changes: Partial<Policy> = {}) =>
	policy({ moreRules: readMoreRules(entries), ...changes });
const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);

const said = (entries: unknown, patterns = ['git push'], changes: Partial<Policy> = {}) =>
	createJudge(by(entries, changes))(request({ patterns }));

describe('an entry of More Rules', () => {
	test('decides after the rules of the node', () => {
		expect(said([entry()])).toMatchObject({ decision: 'approve', decidedBy: 'more rule 1' });
		const rules = [rule('bash', 'git *', 'ask')];
		expect(said([entry()], undefined, { rules })).toMatchObject({ decidedBy: 'rule 1' });
	});

	test.each([['git push'], ['ls && git push'], ['git -C . push']])(
		'never approves what a rule of the node denies or may mean: %j',
		(pattern) => {
			const rules = [rule('bash', 'git push *', 'deny')];
			const entries = [entry({ pattern }), entry({ pattern: '*', wildcard: true })];
			expect(said(entries, [pattern], { rules, defaultDecision: 'approve' }).decision).not.toBe(
				'approve',
			);
		},
	);

	test('is literal without `wildcard: true`', () => {
		for (const wildcard of [undefined, null, false, '']) {
			const entries = [entry({ pattern: 'git *', wildcard })];
			expect(said(entries)).toMatchObject({ decision: 'ask' });
			expect(said(entries, ['git *'])).toMatchObject({ decision: 'approve' });
		}
		expect(said([entry({ pattern: 'git *', wildcard: true })])).toMatchObject({
			decision: 'approve',
		});
		expect(said([entry({ permission: '*' })])).toMatchObject({ decision: 'ask' });
	});

	test('is ignored when it has expired', () => {
		const now = Date.parse('2026-11-23T12:00:00Z');
		const said = (expires: unknown) =>
			createJudge(withoutExpired(by([entry({ expires })]), now))(request()).decision;
		for (const expires of ['2026-11-23T12:00:00Z', '2026-11-23T12:30+01:00', new Date(now - 1)])
			expect(said(expires)).toBe('ask');
		for (const expires of [
			'2026-11-23T12:00:01.5Z',
			'2026-11-23 12:00:00-0100',
			null,
			'',
			undefined,
			new Date(now + 1),
		])
			expect(said(expires)).toBe('approve');
	});
});

test('an entry keeps its number if entries before it are empty or have expired', () => {
	const entries = [entry({ expires: '2020-01-01T00:00Z' }), {}, entry({ pattern: 'ls' }), entry()];
	const policy = withoutExpired(by(entries), Date.parse('2026-11-23'));
	expect(createJudge(policy)(request())).toMatchObject({ decidedBy: 'more rule 4' });
});

const NO_TIME = "needs an 'expires' with a date, a time and a time zone";
const NO_REQUEST = 'has a request without permission, patterns or hash';

describe('More Rules accepts', () => {
	test.each<[string, unknown, number]>([
		['nothing', '', 0],
		['the empty item of Always Output Data', [{}], 0],
		['one rule', entry(), 1],
		['JSON', JSON.stringify([entry(), entry()]), 2],
		['rows with more fields', [entry({ id: 1, createdAt: new Date(), note: {} })], 1],
	])('%s', (_, value, count) => {
		expect(readMoreRules(value)).toHaveLength(count);
	});

	test.each<[string, unknown, string]>([
		['a text', ['git push'], 'is not an object'],
		['no permission', [entry({ permission: undefined })], 'has no permission'],
		['no pattern', [entry({ pattern: '' })], 'has no pattern'],
		[
			'a host that ends with a wildcard',
			[entry({ permission: 'webfetch', pattern: 'https://docs.example.com*', wildcard: true })],
			'has a host that ends with a wildcard',
		],
		[
			'a wildcard that is a text',
			[entry({ wildcard: 'true' })],
			"needs true or false as 'wildcard'",
		],
		['an expiry that is a number', [entry({ expires: 7 })], NO_TIME],
		['a day without a time', [entry({ expires: '2027-01-31' })], NO_TIME],
		['a time without a zone', [entry({ expires: '2027-01-31T10:00:00' })], NO_TIME],
		[
			'a request without a hash',
			[{ request: { permission: 'bash', patterns: ['x'] }, decision: 'approve' }],
			NO_REQUEST,
		],
		[
			'a request without a decision',
			[{ request: { permission: 'bash', patterns: ['x'], hash: 'x' } }],
			'has no decision',
		],
		[
			'a day that does not exist, with a time',
			[entry({ expires: '2027-02-30T10:00:00Z' })],
			NO_TIME,
		],
	])('no entry with %s: the error names it', (_, value, problem) => {
		const entries = [entry(), ...(value as unknown[])];
		expect(() => readMoreRules(entries)).toThrow(
			expect.objectContaining({
				message: `Rule 2 of 'More Rules' ${problem}`,
				description: expect.stringMatching(/^Nothing was sent\./),
			}),
		);
	});

	test.each<[string, unknown, RegExp, RegExp]>([
		['other text', 'git push', /isn't a list of rules/, /Enter a JSON list/],
		['deep nesting', JSON.parse(DEEP), /isn't a list of rules/, /no deep nesting/],
		['deep nesting in a text', DEEP, /isn't a list of rules/, /deep/],
		['list of over 8 MiB', [entry({ pattern: 'x'.repeat(2 ** 23) })], /isn't a list/, /8 MiB/],
		['more than 1,000', Array(1_001).fill(entry()), /has more than 1000 rules/, /has 1001/],
		[
			'longer pattern',
			[entry({ pattern: 'x'.repeat(4_097) })],
			/^Rule 1 of 'More Rules' has a pattern of more than 4096 characters/,
			/Correct this rule/,
		],
	])('no %s', (_, value, message, advice) => {
		expect(() => readMoreRules(value)).toThrow(
			expect.objectContaining({
				message: expect.stringMatching(message),
				description: expect.stringMatching(advice),
			}),
		);
	});
});

describe('a remembered request', () => {
	const whole = (changes: object = {}) =>
		request({
			patterns: ['npm publish', 'git push'],
			command: 'npm publish && git push',
			metadata: { cwd: '/srv/site', tag: 'next' },
			...changes,
		});
	const again = (remembered: Record<string, unknown>, asked: object) =>
		createJudge(by(exactRules([remembered])))(asked).decision;

	test.each<[string, object]>([
		['another permission', { permission: 'shell' }],
		['its patterns in another order', { patterns: ['git push', 'npm publish'] }],
		['no command', { command: undefined }],
		['another field', { force: true }],
		['another instruction', { response: { ...(whole().response as object), instruction: 'x' } }],
	])("doesn't approve a request with %s", (_, changes) => {
		expect(again(whole(), whole(changes))).toBe('ask');
	});

	test.each<[string, object, object]>([
		[
			'its ID',
			{},
			{ id: 'other', requestId: 'r1', toolCallId: 't1', sessionId: 's1', traceId: 'x' },
		],
		['what n8n adds to its item', {}, { n8nOrigin: { sessionId: 's1', content: 'x' } }],
		[
			'IDs and times at the top and in the metadata',
			{ metadata: { startedAt: '2026-11-26T10:00:00Z', elapsedMs: 1, callId: 'a' } },
			{ metadata: { startedAt: '2026-11-26T11:00:00Z', elapsedMs: 2, callId: 'b' } },
		],
		[
			'the run in a text of /tmp/',
			{ metadata: { log: '/tmp/a1b2c3d4/log' } },
			{ metadata: { log: '/tmp/9f8e7d6c/log' } },
		],
		[
			'the run in its folder',
			{ cwd: '/tmp/5f3ab873-2160-4034-856c-f981ef6c0c20/a1b2c3d4/site' },
			{ cwd: '/tmp/2c3d0f6e-7a1b-4a52-9d0e-3f4b5c6d7e8f/9f8e7d6c/site' },
		],
	])('approves a request that differs only in %s', (_, one, other) => {
		expect(again(whole(one), whole(other))).toBe('approve');
	});

	test.each<[string, object, object]>([
		['a pattern', { patterns: ['x a1b2c3d4'] }, { patterns: ['x 9f8e7d6c'] }],
		['a command in metadata', { metadata: { command: 'x 1' } }, { metadata: { command: 'x 2' } }],
		[
			'a command that begins with /tmp/',
			{ command: '/tmp/a1b2c3d4' },
			{ command: '/tmp/9f8e7d6c' },
		],
		['a word of letters', { cwd: '/srv/facade' }, { cwd: '/srv/decade' }],
		['a profile', { metadata: { profile: 'a1b2c3d4' } }, { metadata: { profile: '9f8e7d6c' } }],
		['a hash', { metadata: { fileHash: 'a1b2c3d4' } }, { metadata: { fileHash: '9f8e7d6c' } }],
		[
			'a field named like one of decisions',
			{ decidedBy: 'x', interactionId: 'i', note: 'a' },
			{ decidedBy: 'x', interactionId: 'i', note: 'b' },
		],
		[
			'an ID deeper in the request',
			{ metadata: { product: { id: 'p1' } } },
			{ metadata: { product: { id: 'p2' } } },
		],
		[
			'a list of times',
			{ metadata: { days: [{ time: 1 }] } },
			{ metadata: { days: [{ time: 2 }] } },
		],
		[
			'another folder of a run',
			{ metadata: { to: '/x/a1b2c3d4' } },
			{ metadata: { to: '/x/9f8e7d6c' } },
		],
		['a text named like a time', { metadata: { last: 'ls' } }, { metadata: { last: 'rm' } }],
	])("doesn't approve a request that differs in %s", (_, one, other) => {
		expect(again(whole(one), whole(other))).toBe('ask');
	});

	test.each<[string, object, boolean]>([
		['is any request with texts', {}, true],
		['can have any characters', { patterns: ['*, $(x)\n', ''] }, true],
		['needs patterns', { patterns: [] }, false],
		['needs texts', { patterns: [7] }, false],
		['needs a permission', { permission: ' ' }, false],
	])('%s', (_, changes, expected) => {
		expect(readWholeRequest(request(changes)) !== undefined).toBe(expected);
		expect(exactRules([request(changes), request(changes)])).toHaveLength(expected ? 1 : 0);
		if (expected)
			expect(again(request(changes), request({ ...changes, id: 'i2' }))).toBe('approve');
	});
});

/** Texts with all that rules and shells could read differently */
const text = fc
	.array(
		fc.constantFrom(
			...['git', 'rm', ' ', '*', '?', ',', '\\', ';', '\n', '..', '~', '"', '$(x)', '-f', '😀'],
		),
		{ minLength: 1, maxLength: 6 },
	)
	.map((parts) => parts.join(''))
	.filter((each) => each.trim() !== '');
const texts = fc.array(text, { minLength: 1, maxLength: 3 });

test('a suggested rule approves exactly its request, for any texts', () => {
	fc.assert(
		fc.property(text, texts, texts, (permission, patterns, others) => {
			const [{ suggestedRule }] = tryRules([{ permission, patterns }], policy());
			const ask = (asked: string[]) =>
				tryRules([{ permission, patterns: asked }], by([suggestedRule]))[0].decision;
			expect(ask(patterns)).toBe('approve');
			expect(ask(others)).toBe(others.join('\0') === patterns.join('\0') ? 'approve' : 'ask');
		}),
	);
});
