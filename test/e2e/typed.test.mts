// Typed results in the real n8n, with n8n's own output parsers. All workflows run beside each other, n8n is killed once, and the tests look at what became of them.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { LINKS, RIGHT } from '../outputParser.mts';
import { startScriptedModel, type ScriptedModel } from '../../tools/scriptedModel.mts';
import { durable, runLive, useKillableStage } from './durable.mts';
import {
	LANGCHAIN,
	PARSERS,
	SAY_RIGHT,
	SAY_WRONG,
	structured,
	typed,
	type ParserKind,
} from './typed.mts';
import { agentSession, eventually, itemsOn, node } from './support.mts';

const stage = useKillableStage();
let model: ScriptedModel;

const SCRIPTS = {
	right: SAY_RIGHT,
	repaired: `${SAY_WRONG} [next turn] [work 1s] ${SAY_RIGHT}`,
	'twice wrong': `${SAY_WRONG} [next turn] [say I found none.]`,
};
const MISFIT = "The result doesn't match the required format";

const MODES = {
	memory: (parameters: object, parts?: object) =>
		agentSession({ hasOutputParser: true, permissionPolicy: 'approve', ...parameters }, parts),
	database: (parameters: object, parts?: object) =>
		durable({ hasOutputParser: true, options: { pollInterval: 1 }, ...parameters }, parts),
};
type Mode = keyof typeof MODES;

/** The executions, by the name of their workflow */
const executions = new Map<string, string>();

/** Starts a workflow: by hand in memory, and as in production in the database, where it pauses right after the start. */
async function begin(mode: Mode, file: WorkflowFile): Promise<string> {
	const id =
		mode === 'database'
			? await runLive(stage.host, file)
			: await stage.host.run(await stage.host.importWorkflow(file));
	executions.set(file.name, id);
	return id;
}

const outcome = async (name: string): Promise<Execution> =>
	await stage.host.waitForExecution(executions.get(name)!);

/** The sessions of a workflow, whose prompt begins with its name */
const sessionsOf = async (name: string) =>
	(await stage.service.sessions()).filter(({ prompt }) => prompt.startsWith(`${name}. `));

/** The messages that the sessions of a workflow got */
async function messagesOf(name: string): Promise<string[]> {
	const ids = (await sessionsOf(name)).map(({ sessionId }) => sessionId);
	return (await stage.service.requests())
		.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'))
		.filter(({ path }) => ids.some((id) => path.includes(id)))
		.map(({ body }) => body.text);
}

const hasMessage = async (name: string) =>
	await eventually(async () => (await messagesOf(name)).length > 0);

const RETRIED = { retryOnFail: true, maxTries: 2, waitBetweenTries: 500 };
const nameOf = (mode: Mode, kind: ParserKind, script: keyof typeof SCRIPTS) =>
	`${mode}, ${kind}, ${script}`;
const CASES = (Object.keys(MODES) as Mode[]).flatMap((mode) =>
	(Object.keys(PARSERS) as ParserKind[]).map((kind) => [mode, kind] as const),
);

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
	const file = typed(
		FIXED,
		MODES.memory({ prompt: `${FIXED}. ${SAY_WRONG} [next turn] ${SAY_WRONG}` }),
		structured('from a schema', { parameters }),
	);
	const chatModel = node('Model', `${LANGCHAIN}lmChatOpenAi`, 1.2, {
		parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
		credentials: { openAiApi: { id: null, name: 'Scripted model' } },
		position: [0, 500],
	});
	file.connections.Model = {
		ai_languageModel: [[{ node: 'Parser', type: 'ai_languageModel', index: 0 }]],
	};
	await begin('memory', { ...file, nodes: [...file.nodes, chatModel] });
}

/** What is under way when n8n is killed: each has got its repair message, and its agent is at work on the new answer. */
const KILLED = {
	paused: 'Killed while it is paused',
	awake: 'Killed while it polls',
	memory: 'Killed in memory',
};

/** A session whose agent takes this long for its second answer */
const slowly = (mode: Mode, name: string, work: string): WorkflowFile =>
	typed(
		name,
		MODES[mode]({ prompt: `${name}. ${SAY_WRONG} [next turn] [work ${work}] ${SAY_RIGHT}` }),
		structured('from a JSON example'),
	);

/** What n8n's list of executions shows */
const stateOf = async (name: string) =>
	await stage.host.rest.get(`/executions/${executions.get(name)}`);

async function killBetweenTheTurns(): Promise<void> {
	const isPaused = async () =>
		(await messagesOf(KILLED.paused)).length > 0 &&
		(await stateOf(KILLED.paused)).status === 'waiting';
	// After a message, the node polls for 75 s before it pauses.
	await eventually(isPaused);
	await begin('database', slowly('database', KILLED.awake, '15s'));
	// As in production: of an execution that was started by hand, n8n saves nothing that could be retried.
	executions.set(KILLED.memory, await runLive(stage.host, slowly('memory', KILLED.memory, '15s')));
	await hasMessage(KILLED.awake);
	await hasMessage(KILLED.memory);
	await eventually(isPaused);
	await stage.host.kill();
	await stage.restart();
	// For a moment, a new n8n calls also those crashed that are paused.
	await eventually(async () => {
		const { status, waitTill } = await stateOf(KILLED.paused);
		return status !== 'crashed' || !waitTill;
	});
}

/** Retries what n8n calls crashed, as somebody does in the list of executions. */
async function retryCrashed(name: string): Promise<void> {
	const { id, status } = await outcome(name);
	if (status === 'crashed') executions.set(name, await stage.host.retry(id));
}

beforeAll(async () => {
	model = await startScriptedModel();
	await begin('database', slowly('database', KILLED.paused, '100s'));
	for (const [mode, kind] of CASES)
		for (const [script, directives] of Object.entries(SCRIPTS)) {
			const name = nameOf(mode, kind, script as keyof typeof SCRIPTS);
			const session = MODES[mode]({ prompt: `${name}. ${directives}` }, RETRIED);
			await begin(mode, typed(name, session, structured(kind)));
		}
	const without = async (name: string, parameters: object, ...parsers: WorkflowNode[]) =>
		await begin(
			'memory',
			typed(name, MODES.memory({ prompt: `${name}. ${SAY_RIGHT}`, ...parameters }), ...parsers),
		);
	await without('No parser', {});
	await without('Disabled parser', {}, structured('from a schema', { disabled: true }));
	await without('Toggle off', { hasOutputParser: false }, structured('from a schema'));
	await without(
		'Auto-fixing parser without a model',
		{},
		node('Fixing', `${LANGCHAIN}outputParserAutofixing`, 1, { position: [0, 300] }),
		structured('from a schema', { position: [0, 500] }),
	);
	await without(
		'Item list',
		{ prompt: 'Item list. [say /old\n/gone]' },
		node('Parser', `${LANGCHAIN}outputParserItemList`, 1, {
			parameters: { options: { numberOfItems: -1 } },
			position: [0, 300],
		}),
	);
	await beginAutoFix();
	for (const name of executions.keys()) if (name !== KILLED.paused) await outcome(name);
	await killBetweenTheTurns();
});

afterAll(async () => await model?.close());

describe.each(CASES)('Wait in the %s, Structured Output Parser %s', (mode, kind) => {
	const completed = async (script: keyof typeof SCRIPTS) => {
		const name = nameOf(mode, kind, script);
		const execution = await outcome(name);
		expect({ status: execution.status, error: execution.error?.message }).toEqual({
			status: 'success',
		});
		const [item] = execution.items('Completed');
		const [session, ...others] = await sessionsOf(name);
		expect(others).toEqual([]);
		expect(item).toMatchObject({ sessionId: session.sessionId, status: 'completed' });
		return { name, item };
	};

	test('a valid answer is parsed, without a message', async () => {
		const { name, item } = await completed('right');
		expect(item.output).toEqual(LINKS);
		expect(JSON.parse(item.text)).toEqual({ output: LINKS });
		expect(await messagesOf(name)).toEqual([]);
		const [{ prompt }] = await sessionsOf(name);
		expect(prompt).toMatch(/\[say [^]*\]\n\n[^]*brokenLinks/);
	});

	test('an invalid answer is repaired by one message in the same session, with the exact reason', async () => {
		const { name, item } = await completed('repaired');
		expect(item.output).toEqual(LINKS);
		expect(await messagesOf(name)).toEqual([
			expect.stringMatching(/\noutput\.brokenLinks: .*(expected array|Required)[^]*JSON/i),
		]);
	});

	test('two invalid answers are an error with the session, and neither Retry On Fail nor a retry starts another session', async () => {
		const name = nameOf(mode, kind, 'twice wrong');
		const { id, error, status } = await outcome(name);
		const [{ sessionId }] = await sessionsOf(name);
		expect({ status, message: error?.message }).toEqual({ status: 'error', message: MISFIT });
		expect(error?.description).toMatch(/isn't valid JSON.*starts with: I found none\./);
		expect(error?.description).toContain(`Session ${sessionId}, http`);

		const retried = await stage.host.waitForExecution(await stage.host.retry(id));

		expect(retried.error?.message).toBe(MISFIT);
		expect(await sessionsOf(name)).toMatchObject([{ sessionId, turns: 2 }]);
		expect(await messagesOf(name)).toHaveLength(1);
	});
});

describe('n8n killed with -9 between the two turns', () => {
	const expectRepairedOnce = async (name: string) => {
		const { status, error, ...execution } = await outcome(name);
		expect({ status, error: error?.message }).toEqual({ status: 'success' });
		expect(execution.items('Completed')).toMatchObject([{ output: LINKS }]);
		expect(await messagesOf(name)).toHaveLength(1);
		expect(await sessionsOf(name)).toMatchObject([{ turns: 2 }]);
	};

	test('while the execution is paused: it resumes automatically, and the repair message was sent once', async () => {
		// It may have been polled just then, as it is every few seconds in this hurried n8n.
		await retryCrashed(KILLED.paused);
		await expectRepairedOnce(KILLED.paused);
	});

	test('while the node polls, before the message is saved: a retry uses the new answer, and sends no other message', async () => {
		await retryCrashed(KILLED.awake);
		await expectRepairedOnce(KILLED.awake);
	});

	test('in memory: a retry starts no other session, and sends no other message', async () => {
		await retryCrashed(KILLED.memory);
		const { error } = await outcome(KILLED.memory);
		expect(error?.message).toBe('The session may have been started');
		expect(await sessionsOf(KILLED.memory)).toHaveLength(1);
		expect(await messagesOf(KILLED.memory)).toHaveLength(1);
	});
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
		expect(await messagesOf(FIXED)).toEqual([
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
			expect(await sessionsOf(name)).toEqual([]);
		},
	);

	test('a connected parser is ignored if the toggle is off', async () => {
		const execution = await outcome('Toggle off');
		expect(execution.status).toBe('success');
		expect(itemsOn(execution, 'completed')[0]).not.toHaveProperty('output');
		const [{ prompt }] = await sessionsOf('Toggle off');
		expect(prompt).toBe(`Toggle off. ${SAY_RIGHT}`);
	});

	test('the Auto-fixing parser needs a model: its own error says so, and nothing is sent', async () => {
		const { error } = await outcome('Auto-fixing parser without a model');
		expect(error).toMatchObject({
			message: 'Error in sub-node Fixing',
			description: expect.stringMatching(/sub-node must be connected/),
		});
		expect(await sessionsOf('Auto-fixing parser without a model')).toEqual([]);
	});
});
