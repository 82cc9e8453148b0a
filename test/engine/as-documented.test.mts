// Answers that the API document allows, in n8n's engine over HTTP.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { byId } from '../../n8n-host/workflows.mts';
import { getList, Status, useAnswers } from './answers.mts';
import { operation, options, poller, run, search, type Setup } from './engine.mts';

const service = useAnswers();
const ID = '123e4567-e89b-12d3-a456-426614174000';
const OTHER = '00000000-0000-4000-8000-00000000000f';
const rl = (value: unknown, mode = 'id') => ({ ...byId(value), mode });

/** Lets the service answer by `METHOD /path`. */
function serve(answers: Record<string, unknown>) {
	service.answer = ({ method, path }) => answers[`${method} ${path}`] ?? new Status(404);
}

const setup = (does: string, parameters: IDataObject, more?: Partial<Setup>) =>
	operation(does, parameters, service.credentials, more);
const only = async (...given: Parameters<typeof setup>) => {
	const { outputs, error } = await run(setup(...given));
	if (error) throw error;
	return outputs[0][0].json;
};

describe('after a change', () => {
	const move = async (shown: IDataObject) => {
		const body = { object: 'file', id: ID, kind: 'file', ...shown };
		serve({ [`PATCH /files/${ID}`]: body });
		return await only('file.move', { fileId: rl(ID), parentId: rl(OTHER) });
	};

	test('a folder in capitals causes no warning', async () => {
		expect(await move({ parentId: OTHER.toUpperCase() })).not.toHaveProperty('warnings');
	});

	test("a file that isn't in the folder, and a product of another name, have warnings", async () => {
		expect((await move({})).warnings).toEqual([expect.stringContaining('has My Files.')]);
		serve({ 'PATCH /products/p1': { id: 'p1', name: 'Old' } });
		const product = await only('product.update', {
			productId: rl('p1'),
			fields: '{"name": "New"}',
		});
		expect(product.warnings).toEqual([expect.stringContaining("ignored 'name'")]);
	});
});

test('UUIDs in capitals are sent in lower case, and lists still match their filter', async () => {
	const capitals = 'ABCDEF00-0000-4000-8000-00000000000F';
	const small = capitals.toLowerCase();
	serve({
		[`GET /tasks/${small}`]: { object: 'task', id: capitals },
		'GET /files': getList({ id: ID, projectId: capitals }),
		[`PATCH /products/${small}`]: { id: capitals },
		'POST /files': { object: 'file', id: ID },
	});
	await only('task.get', { taskId: rl(capitals) });
	await only('file.getAll', { projectId: rl(capitals) });
	await only('product.update', { productId: rl(capitals), fields: '{"name": "x"}' });
	const asset = { name: 'a', contentSource: 'asset', assetId: capitals };
	await only('file.create', { projectId: rl(capitals), ...asset });
	await search(setup('file.get', { projectId: rl(capitals) }), 'getFiles');
	expect(service.requests.map(({ path }) => path)).toEqual([
		`/tasks/${small}`,
		'/files',
		`/products/${small}`,
		'/files',
		'/files',
	]);
	expect(service.requests[3].body).toMatchObject({ projectId: small, source: { assetId: small } });
	expect(service.requests[4].query.get('projectId')).toBe(small);
});

test.each([true, 'true', ' TRUE '])(
	'Return All is on with %j, which may come from an expression',
	async (returnAll) => {
		serve({ 'GET /tasks': getList({ id: ID }) });
		await only('task.getAll', { returnAll: `={{ ${JSON.stringify(returnAll)} }}` });
		expect(String(service.requests[0].query)).toBe('limit=100');
	},
);

describe('a session', () => {
	const session = (more: IDataObject) => ({ sessionId: ID, status: 'completed', ...more });
	const get = async (more: IDataObject, settings: Setup['settings'] = {}) => {
		serve({ [`GET /agent/sessions/${ID}`]: session(more) });
		return await only('agentSession.get', { sessionId: rl(ID) }, { settings });
	};

	test("has the agent's text, and never the user's prompt as the text", async () => {
		const text = 'Fix the links';
		expect(await get({ latestMessage: { role: 'assistant', text } })).toMatchObject({ text });
		for (const role of ['user', 'User'])
			expect(await get({ latestMessage: { role, text } })).not.toHaveProperty('text');
	});

	test('has its error in a field of its own, unless n8n would treat the item as a failure', async () => {
		expect(await get({ status: 'failed', error: 'Out of disk' })).toMatchObject({
			error: 'Out of disk',
		});
		const retried = await get({ error: 'Out of disk' }, { retryOnFail: true });
		expect(retried).toMatchObject({ failure: 'Out of disk' });
		expect(retried).not.toHaveProperty('error');
		const routed = await get({ error: 'Out of disk' }, { onError: 'continueErrorOutput' });
		expect(routed).toMatchObject({ error: 'Out of disk' });
		serve({ 'POST /products': { error: 'Out of stock' } });
		const parameters = { projectId: rl(ID), fields: '{"a":1}' };
		const settings = { onError: 'continueErrorOutput' as const };
		expect(await only('product.create', parameters, { settings })).toEqual({
			failure: 'Out of stock',
		});
	});

	test.each([
		`https://app.example.com/sessions/${ID}`,
		`https://app.example.com/sessions/${ID}/messages?tab=files#end`,
		`https://app.example.com/sessions/${ID}/projects/${OTHER}`,
		`https://app.example.com/projects/${OTHER}/agent/${ID}`,
		`https://app.example.com/open?sessionId=${ID}&project=${OTHER}`,
		`https://app.example.com/open?id=${ID}`,
		`https://app.example.com/sessions?id=${ID}&project=${OTHER}`,
		`https://app.example.com/agent/${ID}?project=${OTHER}`,
		`https://app.example.com/projects/${OTHER}/agent/${ID}/files/${OTHER}`,
		`https://app.example.com/session-${ID}/project-${OTHER}`,
		`https://app.example.com/open?next=%2Fsessions%2F${ID}&p=${OTHER}`,
		`app.example.com/sessions/${ID.toUpperCase()}`,
		`HTTPS://APP.EXAMPLE.COM/SESSIONS/${ID.toUpperCase()}`,
	])('is found in %s', async (url) => {
		serve({ [`GET /agent/sessions/${ID}`]: session({}) });
		expect(await only('agentSession.get', { sessionId: rl(url, 'url') })).toMatchObject({
			sessionId: ID,
		});
	});

	test.each([
		['permission', 'approve'],
		['question', 'option'],
	])('gets an answer to a %s with its own type', async (type, decision) => {
		const response = { type: 'choice', options: [{ value: 'once', label: 'Allow once' }] };
		const pending = session({
			pendingInteractions: [{ type, id: 'i1', permission: 'bash', patterns: ['x'], response }],
		});
		serve({
			[`GET /agent/sessions/${ID}`]: pending,
			[`POST /agent/sessions/${ID}/interactions/i1/resolve`]: session({}),
		});
		await only('agentSession.resolveInteraction', {
			sessionId: rl(ID),
			interactionId: 'i1',
			decision,
			optionValue: 'once',
		});
		expect(service.requests.at(-1)!.body).toEqual({ type, response: 'once' });
	});
});

test('Limit also holds for a service that sends more', async () => {
	serve({ 'GET /tasks': getList({ id: ID }, { id: OTHER }) });
	const { outputs } = await run(setup('task.getAll', { limit: 1 }));
	expect(outputs[0].map(({ json }) => json)).toEqual([{ id: ID }]);
});

describe('setup_required', () => {
	const trigger = (parameters: IDataObject) =>
		poller({ node: 'workspaceAutomationTrigger', parameters, credentials: service.credentials });

	const message = 'Create a project that a key can act on';
	const setup_required = {
		reason: 'no_compatible_projects',
		message,
		eligible_workspaces: [{ id: ID, name: 'Acme' }],
	};
	const answer = (data: IDataObject[]) => ({
		'GET /projects': { ...getList(...data), setup_required },
	});

	test('is the error of a list, a picker and a selection without projects', async () => {
		serve(answer([]));
		const listed = await run(setup('project.getAll', {}));
		const searched = await search(setup('task.getAll', {}), 'getProjects').catch((error) => error);
		const node = 'workspaceAutomationTrigger';
		const chosen = await options({ ...setup('', {}), node }, 'getProjectOptions').catch(
			(error) => error,
		);
		for (const error of [listed.error, searched, chosen])
			expect(error).toMatchObject({ message, description: expect.stringContaining('Acme') });
	});

	test('is in the custom data of a list with projects', async () => {
		serve(answer([{ object: 'project', id: ID }]));
		const { customData, outputs } = await run(setup('project.getAll', {}));
		expect(outputs[0]).toHaveLength(1);
		expect(customData).toMatchObject({ setupRequired: expect.stringContaining(message) });
	});

	test.each(['projectAdded', 'fileCreated'])('is in the log of the trigger %s', async (event) => {
		serve({ ...answer([{ object: 'project', id: ID }]), 'GET /files': getList() });
		const polling = trigger({ event });
		await polling.poll();
		expect(polling.warnings).toEqual([expect.stringContaining(message)]);
	});

	test('is in the error of a trigger that has no sample to show', async () => {
		serve(answer([]));
		const error = await trigger({ event: 'projectAdded' })
			.test()
			.catch((thrown) => thrown);
		expect(error.description).toContain(message);
	});
});

describe('a shared preview', () => {
	const preview = { projectId: rl(ID), siteId: ID, route: '/' };

	test("in a conflict doesn't mention files", async () => {
		serve({ 'POST /shared-previews': new Status(409) });
		const { error: raised } = await run(setup('sharedPreview.create', preview));
		expect(raised?.description).toMatch(/^Start an agent session in the project/);
		expect(`${raised?.message} ${raised?.description}`).not.toMatch(/file/i);
	});

	test.each(['x', '🧹', 'é'])('accepts 2048 characters as its route: %s', async (character) => {
		const body = { object: 'shared_preview', id: ID, url: 'https://x.test/p' };
		serve({ 'POST /shared-previews': body });
		const route = `/${character.repeat(2047)}`;
		await only('sharedPreview.create', { ...preview, route });
		expect(service.requests[0].body).toMatchObject({ route });
	});

	test.each(['en', 'pt-BR', 'i-klingon', 'x-private', 'zh-Hant-TW-u-ca-chinese', 'es-419'])(
		'accepts the language tag %s',
		async (locale) => {
			const body = { object: 'shared_preview', id: ID, url: 'https://x.test/p' };
			serve({ 'POST /shared-previews': body });
			await only('sharedPreview.create', { ...preview, locale });
			expect(service.requests[0].body).toMatchObject({ locale });
		},
	);
});

test('a file moves to My Files if its new folder is empty, however it is entered', async () => {
	const body = { object: 'file', id: ID };
	serve({ [`PATCH /files/${ID}`]: body });
	for (const mode of ['list', 'id'])
		await only('file.move', { fileId: rl(ID), parentId: rl('', mode) });
	expect(service.requests.map(({ body: sent }) => sent)).toEqual([
		{ parentId: null },
		{ parentId: null },
	]);
});

describe("a file's content", () => {
	const getContent = async (body: IDataObject) => {
		serve({ [`GET /files/${ID}/content`]: body });
		return await run(setup('file.getContent', { fileId: rl(ID), outputAs: 'url' }));
	};

	test('can be the download URL itself, which is not requested', async () => {
		const url = 'https://files.example.com/signed';
		const { outputs } = await getContent({ url });
		expect(outputs[0][0].json).toEqual({ fileId: ID, url });
		expect((await getContent({ text: 'x', url })).outputs[0][0].json).toEqual({ fileId: ID, url });
	});

	test('that is text is an error if you request a download URL', async () => {
		const { error } = await getContent({ text: 'x' });
		expect(error?.message).toBe('The service returned text instead of a download URL');
	});
});
