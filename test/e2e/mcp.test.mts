// Run Agent Session as a tool that n8n serves to MCP clients, which wait for 60 s and then ask again.
import { beforeAll, expect, test } from '@jest/globals';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { connectMcp, type McpClient } from './mcpClient.mts';
import { agentSession, eventually, node, getRecord, sessionsFor, useStage } from './support.mts';

const stage = useStage();
const PATH = 'agent-sessions';
let client: McpClient;

/** Run Agent Session as a tool of this name, that waits for a few seconds */
const tool = (name: string, parameters: object): WorkflowNode => {
	const waits = { maxWait: 0.05, onMaxWait: 'letRun', ...parameters };
	const session = agentSession({ permissionPolicy: 'approve', ...waits });
	return { ...session, id: name, name, type: `${session.type}Tool` };
};

function server(): WorkflowFile {
	const tools = [
		tool('Start', { prompt: "={{ $fromAI('prompt') }}" }),
		tool('Go on', { operation: 'continue', sessionId: "={{ $fromAI('sessionId') }}" }),
	];
	const trigger = node('MCP', '@n8n/n8n-nodes-langchain.mcpTrigger', 2, {
		parameters: { authentication: 'none', path: PATH },
		webhookId: PATH,
	});
	const type = 'ai_tool';
	const serves = tools.map(({ name }) => [name, { [type]: [[{ node: 'MCP', type, index: 0 }]] }]);
	return {
		name: 'Sessions by MCP',
		nodes: [trigger, ...tools],
		connections: Object.fromEntries(serves),
		settings: { executionOrder: 'v1' },
	};
}

beforeAll(async () => {
	const { host } = stage;
	await host.activate(await host.importWorkflow(server()));
	client = await eventually(
		async () => await connectMcp(`${host.url}/mcp/${PATH}`).catch(() => undefined),
	);
});

test('a client sees both tools, with the fields that the model fills in', async () => {
	const tools = await client.tools();
	const fields = tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]);
	expect(Object.fromEntries(fields)).toEqual({ Start: ['prompt'], Go_on: ['sessionId'] });
});

test('the model gets the ID of a session that takes longer than Max Wait, and each further call continues it', async () => {
	const prompt = 'By MCP. [work 9s] [say All links work.]';
	const first = await client.call('Start', { prompt });
	const [{ sessionId }] = await sessionsFor(stage, prompt);
	expect(first).toMatchObject({ status: 'still_running', sessionId });
	const next = await client.call('Go_on', { sessionId });
	expect(next).toMatchObject({ status: 'still_running', sessionId });

	// Also one that asks twice at once, as after an answer that came too late
	const ask = async () =>
		await eventually(async () => {
			const told = await client.call('Go_on', { sessionId });
			return told.status === 'completed' ? told : undefined;
		});
	for (const told of await Promise.all([ask(), ask()]))
		expect(told).toMatchObject({ sessionId, text: 'All links work.' });
	expect(await sessionsFor(stage, prompt)).toMatchObject([{ sessionId, turns: 1 }]);
	expect(await getRecord(stage, sessionId)).toMatchObject({ aborted: false });
});
