// Agent sessions, step by step: the operations of the Workspace Automation node.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { run } from './engine.mts';
import { rl, useOperations } from './operations.mts';

const { only, sent, service, session, settled, setup } = useOperations();

/** A session with a pending request, and the parameters that name it */
async function pending(prompt: string) {
	const sessionId = await session(prompt);
	const isPending = (found: any) => found.pendingInteractions.length > 0;
	const [interaction] = (await settled(sessionId, isPending)).pendingInteractions;
	return { interaction, named: { sessionId, interactionId: interaction.id } };
}
const resolving = (parameters: IDataObject) => setup('agentSession.resolveInteraction', parameters);
const answers = async () =>
	(await sent('POST')).filter(({ path }) => path.endsWith('/resolve')).length;

describe('agent sessions', () => {
	test('create', async () => {
		const created = await only('agentSession.create', {
			projectId: rl(service.projectId),
			prompt: 'Hello',
			additionalFields: { body: '{"model":"large"}' },
		});
		expect(created).toMatchObject({ sessionId: (await service.sessions())[0].sessionId });
		expect((await sent())[0].body).toEqual({
			projectId: service.projectId,
			prompt: 'Hello',
			model: 'large',
		});
	});

	test('get, simplified and raw', async () => {
		const sessionId = await session('[say Done]');
		await settled(sessionId, ({ status }) => status === 'completed');
		expect(await only('agentSession.get', { sessionId })).toMatchObject({
			sessionId,
			status: 'completed',
			text: 'Done',
		});
		expect(await only('agentSession.get', { sessionId, simplify: false })).toMatchObject({
			sessionId,
			latestMessage: { text: 'Done' },
		});
	});

	test('abort, twice', async () => {
		const sessionId = await session('[work 10m]');
		await settled(sessionId);
		await only('agentSession.abort', { sessionId });
		await only('agentSession.abort', { sessionId });
		expect((await service.sessions())[0].aborted).toBe(true);
	});

	test.each([
		['approve', {}, 'once'],
		['deny', {}, 'reject'],
		['option', { optionValue: 'always' }, 'always'],
	])('resolve an interaction: %s', async (decision, more, value) => {
		const { named } = await pending('[ask bash: x]');
		await only('agentSession.resolveInteraction', { ...named, decision, ...more });
		expect((await service.sessions())[0].interactions).toMatchObject([{ value }]);
	});

	describe('an answer to a question of the agent', () => {
		const answer = async (question: string, text: string) => {
			const { named } = await pending(question);
			return resolving({ ...named, decision: 'answer', answer: text });
		};

		test.each([
			['an option', '[question Which colour? {red=Red, blue=Blue}]', 'Blue', 'blue'],
			['a text, if it has no options', '[question Which name?]', ' The shop ', 'The shop'],
		])('is sent: %s', async (_, question, text, value) => {
			const { error } = await run(await answer(question, text));
			expect(error).toBeUndefined();
			expect((await service.sessions())[0].interactions).toMatchObject([{ value }]);
		});

		test.each([
			[
				'another option',
				'[question Which colour? {red=Red, blue=Blue}]',
				'pink',
				{},
				/one of the agent/,
			],
			['a permission request', '[ask bash: x]', 'yes', {}, /asks for an approval/],
			[
				'as a tool',
				'[question Which colour? {red=Red, blue=Blue}]',
				'blue',
				{ asTool: true },
				/Only an approver/,
			],
		])('is refused: %s', async (_, question, text, more, reason) => {
			const { error, outputs } = await run({ ...(await answer(question, text)), ...more });
			expect(error?.description ?? JSON.stringify(outputs)).toMatch(reason);
			expect(await answers()).toBe(0);
		});
	});

	test.each(['approve', 'deny'])(
		'a question is not decided by %s: the error quotes it',
		async (decision) => {
			const { named } = await pending('[question Which colour? {red=Red, blue=Blue}]');
			const { error } = await run(resolving({ ...named, decision }));
			expect(error).toMatchObject({
				message: 'The interaction is a question',
				description: expect.stringMatching(/Set 'Decision' to Answer\..*Which colour\?/),
			});
			expect(await answers()).toBe(0);
		},
	);

	test('an interaction whose options are not recognized is not answered by a guess', async () => {
		const { named } = await pending('[ask bash: x {left=Left, right=Right}]');
		const { error } = await run(resolving({ ...named, decision: 'approve' }));
		expect(error?.description).toMatch(/left, right/);
		expect(await answers()).toBe(0);
	});

	test('a tool takes an option only from its own field, which a reviewer sees', async () => {
		const { interaction, named } = await pending('[ask bash: x]');
		const additionalFields = {
			expectedPermission: interaction.permission,
			expectedPatterns: interaction.patterns,
			body: { response: { value: 'always' } },
		};
		const parameters = { ...named, decision: 'option', additionalFields };
		const { outputs, error } = await run({ ...resolving(parameters), asTool: true });
		expect(JSON.stringify(outputs?.[0] ?? error?.message)).toContain("'Option Value' is empty");
		expect(await answers()).toBe(0);
	});

	describe('resolve an interaction that an approver has seen', () => {
		const ask = async () => {
			const { interaction, named } = await pending('[ask bash: x]');
			const { permission, patterns, metadata, response } = interaction;
			const fields: IDataObject = {
				expectedPermission: permission,
				expectedPatterns: patterns,
				expectedMetadata: metadata,
				expectedInstruction: response.instruction,
			};
			const resolve = async (additionalFields: IDataObject, asTool = false) =>
				await run({ ...resolving({ ...named, decision: 'approve', additionalFields }), asTool });
			return { fields, resolve };
		};

		test.each([false, true])(
			'is answered if nothing has changed, as a tool: %j',
			async (asTool) => {
				const { fields, resolve } = await ask();
				expect((await resolve(fields, asTool)).error).toBeUndefined();
				expect(await answers()).toBe(1);
			},
		);

		test.each([
			['another permission', { expectedPermission: 'edit' }],
			['other patterns', { expectedPatterns: 'y' }],
			['other metadata', { expectedMetadata: '{"tool":"other"}' }],
			['another instruction', { expectedInstruction: 'Choose something.' }],
			['an instruction that nobody saw', { expectedInstruction: '' }],
		])('is not answered if it has %s', async (_, changes) => {
			const { fields, resolve } = await ask();
			const { error } = await resolve({ ...fields, ...changes });
			expect(error?.message).toBe("The pending request isn't the expected one");
			expect(error?.description).toMatch(/Expected: .*Pending: .*Choose whether/);
			expect(await answers()).toBe(0);
		});

		test.each([
			['expectedPermission', "'Expected Permission'"],
			['expectedPatterns', "'Expected Patterns'"],
		])('as a tool is not answered without %s', async (name, label) => {
			const { fields, resolve } = await ask();
			const { [name]: _, ...others } = fields;
			const { outputs, error } = await resolve(others, true);
			expect(JSON.stringify(outputs?.[0] ?? error?.message)).toContain(
				`As a tool, Resolve Interaction needs ${label}`,
			);
			expect(await answers()).toBe(0);
		});
	});
});
