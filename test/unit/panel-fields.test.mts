// What each field of Run Agent Session accepts, also from an expression, and what the error says about anything else.
import { describe, expect, test } from '@jest/globals';
import { NodeHelpers, type INode } from 'n8n-workflow';
import type { TeamSettings } from '../../nodes/RunAgentSession/approval/approvers.ts';
import { properties } from '../../nodes/RunAgentSession/panel/index.ts';
import { checkRuleFields } from '../../nodes/RunAgentSession/panel/policyChecks.ts';
import {
	readConcurrency,
	readItemSettings,
	readTrial,
	readWaitMode,
} from '../../nodes/RunAgentSession/panel/read.ts';
import { MAX_APPROVERS } from '../../nodes/RunAgentSession/panel/teamChecks.ts';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const OTHER_ID = '123e4567-e89b-12d3-a456-426614174001';

const run = (code: string): unknown => new Function(`return (${code})`)();

/** Evaluates a text after its "=". An expression alone keeps the type of its value, as in n8n. */
function evaluate(text: string): unknown {
	const [, alone] = /^\{\{((?:(?!\}\})[^])*)\}\}$/.exec(text) ?? [];
	return alone === undefined
		? text.replace(/\{\{([^]*?)\}\}/g, (_, code: string) => String(run(code)))
		: run(alone);
}

function resolve(value: any): any {
	if (Array.isArray(value)) return value.map(resolve);
	if (typeof value === 'string') return value.startsWith('=') ? evaluate(value.slice(1)) : value;
	if (value === null || typeof value !== 'object') return value;
	return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(each)]));
}

/** Needs Approval leads to the node Message, and this back to the node. */
const CONNECTIONS: Record<string, { node: string; index: number }> = {
	Message: { node: 'Agent', index: 2 },
	Agent: { node: 'Message', index: 0 },
};

/** A node with these parameters, as the node's code sees it */
function open(saved: object, { isTool = false, isConnected = true } = {}): any {
	const parameters = NodeHelpers.getNodeParameters(
		properties,
		{ ...saved },
		true,
		false,
		{} as INode,
		null,
	);
	return {
		getNode: () => ({ name: 'Agent', type: isTool ? 'runAgentSessionTool' : 'runAgentSession' }),
		getNodeParameter(path: string, _item: number, fallback: unknown, told?: any) {
			const found = path.split('.').reduce((from: any, key) => from?.[key], parameters);
			const value = found === undefined ? fallback : found;
			return told?.rawExpressions ? value : resolve(value);
		},
		evaluateExpression: (expression: string) => evaluate(expression),
		getConnections: ({ name }: { name: string }) => [isConnected ? [CONNECTIONS[name]] : null],
		getChildNodes: (name: string) =>
			isConnected ? [{ name: name === 'Agent' ? 'Message' : 'Agent' }] : [],
	};
}

const read = (saved: object, more?: object) => readItemSettings(open(saved, more), 0);
const byId = (value: unknown) => ({ __rl: true, mode: 'id', value });
const start = (changes: object = {}) => ({
	operation: 'start',
	projectId: byId(ID),
	prompt: 'Go',
	...changes,
});
const resume = (changes: object = {}) => ({
	operation: 'continue',
	sessionId: byId(ID),
	...changes,
});
const withOptions = (options: object) => start({ options });
const inDatabase = (options: object) => start({ wait: 'database', options });
const ruled = (...rule: object[]) =>
	start({ permissionPolicy: 'rules', permissionRules: { rule } });
const answered = (changes: object = {}) =>
	resume({
		permissionPolicy: 'answer',
		answer: 'yes',
		askedInteractions: '={{ [{ id: "i1" }] }}',
		...changes,
	});

const matching = (text: string | RegExp) =>
	typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);
const refusal = (message: string | RegExp, advice: string | RegExp) =>
	expect.objectContaining({ message: matching(message), description: matching(advice) });

const HOUR = 3_600_000;

describe('without entries', () => {
	test('a session in the database has the documented times and choices', () => {
		expect(read(inDatabase({}))).toMatchObject({
			team: undefined,
			sendComments: false,
			returnTogether: false,
			timeouts: {
				giveUpAfterMs: 24 * HOUR,
				onGiveUp: 'abort',
				ifNobodyAnswers: 'wait',
				unansweredAfterMs: 24 * HOUR,
				waitsForApprovers: true,
			},
		});
		const alone = read(inDatabase({}), { isConnected: false });
		expect(alone).toMatchObject({ team: undefined, timeouts: { waitsForApprovers: false } });
	});

	test('a session in memory has no times of the database', () => {
		expect(read(start()).timeouts).toBeUndefined();
	});

	test('five sessions run in parallel', () => {
		expect(readConcurrency(open(start()))).toBe(5);
	});

	test('a policy without rules has none', () => {
		expect(read(start()).policy).toEqual({
			mode: 'ask',
			rules: [],
			defaultDecision: 'ask',
			approveWith: 'once',
			approveValues: [],
			denyValues: [],
		});
	});
});

test.each<[string, object, object, string]>([
	['by default', start(), {}, 'memory'],
	['as chosen', inDatabase({}), {}, 'database'],
	['as a tool, which never pauses', inDatabase({}), { isTool: true }, 'memory'],
])('the node waits %s', (_, saved, more, mode) => {
	expect(readWaitMode(open(saved, more))).toBe(mode);
});

const ANNA = { name: 'Anna', contact: 'anna@example.com' };
const BEN = { name: 'Ben', contact: 'ben@example.com' };
const entered = (...approver: unknown[]) => ({ approvers: { approver } });
const listed = (approvers: unknown) => ({ approvers: { list: [{ approvers }] } });
const team = (options: object, more?: object) =>
	read(inDatabase(options), more).team as TeamSettings | undefined;

type Reader = (value: unknown) => unknown;

describe('a number', () => {
	const numbers: Array<[label: string, reader: Reader, least: number, unit: number]> = [
		['Poll Interval (Seconds)', (n) => read(withOptions({ pollInterval: n })).poll.pollMs, 1, 1000],
		[
			'Max Poll Interval (Seconds)',
			(n) => read(withOptions({ pollInterval: 1, maxPollInterval: n })).poll.maxPollMs,
			1,
			1000,
		],
		['Max Wait (Minutes)', (n) => read(start({ maxWait: n })).maxWaitMs, 0, 60_000],
		[
			'Give Up After (Hours)',
			(n) => read(inDatabase({ giveUpAfter: n })).timeouts?.giveUpAfterMs,
			0,
			HOUR,
		],
		[
			'If Nobody Answers After (Hours)',
			(n) => read(inDatabase({ unansweredAfter: n })).timeouts?.unansweredAfterMs,
			0,
			HOUR,
		],
		[
			'Max Concurrent Sessions',
			(n) => readConcurrency(open(withOptions({ maxConcurrentSessions: n }))),
			1,
			1,
		],
		['Approvals Needed', (n) => team({ ...entered(ANNA, BEN), approvalsNeeded: n })?.needed, 1, 1],
		[
			'Remind After (Hours)',
			(n) => team({ ...entered(ANNA), remindAfter: n })?.remindAfterMs,
			0,
			HOUR,
		],
		['Reminders', (n) => team({ ...entered(ANNA), maxReminders: n })?.maxReminders, 1, 1],
		[
			'Ask Backups After (Hours)',
			(n) => team({ ...entered(ANNA), askBackupsAfter: n })?.askBackupsAfterMs,
			0,
			HOUR,
		],
	];

	test.each(numbers)('of %s can be its limit, more, or a text', (_, reader, least, unit) => {
		expect(reader(least)).toBe(least * unit);
		expect(reader(2)).toBe(2 * unit);
		expect(reader('={{ "2" }}')).toBe(2 * unit);
	});

	test.each(numbers)("of %s can't be below its limit, or anything else", (label, reader, least) => {
		const wrong = [least - 0.01, '={{ null }}', '={{ "" }}', '={{ "many" }}', '={{ [5] }}', NaN];
		for (const value of wrong)
			expect(() => reader(value)).toThrow(
				refusal(`'${label}' isn't a valid number`, `${least} or more for '${label}'`),
			);
	});

	test('of sessions in parallel is rounded down, and of approvals up', () => {
		expect(readConcurrency(open(withOptions({ maxConcurrentSessions: 2.9 })))).toBe(2);
		expect(team({ ...entered(ANNA), maxReminders: 2.9 })).toMatchObject({ maxReminders: 2 });
		const needed = { ...entered(ANNA, BEN), approvalsNeeded: 1.1 };
		expect(team(needed)).toMatchObject({ needed: 2 });
	});

	test("of seconds can't be lower for the longest interval than for the shortest", () => {
		expect(() => read(withOptions({ pollInterval: 8, maxPollInterval: 7 }))).toThrow(
			refusal("'Max Poll Interval (Seconds)' isn't", /8 or more/),
		);
		const equal = read(withOptions({ pollInterval: 8, maxPollInterval: 8 }));
		expect(equal.poll).toEqual({ pollMs: 8_000, maxPollMs: 8_000 });
	});
});

describe('a switch', () => {
	const switches: Array<[label: string, reader: Reader]> = [
		['Abort on Stop', (on) => read(withOptions({ abortOnStop: on })).abortOnStop],
		['Send Comments to the Agent', (on) => read(inDatabase({ sendComments: on })).sendComments],
		['Return Items Together', (on) => read(inDatabase({ returnTogether: on })).returnTogether],
	];

	test.each(switches)('%s is on or off, also as a text', (_, reader) => {
		for (const on of [true, '={{ true }}', '={{ " TRUE " }}']) expect(reader(on)).toBe(true);
		for (const off of [false, '={{ "false" }}']) expect(reader(off)).toBe(false);
	});

	test.each(switches)('%s is nothing else', (label, reader) => {
		for (const value of ['={{ null }}', '={{ 1 }}', '={{ "yes" }}', '={{ [true] }}'])
			expect(() => reader(value)).toThrow(
				refusal(`'${label}' is neither true nor false`, /on or off/),
			);
	});
});

describe('a choice', () => {
	const choices: Array<[label: string, reader: Reader, allowed: string[]]> = [
		['On Max Wait', (value) => read(start({ onMaxWait: value })).onMaxWait, ['abort', 'route']],
		[
			'On Give Up',
			(value) => read(inDatabase({ onGiveUp: value })).timeouts?.onGiveUp,
			['abort', 'error'],
		],
		[
			'If Nobody Answers',
			(value) => read(inDatabase({ ifNobodyAnswers: value })).timeouts?.ifNobodyAnswers,
			['abort', 'deny', 'wait'],
		],
		[
			'Permission Policy',
			(value) => read(start({ permissionPolicy: `={{ "${value}" }}` })).policy.mode,
			['approve', 'ask', 'rules', 'deny'],
		],
		[
			'When No Rule Matches',
			(value) =>
				read(start({ permissionPolicy: 'rules', defaultDecision: value })).policy.defaultDecision,
			['approve', 'ask', 'deny'],
		],
		[
			'Approve With',
			(value) =>
				read(start({ permissionPolicy: 'approve', options: { approveWith: value } })).policy
					.approveWith,
			['always', 'once'],
		],
		[
			'Applies To',
			(value) => read(answered({ answerAppliesTo: `={{ "${value}" }}` })).policy.answer?.appliesTo,
			['session', 'asked'],
		],
	];

	test.each(choices)('of %s is one of its values', (label, reader, allowed) => {
		for (const value of allowed) expect(reader(value)).toBe(value);
		for (const value of ['nonsense', allowed[0].toUpperCase()])
			expect(() => reader(value)).toThrow(
				refusal(`'${label}' has no valid value`, `'${label}': ${allowed.join(', ')}.`),
			);
	});

	test("of a policy can't be an answer for a session that doesn't exist yet, or for a trial", () => {
		const permissionPolicy = '={{ "answer" }}';
		const message = "'Permission Policy' has no valid value";
		expect(() => read(start({ permissionPolicy }))).toThrow(message);
		const trial = open({ operation: 'tryRules', requests: '[]', permissionPolicy });
		expect(() => readTrial(trial, 0)).toThrow(message);
		expect(read(answered({ permissionPolicy })).policy.mode).toBe('answer');
	});
});

describe('a JSON object', () => {
	const objects: Array<[label: string, reader: Reader]> = [
		['Body', (value) => (read(withOptions({ body: value })).target as any).extra],
		['Decision Body', (value) => read(withOptions({ decisionBody: value })).decisionBody],
	];

	test.each(objects)('%s is JSON, an object, or empty', (_, reader) => {
		for (const value of ['{"a": 1}', '={{ ({ a: 1 }) }}']) expect(reader(value)).toEqual({ a: 1 });
		for (const value of ['', '{}', '={{ null }}']) expect(reader(value)).toEqual({});
	});

	test.each(objects)('%s is nothing else', (label, reader) => {
		for (const value of ['{"a"', '[1]', '={{ 7 }}', '={{ [] }}'])
			expect(() => reader(value)).toThrow(
				refusal(`'${label}' isn't a valid JSON object`, `in '${label}'`),
			);
	});
});

describe('a list of option values', () => {
	const lists: Array<[label: string, reader: Reader]> = [
		[
			'Approve Values',
			(value) =>
				read(start({ permissionPolicy: 'approve', options: { approveValues: value } })).policy
					.approveValues,
		],
		['Deny Values', (value) => read(withOptions({ denyValues: value })).policy.denyValues],
	];

	test.each(lists)('%s is a text with commas, or empty', (label, reader) => {
		expect(reader(' go, ,stop ')).toEqual(['go', 'stop']);
		for (const value of ['', ' , ', '={{ null }}']) expect(reader(value)).toEqual([]);
		expect(() => reader('={{ ["go"] }}')).toThrow(
			refusal(`'${label}' is not a text`, `'${label}'`),
		);
	});
});

describe('the target', () => {
	test.each<[string, object, string, RegExp]>([
		['no project', start({ projectId: byId('={{ null }}') }), "'Project' is empty", /Enter a/],
		['another project ID', start({ projectId: byId('p1') }), "'Project' isn't a valid ID", /"p1"/],
		['no prompt', start({ prompt: ' ' }), "'Prompt' is empty", /for 'Prompt'/],
		['a prompt of null', start({ prompt: '={{ null }}' }), "'Prompt' is empty", /for 'Prompt'/],
		['a prompt that is a number', start({ prompt: '={{ 7 }}' }), "'Prompt' is not a text", /Enter/],
		['no session', resume({ sessionId: byId('') }), "'Session' is empty", /for 'Session'/],
		['another session ID', resume({ sessionId: byId('s1') }), "'Session' isn't a valid ID", /UUID/],
		['a message that is a list', resume({ message: '={{ [] }}' }), "'Message' is not a text", /'M/],
	])('of a session has not %s', (_, saved, message, advice) => {
		expect(() => read(saved)).toThrow(refusal(message, advice));
	});

	test('has no message if it is empty, so no new turn starts', () => {
		for (const message of ['', ' \n ', '={{ null }}', '={{ undefined }}'])
			expect(read(resume({ message })).target).toEqual({
				operation: 'continue',
				sessionId: ID,
				message: undefined,
			});
		expect(read(resume({ message: ' Go on\n' })).target).toMatchObject({ message: ' Go on\n' });
	});

	test.each<[string, object, boolean, string | undefined]>([
		['was sent', resume({ message: 'Go on' }), true, undefined],
		["wasn't sent", resume({ message: 'Go on' }), false, 'Go on'],
		["doesn't exist, for a session that this node started", start(), false, undefined],
	])(
		'of an item with a session is that session: its message %s',
		(_, saved, isMessageSent, message) => {
			const earlier = { sessionId: OTHER_ID, isMessageSent };
			expect(readItemSettings(open(saved), 0, earlier).target).toEqual({
				operation: 'continue',
				sessionId: OTHER_ID,
				message,
			});
		},
	);
});

describe('what an approver reads about a session', () => {
	const chosen = (changes: object = {}) => ({
		__rl: true,
		mode: 'list',
		value: ID.toUpperCase(),
		cachedResultName: 'Blog',
		...changes,
	});

	test.each<[string, object, string | undefined]>([
		['the name of a chosen project', chosen(), 'Blog'],
		['no name of a project that was entered', chosen({ mode: 'id' }), undefined],
		['no name of an earlier choice', chosen({ value: `={{ "${OTHER_ID}" }}` }), undefined],
		['no empty name', chosen({ cachedResultName: '' }), undefined],
	])('is the job, and %s', (_, projectId, projectName) => {
		const { origin, target } = read(start({ projectId }));
		expect(origin).toEqual({ projectName, projectId: (target as any).projectId, job: 'Go' });
	});

	test('comes from the requests shown if it is continued, except for a new job', () => {
		const askedInteractions = `={{ [{ id: "i1", n8nOrigin: { projectName: "Blog", job: "Go" } }] }}`;
		const origin = (changes: object) => read(answered({ askedInteractions, ...changes })).origin;
		expect(origin({})).toEqual({ projectName: 'Blog', job: 'Go' });
		expect(origin({ message: 'Go on' })).toEqual({ projectName: 'Blog', job: 'Go on' });
		expect(read(resume()).origin).toEqual({ projectName: undefined, job: undefined });
	});
});

describe('Apply an Answer', () => {
	test('reads the answer, the session, and the requests that it decides', () => {
		expect(read(answered()).policy.answer).toEqual({
			answer: 'approve',
			appliesTo: 'asked',
			asked: [{ id: 'i1', type: '' }],
			sessionId: ID,
		});
		expect(read(answered({ answer: '={{ false }}' })).policy.answer).toMatchObject({
			answer: 'deny',
		});
	});

	test("doesn't need the requests if it applies to all of the session", () => {
		const { answer } = read(answered({ answerAppliesTo: 'session', answer: '' })).policy;
		expect(answer).toMatchObject({ answer: 'none', appliesTo: 'session', asked: [] });
	});

	test('is no part of another policy', () => {
		expect(read(resume({ permissionPolicy: 'deny' })).policy).not.toHaveProperty('answer');
	});

	test.each<[string, object, string, RegExp]>([
		['an answer', { answer: 'perhaps' }, "'Answer' can't be read", /It is .*perhaps/],
		['requests', { askedInteractions: '' }, "'Requests Shown' is empty", /'Applies To'/],
		['requests', { askedInteractions: '[{}]' }, "'Requests Shown' isn't a list", /an id/],
	])('needs %s', (_, changes, message, advice) => {
		expect(() => read(answered(changes))).toThrow(refusal(message, advice));
	});

	test('is not for a tool: a model must not answer', () => {
		expect(() => read(answered(), { isTool: true })).toThrow(
			refusal(/^'Apply an Answer' isn't for tools/, /a model must not answer/),
		);
	});
});

describe('a rule', () => {
	const GIT = { permission: 'bash', pattern: 'git *', decision: 'approve' };
	const readPattern = (pattern: unknown) =>
		read(ruled({ ...GIT, pattern })).policy.rules.map((rule) => rule.pattern);

	test('is read as it was entered', () => {
		const other = { permission: '*', pattern: 'rm *, x\ny', decision: 'deny' };
		expect(read(ruled(GIT, other)).policy.rules).toEqual([GIT, other]);
	});

	test('applies only with Decide by Rules', () => {
		const permissionPolicy = '={{ "deny" }}';
		const { policy } = read({ ...ruled(GIT), permissionPolicy, defaultDecision: 'approve' });
		expect(policy).toMatchObject({ mode: 'deny', rules: [], defaultDecision: 'ask' });
		const options = { moreRules: [GIT] };
		expect(read({ ...ruled(), permissionPolicy, options }).policy).not.toHaveProperty('moreRules');
	});

	test.each<[string, string, string]>([
		['fixed text has wildcards', 'git *', 'git *'],
		['fixed text can end with an equals sign', 'export A=', 'export A='],
		['an expression matches only its value', '={{ "*" }}', '\\*'],
		['text around an expression has wildcards', '=git {{ "a*" }} *', 'git a\\* *'],
		['each expression is read', '={{ "a" }}, {{ "b?" }}', 'a, b\\?'],
		['an expression can have several lines', '={{\n"a"\n}}', 'a'],
		['zero and false are values', '={{ 0 }} {{ false }}', '0 false'],
		["a backslash before an expression doesn't escape it", '=C:\\{{ "*" }}', 'C:\\\\\\*'],
		['a backslash after an expression stays one', '={{ "*" }} x\\', '\\* x\\'],
		['a comma or a line break is part of the value', '={{ "a, *\\n*" }}', 'a, \\*\n\\*'],
	])('%s: %s', (_, pattern, expected) => {
		expect(readPattern(pattern)).toEqual([expected]);
	});

	const EMPTY = ['={{ null }}', '={{ undefined }}', '={{ "" }}', '=git {{ null }}'];
	const OBJECTS = ['={{ ["a"] }}', '={{ ({}) }}', '=git {{ [] }}'];
	test.each<[string, string, string, unknown[]]>([
		['a pattern', 'Pattern', 'has no value', EMPTY],
		['a permission', 'Permission', 'has no value', EMPTY],
		['a text as pattern', 'Pattern', 'is not a text', [...OBJECTS, 7, {}]],
		['a text as permission', 'Permission', 'is not a text', [...OBJECTS, 7, {}]],
	])('needs %s: the error of %s names the rule', (_, label, problem, values) => {
		for (const value of values) {
			const spoilt = { ...GIT, decision: 'deny', [label.toLowerCase()]: value };
			expect(() => read(ruled(GIT, spoilt))).toThrow(
				refusal(`'${label}' of rule 2 ${problem}`, `'${label}' in rule 2 of 'Rules'`),
			);
		}
	});

	test.each(['', 'allow', 'toString', '={{ null }}'])(
		'needs a decision, and has none with "%s"',
		(decision) => {
			expect(() => read(ruled(GIT, { ...GIT, decision }))).toThrow(
				refusal(/^Rule 2 has no decision$/, /^Choose .* in rule 2 of 'Rules'/),
			);
		},
	);

	test('needs a pattern and a permission', () => {
		expect(() => read(ruled(GIT, { ...GIT, pattern: ' ' }))).toThrow('Rule 2 has no pattern');
		expect(() => read(ruled(GIT, { ...GIT, permission: '' }))).toThrow('Rule 2 has no permission');
	});

	test('is an error with empty fields, and there can be none', () => {
		const check = (value: unknown) => checkRuleFields('Rules', value, { raw: value, evaluate });
		for (const nothing of [undefined, {}, { rule: [] }]) expect(check(nothing)).toEqual([]);
		for (const empty of [undefined, null, ''])
			expect(() =>
				check({ rule: [{ permission: empty, pattern: 'x', decision: 'deny' }] }),
			).toThrow('Rule 1 has no permission');
	});
});

describe('an approver', () => {
	const names = (options: object) => team(options)?.approvers.map(({ name }) => name);

	test('has a name and a contact up to their limits, without white space around', () => {
		const name = 'x'.repeat(100);
		const contact = 'y'.repeat(500);
		const given = { name: ` ${name} `, contact: ` ${contact} `, isBackup: '' };
		expect(team(entered(given))?.approvers).toEqual([{ name, contact }]);
	});

	test.each<[string, unknown, string]>([
		['no name', { contact: 'x' }, 'has no name'],
		['a name of white space', { name: ' \t' }, 'has no name'],
		['a name of null', { name: '={{ null }}' }, 'has no name'],
		['a name that is a number', { name: '={{ 7 }}' }, 'has no name'],
		['too long a name', { name: 'x'.repeat(101) }, 'has a name of more than 100 characters'],
		[
			'too long a contact',
			{ name: 'Ben', contact: 'x'.repeat(501) },
			'has a contact of more than 500 characters',
		],
		[
			'a contact that is a list',
			{ name: 'Ben', contact: '={{ ["x"] }}' },
			'has a contact that is not a text',
		],
		[
			'a contact that is true',
			{ name: 'Ben', contact: '={{ true }}' },
			'has a contact that is not a text',
		],
		[
			'a backup that is a number',
			{ name: 'Ben', isBackup: '={{ 1 }}' },
			"has an 'isBackup' that is neither true nor false",
		],
	])('has not %s: the error names the approver', (_, spoilt, problem) => {
		expect(() => team(entered(ANNA, spoilt))).toThrow(
			refusal(`Approver 2 ${problem}`, /this entry of 'Approvers': \{"/),
		);
	});

	test.each<[string, unknown, string]>([
		['nothing', '={{ undefined }}', ''],
		['null', '={{ null }}', ''],
		['white space', ' ', ''],
		['a number', '={{ 4930123 }}', '4930123'],
	])('can have %s as contact', (_, contact, expected) => {
		expect(team(entered({ name: 'Anna', contact }))?.approvers).toEqual([
			{ name: 'Anna', contact: expected },
		]);
	});

	test('is the same person only with the same contact, or without contacts with the same name', () => {
		const same = (contact: string, ...both: object[]) =>
			expect(() => team(entered(...both))).toThrow(
				refusal(/^'Approvers' has the same approver twice$/, `with ${contact}.`),
			);
		same('ANNA@EXAMPLE.COM', ANNA, { name: 'Ann', contact: 'ANNA@EXAMPLE.COM' });
		same('anna', { name: 'Anna' }, { name: 'anna' });
		const namesakes = entered({ name: 'Anna', contact: 'a1' }, { name: 'Anna', contact: 'a2' });
		expect(names(namesakes)).toEqual(['Anna', 'Anna']);
		// A capital K and the Kelvin sign have the same small letter.
		same('\u212A', { name: 'K' }, { name: '\u212A' });
	});

	test.each<[string, unknown]>([
		['JSON', JSON.stringify([ANNA, BEN])],
		['a list', '={{ [{ name: "Anna" }, { name: "Ben" }] }}'],
		['rows with empty items', '={{ [{ name: "Anna" }, {}, { name: "Ben" }] }}'],
	])('can come from %s', (_, list) => {
		expect(names(listed(list))).toEqual(['Anna', 'Ben']);
	});

	test('can come from several lists, from one object, and with a date as contact', () => {
		const both = [JSON.stringify(ANNA), '={{ ({ name: "Ben", contact: new Date(0) }) }}'];
		const list = both.map((approvers) => ({ approvers }));
		expect(team({ approvers: { list } })?.approvers).toEqual([
			ANNA,
			{ name: 'Ben', contact: '1970-01-01T00:00:00.000Z' },
		]);
	});

	test.each<[string, unknown]>([
		['a list that is a text', 'Anna'],
		['a list that is a number', '={{ 7 }}'],
		['a list that is false', '={{ false }}'],
	])('is not read from %s', (_, list) => {
		expect(() => team(listed(list))).toThrow(
			refusal("'Approvers' has no list of approvers", /Enter a JSON list/),
		);
	});

	test.each<[string, unknown]>([
		['an expression that finds nothing', '={{ undefined }}'],
		['an expression that is null', '={{ null }}'],
		['an empty text', ''],
		['an empty item', '={{ [{}] }}'],
	])('is missing with %s', (_, list) => {
		expect(() => team(listed(list))).toThrow(
			refusal("'Approvers' is empty", /Add approvers, or remove the option/),
		);
	});

	test(`is one of at most ${MAX_APPROVERS}`, () => {
		const many = (length: number) => Array.from({ length }, (_, index) => ({ name: `A${index}` }));
		expect(names(entered(...many(MAX_APPROVERS)))).toHaveLength(MAX_APPROVERS);
		const rows = `Array.from({ length: ${MAX_APPROVERS} }, (_, n) => ({ name: "A" + n }))`;
		expect(names(listed(`={{ ${rows}.concat({}) }}`))).toHaveLength(MAX_APPROVERS);
		expect(() => team(entered(...many(MAX_APPROVERS + 1)))).toThrow(
			refusal(/^'Approvers' has more than 50 entries$/, /It has 51/),
		);
	});

	test('is asked only In the Database, which a tool never does', () => {
		const more = { isTool: true, isConnected: false };
		expect(team(entered(ANNA), more)).toBeUndefined();
	});

	test('needs a way back from Needs Approval', () => {
		expect(() => team(entered(ANNA), { isConnected: false })).toThrow(
			refusal("'Needs Approval' isn't connected back", /Or remove the option 'Approvers'/),
		);
	});
});

describe('approvals', () => {
	const DORA = { name: 'Dora', isBackup: true };

	test.each<[string, object, string, RegExp]>([
		[
			'more than there are approvers',
			{ ...entered(ANNA, BEN), approvalsNeeded: 3 },
			"'Approvals Needed' is higher",
			/It's 3, .* is 2\./,
		],
		[
			'those of backups',
			{ ...entered(ANNA, DORA), approvalsNeeded: 2, askBackupsAfter: 1 },
			"'Approvals Needed' is higher",
			/It's 2, .* is 1\./,
		],
		[
			'those of backups who are never asked',
			entered(ANNA, DORA),
			'The backups would never be asked',
			/'Ask Backups After \(Hours\)'/,
		],
		[
			'those of nobody',
			{ maxReminders: 2 },
			"'Reminders' requires 'Approvers'",
			/or remove 'Reminders'/,
		],
	])("can't be %s", (_, options, message, advice) => {
		expect(() => team(options)).toThrow(refusal(message, advice));
	});

	test('can be those of all approvers who are no backups', () => {
		const options = { ...entered(ANNA, BEN, DORA), approvalsNeeded: 2, askBackupsAfter: 0 };
		expect(team(options)).toMatchObject({ needed: 2, askBackupsAfterMs: 0 });
	});
});
