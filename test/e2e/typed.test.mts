// Typed results in the real n8n, with n8n's own output parsers. All workflows run beside each other, and the tests check what became of them.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { LINKS, RIGHT, WRONG } from '../support/outputParser.mts';
import { startScriptedModel, type ScriptedModel } from '../../tools/scriptedModel.mts';
import { around, expectSuccess, pausing, startLive, usePausingStage } from './pausing.mts';
import { itemsOn, node, NODE } from './support.mts';

const LANGCHAIN = '@n8n/n8n-nodes-langchain.';

/** What the agent says in the format, and in another one */
const SAY_RIGHT = `[say ${RIGHT}]`;
const SAY_WRONG = `[say ${WRONG}]`;

const link = { page: { type: 'string' }, url: { type: 'string' } };
const schema = {
	type: 'object',
	properties: {
		brokenLinks: {
			type: 'array',
			items: { type: 'object', properties: link, required: ['page', 'url'] },
		},
	},
	required: ['brokenLinks'],
};
const PARSERS = {
	'from a JSON example': { schemaType: 'fromJson', jsonSchemaExample: JSON.stringify(LINKS) },
	'from a schema': { schemaType: 'manual', inputSchema: JSON.stringify(schema) },
};
type ParserKind = keyof typeof PARSERS;

/** n8n's Structured Output Parser for a list of broken links */
const structured = (kind: ParserKind, parts: Partial<WorkflowNode> = {}): WorkflowNode =>
	node('Parser', `${LANGCHAIN}outputParserStructured`, 1.3, {
		parameters: PARSERS[kind],
		...parts,
	});

/** A workflow of one session with a parser below it. Each further parser is connected to the one before. */
function typed(name: string, parameters: object, ...parsers: WorkflowNode[]): WorkflowFile {
	const session = pausing(
		{ hasOutputParser: true, prompt: `${name}. ${SAY_RIGHT}`, ...parameters },
		{ retryOnFail: true, maxTries: 2, waitBetweenTries: 500 },
	);
	const file = around(name, [{ n: 1 }], session);
	for (const [index, { name: from }] of parsers.entries()) {
		const to = parsers[index - 1]?.name ?? NODE;
		file.connections[from] = {
			ai_outputParser: [[{ node: to, type: 'ai_outputParser', index: 0 }]],
		};
	}
	return { ...file, nodes: [...file.nodes, ...parsers] };
}

const stage = usePausingStage();
let model: ScriptedModel;

const MISFIT = "The result doesn't match the required format";
const KINDS = Object.keys(PARSERS) as ParserKind[];
const MODES = ['pause', 'keepRunning'];
const CASES = MODES.flatMap((mode) => KINDS.map((kind) => [mode, kind] as const));

const executions: Record<string, string> = {};
const begin = async (file: WorkflowFile): Promise<void> =>
	void (executions[file.name] = (await startLive(stage.host, file)).executionId);

const outcome = async (name: string): Promise<Execution> =>
	await stage.host.waitForExecution(executions[name]);

/** The sessions of a workflow, whose prompt begins with its name */
const listSessions = async (name: string) =>
	(await stage.service.sessions()).filter(({ prompt }) => prompt.startsWith(`${name}. `));

/** The messages that the sessions of a workflow got */
async function listMessages(name: string): Promise<string[]> {
	const ids = (await listSessions(name)).map(({ sessionId }) => sessionId);
	return (await stage.service.requests())
		.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'))
		.filter(({ path }) => ids.some((id) => path.includes(id)))
		.map(({ body }) => body.text);
}

const FIXED = 'Auto-Fix Format';
/** A parser whose model repairs an answer before the agent is asked: its first try is wrong, its second is right. */
async function beginAutoFix(): Promise<void> {
	await stage.host.importCredential({
		name: 'Scripted model',
		type: 'openAiApi',
		data: { apiKey: 'none', url: model.baseUrl },
	});
	model.play(['No idea.', RIGHT]);
	const parameters = { ...PARSERS['from a schema'], autoFix: true };
	const prompt = `${FIXED}. ${SAY_WRONG} [next turn] ${SAY_WRONG}`;
	const file = typed(FIXED, { prompt }, structured('from a schema', { parameters }));
	const chatModel = node('Model', `${LANGCHAIN}lmChatOpenAi`, 1.2, {
		parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
		credentials: { openAiApi: { id: null, name: 'Scripted model' } },
	});
	file.connections.Model = {
		ai_languageModel: [[{ node: 'Parser', type: 'ai_languageModel', index: 0 }]],
	};
	await begin({ ...file, nodes: [...file.nodes, chatModel] });
}

beforeAll(async () => {
	model = await startScriptedModel();
	for (const [whileWaiting, kind] of CASES) {
		const name = `${whileWaiting}, ${kind}`;
		const prompt = `${name}. ${SAY_WRONG} [next turn] [work 1m] ${SAY_RIGHT}`;
		await begin(typed(name, { prompt, whileWaiting }, structured(kind)));
	}
	const twice = `Twice wrong. ${SAY_WRONG} [next turn] [say I found none.]`;
	await begin(typed('Twice wrong', { prompt: twice }, structured('from a schema')));
	await begin(typed('No parser', {}));
	await begin(typed('Disabled parser', {}, structured('from a schema', { disabled: true })));
	await begin(typed('Toggle off', { hasOutputParser: false }, structured('from a schema')));
	await begin(
		typed(
			'Auto-fixing parser without a model',
			{},
			node('Fixing', `${LANGCHAIN}outputParserAutofixing`, 1),
			structured('from a schema'),
		),
	);
	await begin(
		typed(
			'Item list',
			{ prompt: 'Item list. [say /old\n/gone]' },
			node('Parser', `${LANGCHAIN}outputParserItemList`, 1, {
				parameters: { options: { numberOfItems: -1 } },
			}),
		),
	);
	await beginAutoFix();
});

afterAll(async () => await model?.close());

test.each(CASES)(
	'%s, Structured Output Parser %s: an invalid answer is repaired by one message in the same session',
	async (mode, kind) => {
		const name = `${mode}, ${kind}`;
		const execution = await outcome(name);
		expectSuccess(execution);
		expect(execution.items('Completed')).toMatchObject([{ output: LINKS }]);
		expect(await listMessages(name)).toHaveLength(1);
		expect(await listSessions(name)).toMatchObject([{ turns: 2 }]);
	},
);

test('two invalid answers are an error with the session, and Retry On Fail starts no other session', async () => {
	const { error } = await outcome('Twice wrong');
	expect(error?.message).toContain(MISFIT);
	const sessions = await listSessions('Twice wrong');
	expect(sessions).toHaveLength(1);
	expect(error?.description).toContain(sessions[0].sessionId);
});

describe('other parsers', () => {
	test('the Item List Output Parser returns a list', async () => {
		const execution = await outcome('Item list');
		expect(itemsOn(execution, 'completed')).toMatchObject([{ output: ['/old', '/gone'] }]);
	});

	test("with Auto-Fix Format the model is asked first, and the agent if the model can't repair the answer", async () => {
		const execution = await outcome(FIXED);
		expect(execution.error).toBeUndefined();
		expect(itemsOn(execution, 'completed')).toMatchObject([{ output: LINKS }]);
		expect(model.told()).toHaveLength(2);
		expect(await listMessages(FIXED)).toEqual([
			expect.stringMatching(/\nInvalid JSON in model output\n/),
		]);
	});
});

describe('the connection', () => {
	test.each(['No parser', 'Disabled parser'])(
		'%s: a clear error, before anything is sent',
		async (name) => {
			const { error } = await outcome(name);
			expect(error?.message).toBe('No output parser is connected');
			expect(await listSessions(name)).toEqual([]);
		},
	);

	test('a connected parser is ignored if the toggle is off', async () => {
		const execution = await outcome('Toggle off');
		expect(execution.status).toBe('success');
		expect(itemsOn(execution, 'completed')[0]).not.toHaveProperty('output');
		const [{ prompt }] = await listSessions('Toggle off');
		expect(prompt).toBe(`Toggle off. ${SAY_RIGHT}`);
	});

	test('the Auto-fixing parser needs a model: its own error says so, and nothing is sent', async () => {
		const { error } = await outcome('Auto-fixing parser without a model');
		expect(error).toMatchObject({
			message: 'Error in sub-node Fixing',
			description: expect.stringMatching(/sub-node must be connected/),
		});
		expect(await listSessions('Auto-fixing parser without a model')).toEqual([]);
	});
});
