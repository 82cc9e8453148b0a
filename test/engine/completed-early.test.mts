// Sessions that complete while their last reading shows an agent at work, in n8n's engine over HTTP.
import { expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { useAnswers } from './answers.mts';
import { run } from './engine.mts';

const service = useAnswers();
const ID = '123e4567-e89b-12d3-a456-426614174000';
const AT = '2026-10-05T07:00:00.000Z';

const message = { role: 'assistant', text: 'Built.', createdAt: AT, completedAt: AT };
const tool = { name: 'bash', status: 'completed', title: 'npm run build', at: AT };

/** Returns the warnings of the item of a completed session. */
async function warningsOf(session: IDataObject): Promise<unknown> {
	service.answer = () => ({ sessionId: ID, status: 'completed', ...session });
	const { outputs, error } = await run({
		node: 'runAgentSession',
		parameters: { operation: 'continue', sessionId: ID, whileWaiting: 'keepRunning' },
		credentials: service.credentials,
	});
	if (error) throw error;
	return outputs[0][0].json.warnings;
}

test.each<[string, IDataObject, string]>([
	['while its latest tool still runs', { latestTool: { ...tool, status: 'running' } }, 'bash'],
	['while its latest tool is pending', { latestTool: { ...tool, status: 'pending' } }, 'bash'],
	[
		"with a latest message that isn't complete",
		{ latestMessage: { role: 'assistant', text: "I'll start now", createdAt: AT } },
		"isn't complete",
	],
	[
		'with a latest message whose end is null',
		{ latestMessage: { ...message, completedAt: null } },
		"isn't complete",
	],
	[
		"with a latest message that isn't the agent's",
		{ latestMessage: { ...message, role: 'user' } },
		"isn't the agent's",
	],
	['without a message', { latestMessage: undefined }, 'no message'],
])('a session that completes %s has a warning', async (_, changes, reason) => {
	expect(await warningsOf({ latestMessage: message, latestTool: tool, ...changes })).toEqual([
		expect.stringMatching(new RegExp(`^The session completed, but .*${reason}.* may be early`)),
	]);
});

test.each<[string, IDataObject]>([
	['a finished tool', { latestTool: tool }],
	['a tool that failed', { latestTool: { ...tool, status: 'error' } }],
	['no tool', {}],
])('a session that completes with a complete message and %s has no warning', async (_, more) => {
	expect(await warningsOf({ latestMessage: message, ...more })).toBeUndefined();
});
