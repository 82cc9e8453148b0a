// Rules and answers as the engine hands them over: values in rules, tools of a model, what the question says and the answer takes.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { run } from './engine.mts';
import { useService } from './service.mts';

const service = useService();

describe('a value in a rule', () => {
	const trying = async (rule: IDataObject, json: IDataObject, patterns: string[]) =>
		await run({
			node: 'runAgentSession',
			parameters: {
				operation: 'tryRules',
				requestsFrom: 'json',
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
		expect(execution.outputs[0][0].json).toMatchObject({ decision });
	});

	test('can be a date between other text, as n8n writes it', async () => {
		const pattern = '=ls {{ $now }}{{ $json.value }}';
		const { outputs } = await trying({ pattern }, { value: '*' } as IDataObject, ['ls x']);
		expect(outputs[0][0].json.because).toMatch(/^no rule covers/);
	});

	test('is no glob for the permission either', async () => {
		const rule = { permission: '={{ $json.value }}', pattern: '*' };
		expect((await trying(rule, { value: 'bash' }, ['x'])).outputs[0][0].json).toMatchObject({
			decision: 'approve',
		});
		expect((await trying(rule, { value: '*' }, ['x'])).outputs[0][0].json).toMatchObject({
			decision: 'ask',
		});
	});

	test.each<[string, unknown, RegExp]>([
		['={{ $json.nothing }}', 'x', /^Rule 1 of 'Rules' has a pattern without a value/],
		['=git push {{ $json.value }}', null, /^Rule 1 of 'Rules' has a pattern without a value/],
		['=git push {{ $json.value }}', '', /^Rule 1 of 'Rules' has a pattern without a value/],
		['={{ $json.value }}', ['a', '*'], /^Rule 1 of 'Rules' needs a text as 'pattern'/],
		['', 'x', /^Rule 1 of 'Rules' has no pattern/],
	])("that isn't a list is refused: %j with %j", async (pattern, value, message) => {
		const execution = await trying({ pattern }, { value } as IDataObject, ['git push']);
		expect(execution.error?.message).toMatch(message);
	});

	test('a value is required in a new rule: Approve alone is refused by name', async () => {
		const execution = await trying({ permission: undefined }, {}, ['x']);
		expect(execution.error?.message).toMatch(/^Rule 1 of 'Rules' has no permission/);
	});
});
