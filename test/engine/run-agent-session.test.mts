// Run Agent Session as the engine runs it: parameters, outputs, many items, as a tool.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { run, start } from './engine.mts';
import { byOutput, itemsOn, texts, until, useRunAgentSession } from './runAgentSession.mts';

const { of, service, setup } = useRunAgentSession();

describe('outputs', () => {
	test('a session with one decided permission ends on Completed', async () => {
		const rule = [{ permission: 'bash', pattern: 'git *', decision: 'approve' }];
		const execution = await run(
			setup({
				prompt: '[ask bash: git push] [say Pushed]',
				permissionPolicy: 'rules',
				permissionRules: { rule },
			}),
		);
		expect(texts(execution)).toEqual({ completed: ['Pushed'] });
		expect(itemsOn(execution, 'completed')[0].json.decisions).toMatchObject([
			{ permission: 'bash', patterns: ['git push'], decision: 'approve', decidedBy: 'rule 1' },
		]);
		expect((await service.sessions())[0].interactions).toMatchObject([{ value: 'once' }]);
	});

	test('a session that needs approval ends on Needs Approval, and Continue a Session continues it with the answer', async () => {
		const asked = await run(setup({ prompt: '[ask bash: git push] [say Pushed]' }));
		expect(texts(asked)).toEqual({ needsApproval: [''] });
		const { sessionId, pendingInteractions } = itemsOn(asked, 'needsApproval')[0].json;
		expect(pendingInteractions).toMatchObject([{ permission: 'bash', patterns: ['git push'] }]);

		const items = [{ sessionId, answer: 'approve' }];
		const continued = await run(
			setup(
				{
					operation: 'continue',
					sessionId: '={{ $json.sessionId }}',
					permissionPolicy: '={{ $json.answer }}',
				},
				{ items },
			),
		);
		expect(texts(continued)).toEqual({ completed: ['Pushed'] });
		expect(await service.sessions()).toHaveLength(1);
	});

	test.each([['Max Wait', { maxWait: 0.05 }]])(
		'a session that takes longer than %s ends on Still Running',
		async (_, waits) => {
			const execution = await run(setup({ prompt: '[work 10m]', ...waits }));
			expect(byOutput(execution, ({ json }) => [json.status, json.sessionId])).toEqual({
				stillRunning: [['running', expect.any(String)]],
			});
		},
	);

	test('an item on Needs Approval has up to ten fields, and all of rule 12 without Simplify', async () => {
		const keys = async (changes: IDataObject) => {
			const execution = await run(setup({ prompt: '[ask bash: git push]', ...changes }));
			return Object.keys(itemsOn(execution, 'needsApproval')[0].json).sort();
		};
		const decisive = [
			'dashboardUrl',
			'decisions',
			'pendingInteractions',
			'question',
			'sessionId',
			'status',
			'text',
			'undecided',
		];
		const more = ['durationMs', 'lastActivityAt', 'latestMessage', 'latestTool', 'pollCount'];
		expect(await keys({})).toEqual(decisive);
		expect(await keys({ simplify: false })).toEqual([...decisive, ...more].sort());
	});

	test('items of every kind reach their output and keep their pairing (rule 11)', async () => {
		const items = [
			'[say One]',
			'[ask bash: x]',
			'[work 10m]',
			'[fail Out of disk]',
			'[say Five]',
		].map((prompt) => ({ prompt }));
		const execution = await run(
			setup(
				{ prompt: '={{ $json.prompt }}', maxWait: 0.07 },
				{ items, settings: { onError: 'continueErrorOutput' } },
			),
		);
		expect(byOutput(execution, ({ pairedItem }) => (pairedItem as { item: number }).item)).toEqual({
			completed: [0, 4],
			needsApproval: [1],
			stillRunning: [2],
			error: [3],
		});
		const sessions = await service.sessions();
		expect(sessions).toHaveLength(5);
		const { sessionId } = sessions.find(({ status }) => status === 'failed')!;
		expect(itemsOn(execution, 'error')[0].json).toEqual({
			prompt: items[3].prompt,
			error: 'The agent session failed: Out of disk',
			message: expect.stringContaining(sessionId),
		});
	});
});

describe('concurrency (rule 11)', () => {
	test('Max Concurrent Sessions limits the running sessions, even if one fails, and items keep their order and pairing', async () => {
		await service.control.addFaults({
			operationId: 'getAgentSession',
			kind: 'status',
			status: 429,
			retryAfter: 1,
			after: 20,
			times: 3,
		});
		const items = Array.from({ length: 50 }, (_, index) => ({
			prompt: index === 7 ? '[fail Out of disk]' : `[work 5s] [say Done ${index}]`,
		}));
		const settings = { onError: 'continueErrorOutput' as const };
		const execution = await run(
			setup(
				{ prompt: '={{ $json.prompt }}', options: { maxConcurrentSessions: 10 } },
				{ items, settings },
			),
		);
		const others = items.map((_, index) => index).filter((index) => index !== 7);
		expect(texts(execution)).toEqual({
			completed: others.map((index) => `Done ${index}`),
			error: ['The agent session failed: Out of disk'],
		});
		expect(
			itemsOn(execution, 'completed').map(
				({ pairedItem }) => (pairedItem as { item: number }).item,
			),
		).toEqual(others);

		// Never an eleventh between its start and the reading that told the node of its end.
		const requests = await service.requests();
		const ends = new Map<string, string>();
		for (const { method, path, at, status, answer } of requests as any[]) {
			if (method === 'GET' && status === 200 && ['completed', 'failed'].includes(answer.status))
				ends.set(path.split('/').at(-1), at);
		}
		const starts = requests.filter(({ method }) => method === 'POST') as any[];
		expect(starts).toHaveLength(50);
		const moments = starts.flatMap(
			({ at, answer }) =>
				[
					[at, 1],
					[ends.get(answer.sessionId)!, -1],
				] as Array<[string, number]>,
		);
		// An end and the start that it made room for may fall into the same millisecond.
		moments.sort(([a, up], [b, down]) => a.localeCompare(b) || up - down);
		let running = 0;
		for (const [, change] of moments) expect((running += change)).toBeLessThanOrEqual(10);
	});

	test('a 429 to one session makes all of them wait', async () => {
		const items = Array.from({ length: 10 }, () => ({}));
		const execution = start(
			setup(
				{ prompt: '[work 200s] [say Done]', options: { maxConcurrentSessions: 10 } },
				{ items },
			),
		);
		await until(async () => (await of('POST', '/agent/sessions')).length === 10);
		await service.control.addFaults({
			operationId: 'getAgentSession',
			kind: 'status',
			status: 429,
			retryAfter: 3,
		});
		const refused = async () => (await service.requests()).find(({ status }) => status === 429);
		await until(async () => (await refused()) !== undefined);
		await execution.result;
		const at = Date.parse((await refused())!.at);
		// Some were under way already; from a moment later on none comes before the three seconds are over.
		const later = (await service.requests())
			.map((request) => Date.parse(request.at) - at)
			.filter((after) => after > 300);
		expect(Math.min(...later)).toBeGreaterThanOrEqual(3000);
	});
});

describe('as a tool (rule 13)', () => {
	test.each([
		['[say Done]', 'completed'],
		['[ask bash: x]', 'needs_approval'],
		['[work 10m]', 'still_running'],
		['[fail Out of disk]', 'failed'],
	])('%s leaves through the first output as %s', async (prompt, status) => {
		const execution = await run(setup({ prompt, maxWait: 0.05 }, { asTool: true }));
		expect(execution.outputs.map((items) => items.length)).toEqual([1, 0, 0]);
		const { json } = execution.outputs[0][0];
		expect(json).toMatchObject({ status, sessionId: expect.any(String) });
		// A model pays for every word.
		expect(json).not.toHaveProperty('durationMs');
	});

	test('never pauses, with either Wait mode', async () => {
		const parameters = { prompt: '[work 5s] [say Done]', wait: 'database' };
		const { outputs } = await run(setup(parameters, { asTool: true }));
		expect(outputs[0][0].json).toMatchObject({ status: 'completed' });
	});

	test('an error for the model has a solution and the session', async () => {
		await service.control.addFaults({
			operationId: 'getAgentSession',
			kind: 'status',
			status: 403,
		});
		const { outputs } = await run(setup({}, { asTool: true }));
		const [{ sessionId }] = await service.sessions();
		expect(outputs[0][0].json).toMatchObject({
			error: "The API key doesn't allow this",
			message: expect.stringContaining('scope'),
			sessionId,
		});
	});
});

describe('custom data (rule 14)', () => {
	test('names the session and its dashboard, for the first items', async () => {
		const execution = await run(
			setup({ prompt: '[say Done]' }, { items: [{}, {}, {}, {}, {}, {}] }),
		);
		const ids = (await service.sessions()).map(({ sessionId }) => sessionId);
		expect(ids).toContain(execution.customData?.sessionId);
		expect(execution.customData?.dashboardUrl).toContain(execution.customData?.sessionId);
		expect(execution.customData?.sessionId_1).not.toBe(execution.customData?.sessionId);
		expect(Object.keys(execution.customData ?? {})).toHaveLength(10);
	});

	test('keeps the sessions of earlier nodes and rounds', async () => {
		const first = await run(setup({ prompt: '[say Done]' }));
		const second = await run(setup({ prompt: '[say Done too]' }, { retryOf: first }));
		const ids = (await service.sessions()).map(({ sessionId }) => sessionId);
		expect([second.customData?.sessionId, second.customData?.sessionId_1]).toEqual(ids);
	});
});

test("the credential's overrides and the node's body change the request", async () => {
	const overrides = JSON.stringify({
		createAgentSession: { body: { project: '{projectId}', input: [{ text: '{prompt}' }] } },
	});
	await run(
		setup(
			{ prompt: 'Hello', options: { body: '{"model":"large"}' } },
			{ credentials: { ...service.credentials, overrides } },
		),
	);
	expect((await of('POST', '/agent/sessions'))[0].body).toEqual({
		project: service.projectId,
		input: [{ text: 'Hello' }],
		model: 'large',
	});
});
