// The errors of Run Agent Session as the engine hands them on.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { run, type Setup } from './engine.mts';
import { texts, useRunAgentSession } from './runAgentSession.mts';
import { byId } from '../../n8n-host/workflows.mts';

const { service, setup } = useRunAgentSession();

describe('errors', () => {
	test('a failed session causes an error that names session and dashboard', async () => {
		const { error } = await run(setup({ prompt: '[fail Out of disk]' }));
		const [{ sessionId }] = await service.sessions();
		expect(error?.message).toBe('The agent session failed: Out of disk');
		expect(error?.description).toContain(sessionId);
		expect(error?.description).toContain(`/dashboard/sessions/${sessionId}`);
		expect(error?.context).toMatchObject({ sessionId, itemIndex: 0 });
	});

	test("the node's error names every failed item with its session", async () => {
		const items = [{ end: 'fail One' }, { end: 'say Fine' }, { end: 'fail Two' }];
		const { error } = await run(setup({ prompt: '=[work 5s] [{{ $json.end }}]' }, { items }));
		const sessions = await service.sessions();
		const [one, two] = ['One', 'Two'].map((name) =>
			sessions.find(({ prompt }) => prompt.includes(name))!,
		);
		expect(error?.message).toBe('The agent session failed: One');
		expect(error?.description).toContain(one.sessionId);
		expect(error?.description).toContain(
			`Item 2: The agent session failed: Two (session ${two.sessionId}`,
		);
	});

	test("a failed item doesn't block the decisions of another item", async () => {
		const items = [
			{ prompt: '[fail Out of disk]' },
			{ prompt: '[work 40s] [ask bash: x] [say Done]' },
		];
		const { error } = await run(
			setup({ prompt: '={{ $json.prompt }}', permissionPolicy: 'approve' }, { items }),
		);
		expect(error?.message).toBe('The agent session failed: Out of disk');
		const other = (await service.sessions()).find(({ prompt }) => prompt.includes('ask'));
		expect(other).toMatchObject({ status: 'completed', interactions: [{ value: 'once' }] });
	});

	test("an error about a wrong token has advice, and the token doesn't appear anywhere", async () => {
		const accessToken = 'wa_this_is_not_a_key';
		const execution = await run(
			setup({}, { credentials: { ...service.credentials, accessToken } }),
		);
		expect(execution.error?.message).toBe('The API key was refused');
		expect(execution.error?.description).toMatch(/Check in the credential/);
		expect(execution.error?.httpCode).toBe('401');
		expect(JSON.stringify(execution.data)).not.toContain(accessToken);
		expect(JSON.stringify(execution.error)).not.toContain(accessToken);
	});

	// n8n passes a thrown error's input through the first output, which is Still Running, and drops the error.
	test.each<[string, Partial<Setup>, string]>([
		['memory', { credentials: { overrides: 'x' } }, "'Overrides' isn't a valid JSON object"],
		['database', {}, "'Still Running' isn't connected to this node's input"],
	])(
		'an error that keeps all items from running leaves through the error output (%s)',
		async (wait, { credentials }, message) => {
			const execution = await run(
				setup(
					{ wait },
					{
						items: [{}, {}],
						settings: { onError: 'continueErrorOutput' },
						credentials: { ...service.credentials, ...credentials },
					},
				),
			);
			expect(texts(execution)).toEqual({ error: [message, message] });
			expect(await service.sessions()).toEqual([]);
		},
		20_000,
	);

	test("a service that can't be reached is named in the error", async () => {
		// Port 9 is discard: nothing listens there.
		const execution = await run(
			setup(
				{ maxWait: 0.05 },
				{ credentials: { ...service.credentials, baseUrl: 'http://127.0.0.1:9/v1' } },
			),
		);
		expect(execution.error?.message).toBe("The service couldn't be reached");
		expect(execution.error?.description).toMatch(/ECONNREFUSED.*base URL/);
	});

	test.each<[string, IDataObject, IDataObject, RegExp, RegExp]>([
		[
			'base URL without /v1',
			{},
			{ baseUrl: 'http://localhost:4010' },
			/'Base URL' .* \/v1/,
			/https:\/\/api\.example\.com\/v1/,
		],
		[
			'http to another host',
			{},
			{ baseUrl: 'http://api.example.com/v1' },
			/'Base URL' .* https/,
			/localhost/,
		],
		['malformed overrides', {}, { overrides: '{"cursor"' }, /'Overrides'/, /JSON object/],
		['no token', {}, { accessToken: '' }, /'API Key' is empty/, /Enter a value/],
		['an empty prompt', { prompt: ' ' }, {}, /^'Prompt' is empty/, /expression/],
		['a prompt that is null', { prompt: '={{ null }}' }, {}, /^'Prompt' is empty/, /expression/],
		['a prompt that is no text', { prompt: '={{ [1] }}' }, {}, /^'Prompt' is not a text/, /Enter/],
		[
			'a malformed project',
			{ projectId: byId('={{ "p1" }}') },
			{},
			/^'Project' isn't a valid ID/,
			/UUID/,
		],
		['no project', { projectId: byId('={{ null }}') }, {}, /^'Project' is empty/, /Enter/],
		[
			'a malformed session ID',
			{ operation: 'continue', sessionId: 'abc' },
			{},
			/^'Session' isn't a valid ID/,
			/UUID/,
		],
		[
			'a rule without a decision',
			{
				permissionPolicy: 'rules',
				permissionRules: { rule: [{ permission: 'bash', pattern: '*' }] },
			},
			{},
			/^Rule 1 has no decision/,
			/Choose/,
		],
		[
			'a policy that does not exist',
			{ permissionPolicy: '={{ "maybe" }}' },
			{},
			/^'Permission Policy'/,
			/approve, ask, rules, deny/,
		],
		[
			'a malformed body',
			{ options: { body: '{"a"' } },
			{},
			/^'Body' isn't a valid JSON object/,
			/\{"name": "value"\}/,
		],
		[
			'a poll interval of nothing',
			{ options: { pollInterval: 0 } },
			{},
			/^'Poll Interval \(Seconds\)'/,
			/1 or more/,
		],
		[
			'a longest interval below the shortest',
			{ options: { pollInterval: 5, maxPollInterval: 2 } },
			{},
			/^'Max Poll Interval \(Seconds\)'/,
			/5 or more/,
		],
		['a negative wait', { maxWait: -1 }, {}, /^'Max Wait \(Minutes\)'/, /0 or more/],
		[
			'no concurrency',
			{ options: { maxConcurrentSessions: 0 } },
			{},
			/^'Max Concurrent Sessions'/,
			/1 or more/,
		],
	])(
		'%s is refused before anything is sent',
		async (_, changes, credentials, message, description) => {
			const { error } = await run(
				setup(changes, {
					credentials: { ...service.credentials, ...credentials } as Setup['credentials'],
				}),
			);
			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(description);
			expect(await service.requests()).toEqual([]);
		},
	);

	test('an invalid item stops the start of the others, unless On Error continues', async () => {
		const items = [{ prompt: '[say One]' }, { prompt: '' }];
		const strict = await run(setup({ prompt: '={{ $json.prompt }}' }, { items }));
		expect(strict.error?.message).toBe("'Prompt' is empty");
		expect(strict.error?.context?.itemIndex).toBe(1);
		expect(await service.requests()).toEqual([]);

		const lenient = await run(
			setup(
				{ prompt: '={{ $json.prompt }}' },
				{ items, settings: { onError: 'continueRegularOutput' } },
			),
		);
		expect(texts(lenient)).toEqual({ completed: ['One', "'Prompt' is empty"] });
	});
});
