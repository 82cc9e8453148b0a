// Try Rules in n8n's engine: what it reads of a session, and that it sends nothing else.
import { expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { run } from './engine.mts';
import { useOperations } from './operations.mts';

const { service, session, settled } = useOperations();

/** A session with pending requests, or one that has completed, as the service shows it */
const pending = async (prompt: string) =>
	await settled(await session(prompt), (found) => found.pendingInteractions.length > 0);
const completed = async (prompt: string) =>
	await settled(await session(prompt), ({ status }) => status === 'completed');

async function tryOn(sessionId: unknown) {
	const since = (await service.requests()).length;
	const denied = { permission: 'edit', pattern: 'index.html', decision: 'deny' };
	const moreRules = ['2020-01-01T00:00Z', '2999-01-01T00:00Z'].map((expires) => ({
		...denied,
		expires,
	}));
	const execution = await run({
		node: 'runAgentSession',
		parameters: {
			operation: 'tryRules',
			sessionId,
			permissionPolicy: 'rules',
			permissionRules: { rule: [{ permission: 'bash', pattern: 'npm *', decision: 'approve' }] },
			defaultDecision: 'ask',
			approvals: { moreRules: JSON.stringify(moreRules) },
		} as IDataObject,
		items: [{}],
		credentials: service.credentials,
	});
	const sent = (await service.requests())
		.slice(since)
		.map(({ method, path }) => ({ method, path }));
	return { execution, sent };
}

test('shows the decisions about the pending requests of a session, with one request that only reads', async () => {
	const { sessionId, dashboardUrl } = await pending(
		'[ask bash: npm test + edit: index.html] [say Done]',
	);
	for (const named of [
		sessionId,
		{ __rl: true, mode: 'url', value: dashboardUrl },
		{ __rl: true, mode: 'id', value: sessionId },
	]) {
		const { execution, sent } = await tryOn(named);
		expect(execution.outputs.map((items) => items.length)).toEqual([2]);
		expect(execution.outputs[0].map(({ json }) => json)).toMatchObject([
			{ decision: 'approve', decidedBy: 'rule 1', suggestedRule: { decision: 'approve' } },
			// The first of More Rules has expired.
			{
				decision: 'deny',
				decidedBy: 'more rule 2',
				request: { permission: 'edit', patterns: ['index.html'] },
			},
		]);
		expect(Object.keys(execution.outputs[0][0].json).slice(0, 2)).toEqual(['decision', 'because']);
		expect(sent).toEqual([
			{ method: 'GET', path: expect.stringMatching(`/agent/sessions/${sessionId}$`) },
		]);
	}
});

test('says so if nothing is pending', async () => {
	const { sessionId } = await completed('[say Done]');
	const { execution } = await tryOn(sessionId);
	expect(execution.error).toMatchObject({
		message: 'The session has no pending requests',
		description: expect.stringContaining('completed'),
	});
});

test('reads a session like any other read: it retries after an outage', async () => {
	const { sessionId } = await pending('[ask bash: npm test]');
	await service.control.addFaults({
		operationId: 'getAgentSession',
		kind: 'status',
		status: 503,
		times: 1,
	});
	const { execution, sent } = await tryOn(sessionId);
	expect(execution.outputs[0]).toHaveLength(1);
	expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
	expect(sent).toHaveLength(2);
});

test('the items of a call share one limit of 500 texts', async () => {
	const items = ['a', 'b'].map((name) => ({
		requests: Array.from({ length: 300 }, (_, at) => ({
			permission: 'bash',
			patterns: [`ls ${name}${at}`],
		})),
	}));
	const { outputs } = await run({
		node: 'runAgentSession',
		parameters: {
			operation: 'tryRules',
			requestsFrom: 'json',
			requests: '={{ $json.requests }}',
			permissionPolicy: 'rules',
			permissionRules: { rule: [{ permission: 'bash', pattern: 'ls *', decision: 'approve' }] },
			defaultDecision: 'ask',
		},
		items,
		credentials: service.credentials,
	});
	const asked = outputs[0].filter(({ json }) => json.decision === 'ask');
	expect(asked).toHaveLength(100);
	expect(asked[0].json.because).toMatch(/too much for rules/);
});
