// The panels: what they show, which is all that n8n passes to a node, and what their fields accept.
import { describe, expect, test } from '@jest/globals';
import {
	NodeHelpers,
	Workflow,
	type INode,
	type INodeProperties,
	type INodeTypes,
} from 'n8n-workflow';
import { properties } from '../../nodes/RunAgentSession/panel/index.ts';
import {
	readHasOutputParser,
	readItemSettings,
	readTrial,
} from '../../nodes/RunAgentSession/panel/read.ts';
import type { TeamSettings } from '../../nodes/RunAgentSession/approval/approvers.ts';
import { RunAgentSession } from '../../nodes/RunAgentSession/RunAgentSession.node.ts';
import { WorkspaceAutomation } from '../../nodes/WorkspaceAutomation/WorkspaceAutomation.node.ts';
import { WorkspaceAutomationTrigger } from '../../nodes/WorkspaceAutomationTrigger/WorkspaceAutomationTrigger.node.ts';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const options = properties.find(({ name }) => name === 'options')!.options as INodeProperties[];
const everyOption = Object.fromEntries(options.map(({ name, default: value }) => [name, value]));

/** Returns the parameters that n8n passes to the node. */
const passedOn = (saved: object) =>
	NodeHelpers.getNodeParameters(properties, { ...saved }, true, false, {} as INode, null) as Record<
		string,
		any
	>;

describe('options are shown where they apply', () => {
	const saying = ['approveValues', 'approveWith', 'denyValues'];
	const running = ['abortOnStop', 'decisionBody', 'maxConcurrentSessions'];
	const polling = ['maxPollInterval', 'pollInterval'];
	const pausing = [
		'approvalsNeeded',
		'approvers',
		'askBackupsAfter',
		'giveUpAfter',
		'ifNobodyAnswers',
		'maxReminders',
		'onGiveUp',
		'remindAfter',
		'returnTogether',
		'sendComments',
		'unansweredAfter',
	];
	test.each([
		['Try Rules', { operation: 'tryRules', permissionPolicy: 'rules' }, [...saying, 'moreRules']],
		['Start, Ask for Approval', {}, ['body', 'denyValues', ...running, ...polling]],
		[
			'Start, Approve All',
			{ permissionPolicy: 'approve' },
			['body', ...saying, ...running, ...polling],
		],
		[
			'Continue, a policy by expression',
			{ operation: 'continue', permissionPolicy: '={{ $json.policy }}' },
			[...saying, 'moreRules', ...running, ...polling],
		],
		[
			'In the Database',
			{ wait: 'database', permissionPolicy: 'rules' },
			['body', ...saying, 'moreRules', ...running, ...pausing],
		],
	])('%s', (_, saved, expected) => {
		const shown = Object.keys(passedOn({ ...saved, options: everyOption }).options);
		expect(shown.sort()).toEqual([...expected].sort());
	});

	test('options are sorted by their labels', () => {
		const labels = options.map(({ displayName }) => displayName);
		expect(labels).toEqual([...labels].sort((one, other) => one.localeCompare(other)));
	});

	test('Max Wait and On Max Wait are fields, in memory only, and exist once', () => {
		const names = ['maxWait', 'onMaxWait'];
		expect(Object.keys(passedOn({}))).toEqual(expect.arrayContaining(names));
		for (const saved of [{ wait: 'database' }, { operation: 'tryRules' }])
			for (const name of names) expect(Object.keys(passedOn(saved))).not.toContain(name);
		expect(Object.keys(everyOption)).not.toEqual(expect.arrayContaining(['maxWait']));
	});
});

describe('Require Specific Output Format', () => {
	const FIELDS = ['hasOutputParser', 'outputParserNotice'];
	const shown = (saved: object) =>
		properties
			.filter(({ name }) => FIELDS.includes(name))
			.filter((each) => NodeHelpers.displayParameter(saved as any, each, null, null))
			.map(({ name }) => name);

	test('is off, comes after the prompt and the message, and a notice asks to connect a parser', () => {
		const names = properties.map(({ name }) => name);
		const last = Math.max(names.indexOf('prompt'), names.indexOf('message'));
		expect(names.slice(last + 1, last + 3)).toEqual(['requests', 'hasOutputParser']);
		expect(passedOn({}).hasOutputParser).toBe(false);
		for (const operation of ['start', 'continue']) {
			expect(shown({ operation, hasOutputParser: false })).toEqual(FIELDS.slice(0, 1));
			expect(shown({ operation, hasOutputParser: true })).toEqual(FIELDS);
		}
	});

	test('is not available in Try Rules', () => {
		expect(shown({ operation: 'tryRules', hasOutputParser: true })).toEqual([]);
	});

	test('is not available in tools, which have no input for a parser: their panel is unchanged', () => {
		const { description } = new RunAgentSession();
		const asTool = { ...description, name: `${description.name}Tool` };
		const saved = { operation: 'start', hasOutputParser: true };
		for (const each of properties)
			if (FIELDS.includes(each.name))
				expect(NodeHelpers.displayParameter(saved, each, null, asTool)).toBe(false);
		const context = getContext(start({ hasOutputParser: true }), { asTool: true });
		expect(readHasOutputParser(context)).toBe(false);
		expect(readHasOutputParser(getContext(start({ hasOutputParser: true })))).toBe(true);
		expect(readHasOutputParser(getContext(start()))).toBe(false);
	});

	test('a tool shows the same fields as before the toggle', () => {
		const { description } = new RunAgentSession();
		const asTool = { ...description, name: `${description.name}Tool` };
		const shownFor = (saved: object) =>
			Object.keys(
				NodeHelpers.getNodeParameters(
					properties,
					{ ...saved },
					true,
					false,
					{ typeVersion: 1 } as INode,
					asTool,
				)!,
			);
		const others = ['wait', 'maxWait', 'onMaxWait', 'permissionPolicy', 'simplify', 'options'];
		expect(shownFor({})).toEqual(['operation', 'projectId', 'prompt', ...others]);
		expect(shownFor({ operation: 'continue' })).toEqual([
			'operation',
			'sessionId',
			'message',
			...others,
		]);
	});

	test('adds an input for one parser, and without the toggle the node has one input', () => {
		const { inputs } = new RunAgentSession().description;
		const [, expression] = /^=\{\{(.*)\}\}$/.exec(inputs as string)!;
		const evaluate = (hasOutputParser?: boolean): unknown =>
			new Function('$parameter', `return (${expression})`)({ hasOutputParser });
		expect(evaluate()).toEqual(['main']);
		expect(evaluate(false)).toEqual(['main']);
		expect(evaluate(true)).toEqual([
			'main',
			{ displayName: 'Output Parser', type: 'ai_outputParser', maxConnections: 1, required: true },
		]);
		// Without braces inside, which would end the expression for n8n
		expect(expression).not.toContain('}}');
	});
});

/** A node with these parameters, as the node's code sees it */
function getContext(saved: Record<string, any>, { asTool = false, ...evaluated } = {} as any): any {
	const parameters = passedOn(saved);
	const resolve = (value: any): any =>
		typeof value === 'string' && value.startsWith('=') ? (evaluated[value] ?? '') : value;
	return {
		getNode: () => ({ type: asTool ? 'runAgentSessionTool' : 'runAgentSession' }),
		getNodeParameter: (
			path: string,
			_item: number,
			fallback: unknown,
			{ rawExpressions = false } = {},
		) => {
			const found = path.split('.').reduce((from: any, key) => from?.[key], parameters);
			const value = found === undefined ? fallback : found;
			return rawExpressions ? value : resolve(value);
		},
		evaluateExpression: resolve,
		getExecuteData: () => ({ source: null }),
		getWorkflow: () => ({}),
		getWorkflowDataProxy: () => ({}),
	};
}

const start = (changes: object = {}) => ({
	operation: 'start',
	projectId: { __rl: true, mode: 'id', value: ID },
	prompt: 'x',
	...changes,
});

describe('the parameters of an item', () => {
	test('have the default of each unchanged field', () => {
		expect(readItemSettings(getContext(start()), 0)).toMatchObject({
			target: { operation: 'start', projectId: ID, prompt: 'x', extra: {} },
			policy: { mode: 'ask', defaultDecision: 'ask', approveWith: 'once', approveValues: [] },
			poll: { pollMs: 5_000, maxPollMs: 10_000 },
			maxWaitMs: 1_800_000,
			onMaxWait: 'route',
			abortOnStop: true,
			sendComments: false,
			returnTogether: false,
			decisionBody: {},
			timeouts: undefined,
		});
	});

	test('poll at most as often as Poll Interval says if Max Poll Interval is empty', () => {
		const settings = readItemSettings(getContext(start({ options: { pollInterval: 60 } })), 0);
		expect(settings.poll).toEqual({ pollMs: 60_000, maxPollMs: 60_000 });
	});

	test.each(['app.example.com/p', 'app.example.com/sessions'])(
		'read a session from a dashboard URL itself, without a pattern of n8n: %s',
		(place) => {
			const sessionId = { __rl: true, mode: 'url', value: `https://${place}/${ID}` };
			const { target } = readItemSettings(getContext({ operation: 'continue', sessionId }), 0);
			expect(target).toMatchObject({ sessionId: ID });
		},
	);
});

describe('the tooltip of a paused node', () => {
	const nodeTypes = { getByNameAndVersion: () => new RunAgentSession() } as unknown as INodeTypes;
	const { waitingNodeTooltip } = new RunAgentSession().description;
	/** Returns the text that the editor shows, evaluated as the editor does. */
	const read = (options?: object) => {
		const node = { id: '1', name: 'Agent', type: 'x', typeVersion: 1, position: [0, 0] } as INode;
		Object.assign(node, { parameters: { wait: 'database', ...(options && { options }) } });
		const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
		const { expression } = workflow;
		return expression.getSimpleParameterValue(node, waitingNodeTooltip, 'internal', {});
	};

	test.each([
		['by default', undefined, '24 h have'],
		['with other options', { returnTogether: true }, '24 h have'],
		['with Give Up After', { giveUpAfter: 3 }, '3 h have'],
		['with an expression', { giveUpAfter: '={{ $json.hours }}' }, 'Give Up After has'],
	])('says what the node waits for, and until when: %s', (_, options, time) => {
		expect(read(options)).toBe(
			`Waiting until the session ends or an approver answers. n8n checks every 1 to 10 minutes, until ${time} passed.`,
		);
	});
});

describe("a model can't fill in fields that decide (rule 56)", () => {
	const byModel = "={{ $fromAI('x') }}";
	const rule = { permission: byModel, pattern: 'x', decision: 'approve' };
	const decided: Array<[string, object]> = [
		['Permission Policy', { permissionPolicy: byModel }],
		['Rules', { permissionPolicy: 'rules', permissionRules: { rule: [rule] } }],
		['When No Rule Matches', { permissionPolicy: 'rules', defaultDecision: byModel }],
		['Approve With', { permissionPolicy: 'approve', options: { approveWith: byModel } }],
		['Approve Values', { permissionPolicy: 'approve', options: { approveValues: byModel } }],
		['Deny Values', { options: { denyValues: byModel } }],
		['Decision Body', { options: { decisionBody: byModel } }],
	];

	test.each(decided)('%s', (label, changes) => {
		const context = getContext(start(changes), { asTool: true, [byModel]: 'approve' });
		expect(() => readItemSettings(context, 0)).toThrow(`A model must not fill in '${label}'`);
	});

	test.each(['$fromAi', '$fromai', '/*n8n-auto-generated-fromAI-override*/ $fromAI'])(
		'under any field name: %s',
		(name) => {
			const permissionPolicy = `={{ ${name}('x') }}`;
			const context = getContext(start({ permissionPolicy }), {
				asTool: true,
				[permissionPolicy]: 'approve',
			});
			expect(() => readItemSettings(context, 0)).toThrow(/^A model must not/);
		},
	);

	test('also in Try Rules', () => {
		const saved = { operation: 'tryRules', requests: '[]', permissionPolicy: byModel };
		const context = getContext(saved, { asTool: true, [byModel]: 'approve' });
		expect(() => readTrial(context, 0)).toThrow(/^A model must not/);
	});

	test('a model can fill in a prompt, and outside of a tool nothing changes', () => {
		const tool = getContext(start({ prompt: byModel }), { asTool: true, [byModel]: 'Go' });
		expect(readItemSettings(tool, 0).target).toMatchObject({ prompt: 'Go' });
		const noTool = getContext(start({ permissionPolicy: byModel }), { [byModel]: 'deny' });
		expect(readItemSettings(noTool, 0).policy.mode).toBe('deny');
	});
});

/** Every field of a panel, however deep, with the fields and choices in it */
const findFields = (fields: INodeProperties[]): any[] =>
	fields.flatMap((field: any) => [
		field,
		...findFields((field.options ?? []).filter(Boolean)),
		...findFields(field.values ?? []),
	]);

describe.each([
	['Run Agent Session', new RunAgentSession()],
	['Workspace Automation', new WorkspaceAutomation()],
	['Workspace Automation Trigger', new WorkspaceAutomationTrigger()],
])('the texts of %s', (_, { description }) => {
	const fields = findFields(description.properties);

	test('descriptions have at most 120 characters, and no semicolon', () => {
		const wrong = fields
			.map(({ description = '' }) => description as string)
			// n8n's own words, with a link in them
			.filter((text) => !text.startsWith('Choose from the list, or specify'))
			.filter((text) => text.length > 120 || text.includes(';'));
		expect(wrong).toEqual([]);
	});

	test('booleans start with "Whether", placeholders of texts with "e.g."', () => {
		const wrong = fields.filter(
			({ type, description, placeholder }) =>
				(type === 'boolean' && !description.startsWith('Whether ')) ||
				(['string', 'json'].includes(type) && placeholder && !placeholder.startsWith('e.g. ')),
		);
		expect(wrong.map(({ name }) => name)).toEqual([]);
	});

	test('the check of a field accepts every choice of the field, and nothing else', () => {
		const chosen = fields.filter(({ type, check }) => type === 'options' && check);
		expect(chosen.length).toBeGreaterThan(0);
		for (const { displayName, check, options } of chosen) {
			for (const { value } of options.filter(({ value }: any) => value !== ''))
				expect(check(displayName, value)).toBe(value);
			for (const value of ['', 'nonsense', null])
				expect(() => check(displayName, value)).toThrow(`'${displayName}'`);
		}
	});
});

test('the locators of Run Agent Session have no pattern for n8n to check (rule 25)', () => {
	const modes = properties.flatMap(({ modes = [] }) => modes);
	expect(modes.length).toBeGreaterThan(3);
	for (const mode of modes) {
		expect(mode.validation).toBeUndefined();
		expect(mode.extractValue).toBeUndefined();
	}
});

describe('More Rules', () => {
	const entries = [{ permission: 'bash', pattern: 'x', decision: 'deny' }];
	const saved = (moreRules: unknown, changes: object = {}) =>
		start({ permissionPolicy: 'rules', options: { moreRules }, ...changes });
	const RULES = [{ ...entries[0], name: 'more rule 1', isLiteral: true }];

	test('apply to Start, Continue and Try Rules, and only to Decide by Rules', () => {
		const { policy } = readItemSettings(
			getContext(saved('={{ rows }}'), { '={{ rows }}': entries }),
			0,
		);
		expect(policy.moreRules).toEqual(RULES);
		const continued = saved(JSON.stringify(entries), {
			operation: 'continue',
			sessionId: { __rl: true, mode: 'id', value: ID },
		});
		expect(readItemSettings(getContext(continued), 0).policy.moreRules).toEqual(RULES);
		const tried = saved(JSON.stringify(entries), { operation: 'tryRules', requests: '[]' });
		expect(readTrial(getContext(tried), 0).policy.moreRules).toEqual(RULES);
		const asked = saved(JSON.stringify(entries), { permissionPolicy: 'ask' });
		expect(readItemSettings(getContext(asked), 0).policy.moreRules).toBeUndefined();
		const without = start({ permissionPolicy: 'rules' });
		expect(readItemSettings(getContext(without), 0).policy.moreRules).toBeUndefined();
	});

	test("can't be filled in by a model", () => {
		const byModel = saved('={{ $fromAI("rules") }}');
		expect(() => readItemSettings(getContext(byModel, { asTool: true }), 0)).toThrow(
			expect.objectContaining({ message: "A model must not fill in 'More Rules'" }),
		);
	});
});

describe('Approvers', () => {
	const ANNA = { name: 'Anna', contact: 'anna@example.com', isBackup: false };
	const BEN = { name: ' Ben ', contact: 'U0123' };
	const DORA = { name: 'Dora', contact: '', isBackup: true };
	const CONNECTED = {
		getConnections: ({ name }: { name: string }) =>
			name === 'Agent' ? [[{ node: 'Message', index: 0 }]] : [[{ node: 'Agent', index: 2 }]],
	};
	/** A node whose Needs Approval is connected back to it, unless it isn't */
	const withOptions = (options: object, { isBack = true, changes = {}, ...more } = {} as any) => {
		const context = getContext(start({ wait: 'database', options, ...changes }), more);
		const { type } = context.getNode();
		const children = [{ name: 'Message' }, ...(isBack ? [{ name: 'Agent' }] : [])];
		return Object.assign(context, CONNECTED, {
			getNode: () => ({ type, name: 'Agent' }),
			getChildNodes: () => children,
		});
	};
	const team = (options: object, more?: object) =>
		readItemSettings(withOptions(options, more), 0).team as TeamSettings | undefined;
	const entered = (...approver: object[]) => ({ approvers: { approver } });

	test('are entered one by one, come from data, or both', () => {
		const ANNA_READ = { name: 'Anna', contact: 'anna@example.com' };
		const BEN_READ = { name: 'Ben', contact: 'U0123' };
		expect(team({})).toBeUndefined();
		expect(team(entered(ANNA, BEN))).toEqual({
			approvers: [ANNA_READ, BEN_READ],
			needed: 1,
			maxReminders: 1,
			remindAfterMs: undefined,
			askBackupsAfterMs: undefined,
		});
		const fromData = (approvers: unknown) => ({
			approvers: { approver: [ANNA], list: [{ approvers }] },
		});
		for (const list of [[BEN], JSON.stringify([BEN]), [BEN, {}]])
			expect(team(fromData(list))?.approvers).toEqual([ANNA_READ, BEN_READ]);
		const limits = { approvalsNeeded: 2, remindAfter: 1, maxReminders: 3, askBackupsAfter: 0.5 };
		expect(team({ ...entered(ANNA, BEN, DORA), ...limits })).toMatchObject({
			approvers: [ANNA_READ, BEN_READ, { name: 'Dora', contact: '', isBackup: true }],
			needed: 2,
			remindAfterMs: 3_600_000,
			maxReminders: 3,
			askBackupsAfterMs: 1_800_000,
		});
	});

	test('only exist In the Database', () => {
		const { approvers } = entered(ANNA);
		expect(team({ approvers }, { changes: { wait: 'memory' } })).toBeUndefined();
	});

	test.each<[string, object, RegExp]>([
		['nobody', { approvers: {} }, /^'Approvers' is empty$/],
		['an empty list', { approvers: { list: [{ approvers: '[]' }] } }, /^'Approvers' is empty$/],
		[
			'a list that is none',
			{ approvers: { list: [{ approvers: 'Anna' }] } },
			/has no list of approvers/,
		],
		['a text', { approvers: { list: [{ approvers: ['Anna'] }] } }, /^Approver 1 is not an object$/],
		['no name', entered(ANNA, { ...BEN, name: ' ' }), /^Approver 2 has no name$/],
		[
			'a contact that is an object',
			entered({ ...ANNA, contact: {} }),
			/^Approver 1 has a contact that is not a text$/,
		],
		[
			'a backup that is a text',
			entered({ ...ANNA, isBackup: 'true' }),
			/^Approver 1 has an 'isBackup' that/,
		],
		[
			'one contact twice',
			entered(ANNA, { name: 'A', contact: 'ANNA@example.com' }),
			/the same approver twice/,
		],
		[
			'one name without contact twice',
			entered({ name: 'Anna' }, { name: 'anna ' }),
			/the same approver twice/,
		],
		[
			'too many',
			entered(...Array.from({ length: 51 }, (_, n) => ({ name: `A${n}` }))),
			/more than 50 entries/,
		],
		[
			'more approvals than approvers',
			{ ...entered(ANNA, DORA), approvalsNeeded: 2, askBackupsAfter: 1 },
			/is higher than the number of approvers/,
		],
		['backups that nobody asks', entered(ANNA, DORA), /The backups would never be asked/],
		[
			'a number without approvers',
			{ approvalsNeeded: 2 },
			/^'Approvals Needed' requires 'Approvers'$/,
		],
		[
			'reminders without approvers',
			{ remindAfter: 2 },
			/^'Remind After \(Hours\)' requires 'Approvers'$/,
		],
	])('must not be %s: nothing is sent', (_, options, message) => {
		expect(() => team(options)).toThrow(
			expect.objectContaining({
				message: expect.stringMatching(message),
				description: expect.stringMatching(/^Nothing was sent\./),
			}),
		);
	});

	test('that are invalid are kept as their error once the session has started: requests that were asked have their own', () => {
		const earlier = { sessionId: ID, isMessageSent: false };
		const read = (options: object) => readItemSettings(withOptions(options), 0, earlier).team;
		expect(read({ approvers: {} })).toMatchObject({ message: "'Approvers' is empty" });
		expect(read({ ...entered(ANNA), approvalsNeeded: 2 })).toBeInstanceOf(Error);
		expect(read(entered(ANNA))).toMatchObject({ needed: 1 });
	});

	test('are never fewer than a fraction asks for', () => {
		expect(team({ ...entered(ANNA, BEN), approvalsNeeded: 1.5 })).toMatchObject({ needed: 2 });
		expect(() => team({ ...entered(ANNA, BEN), approvalsNeeded: 2.5 })).toThrow(/is higher than/);
	});

	test('need a connection from Needs Approval back to the node', () => {
		expect(() => team(entered(ANNA), { isBack: false })).toThrow(
			expect.objectContaining({ message: "'Needs Approval' isn't connected back to this node" }),
		);
	});

	test.each<[string, object]>([
		['Approvers', { approvers: { approver: [{ name: '={{ $fromAI("name") }}' }] } }],
		['Approvers', { approvers: { list: [{ approvers: '={{ $fromAI("list") }}' }] } }],
		['Approvals Needed', { ...entered(ANNA), approvalsNeeded: '={{ $fromAI("n") }}' }],
		['Remind After (Hours)', { ...entered(ANNA), remindAfter: '={{ $fromAI("n") }}' }],
		['Reminders', { ...entered(ANNA), maxReminders: '={{ $fromAI("n") }}' }],
		['Ask Backups After (Hours)', { ...entered(ANNA), askBackupsAfter: '={{ $fromAI("n") }}' }],
	])("can't be filled in by a model: %s", (label, options) => {
		expect(() => team(options, { asTool: true, '={{ $fromAI("n") }}': 1 })).toThrow(
			expect.objectContaining({ message: `A model must not fill in '${label}'` }),
		);
	});
});
