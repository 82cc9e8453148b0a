// Rules and answers as the engine hands them over: values in rules, tools of a model, what the question says and the answer takes.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { type OutputKey } from '../../nodes/RunAgentSession/outputs.ts';
import { run, type Execution, type Setup } from './engine.mts';
import { itemsOn } from './runAgentSession.mts';
import { useService } from './service.mts';

const service = useService();

const session = (changes: IDataObject, more: Partial<Setup> = {}): Setup => ({
	node: 'runAgentSession',
	parameters: {
		operation: 'start',
		projectId: { __rl: true, mode: 'list', value: service.projectId, cachedResultName: 'Shop' },
		permissionPolicy: 'ask',
		...changes,
		options: { pollInterval: 1, maxPollInterval: 1 },
	},
	credentials: service.credentials,
	...more,
});
const itemOn = (output: OutputKey, execution: Execution): IDataObject =>
	itemsOn(execution, output)[0].json;

describe('a value in a rule', () => {
	const trying = async (rule: IDataObject, json: IDataObject, patterns: string[]) =>
		await run({
			node: 'runAgentSession',
			parameters: {
				operation: 'tryRules',
				requests: JSON.stringify([{ permission: 'bash', patterns }]),
				permissionPolicy: 'rules',
				permissionRules: { rule: [{ permission: 'bash', decision: 'approve', ...rule }] },
				defaultDecision: 'ask',
			},
			items: [json],
			credentials: service.credentials,
		});

	test.each<[string, unknown, string, 'approve' | 'ask']>([
		['=git push origin {{ $json.value }}', 'main', 'git push origin main', 'approve'],
		['=git push origin {{ $json.value }}', 'main, *', 'rm -rf /', 'ask'],
		['=git push origin {{ $json.value }}', 'main\n*', 'rm -rf /', 'ask'],
		['=git push origin {{ $json.value }}', '*', 'git push origin x', 'ask'],
		['=type src\\{{ $json.value }}', '*', 'type src\\x', 'ask'],
		['=type src\\{{ $json.value }}', '*', 'type src\\*', 'approve'],
		['=git push origin {{ $json.value }}', '*', 'git push origin *', 'approve'],
		['=git push origin {{ $json.value }}', '?', 'git push origin x', 'ask'],
		['=git push origin {{ $json.value }}\\', ', *', 'rm', 'ask'],
		['={{ $json.value }}', '*', 'rm', 'ask'],
		['={{ $json.value }}', 'a\\*', 'a\\*', 'approve'],
		['={{ $json.value }}{{ $json.value }}', 7, '77', 'approve'],
		['={{ $json.value }} *', 'npm', 'npm test', 'approve'],
		['{{ $json.value }}', 'x', '{{ $json.value }}', 'approve'],
	])('%j with %j on %j: %s', async (pattern, value, asked, decision) => {
		const execution = await trying({ pattern }, { value } as IDataObject, [asked]);
		expect(itemOn('completed', execution)).toMatchObject({ decision });
	});

	test('is no glob for the permission either', async () => {
		const rule = { permission: '={{ $json.value }}', pattern: '*' };
		expect(itemOn('completed', await trying(rule, { value: 'bash' }, ['x']))).toMatchObject({
			decision: 'approve',
		});
		expect(itemOn('completed', await trying(rule, { value: '*' }, ['x']))).toMatchObject({
			decision: 'ask',
		});
	});

	test.each<[string, unknown, RegExp]>([
		['={{ $json.nothing }}', 'x', /^'Pattern' of rule 1 has no value/],
		['=git push {{ $json.value }}', null, /^'Pattern' of rule 1 has no value/],
		['=git push {{ $json.value }}', '', /^'Pattern' of rule 1 has no value/],
		['={{ $json.value }}', ['a', '*'], /^'Pattern' of rule 1 is not a text/],
		['', 'x', /^Rule 1 has no pattern/],
	])("that isn't a list is refused: %j with %j", async (pattern, value, message) => {
		const execution = await trying({ pattern }, { value } as IDataObject, ['git push']);
		expect(execution.error?.message).toMatch(message);
	});

	test('a value is required in a new rule: Approve alone is refused by name', async () => {
		const execution = await trying({ permission: undefined }, {}, ['x']);
		expect(execution.error?.message).toMatch(/^Rule 1 has no pattern/);
	});
});

test('each question names the project and the job', async () => {
	const prompt = 'Publish it. [ask bash: a] [ask bash: b] [say Done]';
	const first = itemOn('needsApproval', await run(session({ prompt })));
	expect(first.question).toMatch(/^Project: «Shop» {2}\nTask: «Publish it․ ［ask bash∶ a］/m);
	const second = itemOn(
		'needsApproval',
		await run(
			session(
				{
					operation: 'continue',
					sessionId: '={{ $json.sessionId }}',
					permissionPolicy: 'answer',
					answer: 'approve',
					answerAppliesTo: 'asked',
					askedInteractions: '={{ $json.pendingInteractions }}',
				},
				{ items: [first] },
			),
		),
	);
	expect(second).toMatchObject({
		decisions: [{ patterns: ['a'], decision: 'approve', decidedBy: 'answer' }],
		pendingInteractions: [{ patterns: ['b'], n8nOrigin: { projectName: 'Shop', job: prompt } }],
		question: expect.stringMatching(/^Project: «Shop» {2}\nTask: «Publish it/m),
	});
});

test("a request that the question doesn't show isn't in the item, and the answer doesn't decide it", async () => {
	const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
	const asks = names.map((name) => `bash: ${name}`).join(' + ');
	const first = itemOn('needsApproval', await run(session({ prompt: `[ask ${asks}] [say Done]` })));
	const held = (first.pendingInteractions as IDataObject[]).map(({ patterns }) => String(patterns));
	expect(held).toEqual(names.slice(0, 5));
	expect(String(first.question).match(/(?<=^Command: «)[^»]*/gm)).toEqual(held);
	expect(first.question).toMatch(/^2 more requests: you get another message/m);
	const answered = await run(
		session(
			{
				operation: 'continue',
				sessionId: '={{ $json.sessionId }}',
				permissionPolicy: 'answer',
				answer: true,
				answerAppliesTo: 'asked',
				askedInteractions: '={{ $json.pendingInteractions }}',
			},
			{ items: [first] },
		),
	);
	expect(itemOn('needsApproval', answered).undecided).toMatchObject([
		{ because: "it wasn't among the requests shown" },
		{ because: "it wasn't among the requests shown" },
	]);
	const [{ interactions }] = await service.sessions();
	expect(interactions.map((each: IDataObject) => each.value ?? null)).toEqual([
		...held.map(() => 'once'),
		null,
		null,
	]);
});

test("a model can't answer: as a tool, Apply an Answer throws an error", async () => {
	const asked = itemOn('needsApproval', await run(session({ prompt: '[ask bash: a] [say Done]' })));
	const execution = await run(
		session(
			{
				operation: 'continue',
				sessionId: asked.sessionId,
				permissionPolicy: 'answer',
				answer: '={{ $json.approved }}',
				answerAppliesTo: 'session',
			},
			{ items: [{ approved: true }], asTool: true },
		),
	);
	expect(JSON.stringify(execution.outputs[0] ?? execution.error)).toMatch(
		/'Apply an Answer' isn't for tools/,
	);
	expect((await service.sessions())[0].interactions[0].value).toBeUndefined();
});

describe.each([
	['expectedPermission', 'Expected Permission'],
	['expectedPatterns', 'Expected Patterns'],
])('%s', (name, displayName) => {
	test.each(['', '={{ $json.nothing }}', '={{ null }}', '={{ " " }}'])(
		"that's set but empty is an error, and nothing is sent: %j",
		async (value) => {
			const asked = itemOn(
				'needsApproval',
				await run(session({ prompt: '[ask bash: a] [say Done]' })),
			);
			const [{ id }] = asked.pendingInteractions as IDataObject[];
			const execution = await run({
				node: 'workspaceAutomation',
				parameters: {
					resource: 'agentSession',
					operation: 'resolveInteraction',
					sessionId: asked.sessionId,
					interactionId: id,
					decision: 'approve',
					additionalFields: { [name]: value },
				},
				credentials: service.credentials,
			});
			expect(execution.error?.message).toBe(`'${displayName}' is empty`);
			expect((await service.sessions())[0].interactions[0].value).toBeUndefined();
		},
	);
});
