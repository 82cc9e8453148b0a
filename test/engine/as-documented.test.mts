// Answers that the API document allows, from a host that gives the answers of each test.
import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { options, poller, run, search, type Setup } from './engine.mts';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const OTHER = '00000000-0000-4000-8000-00000000000f';
const rl = (value: unknown, mode = 'id') => ({ __rl: true, mode, value });

type Answer = { status?: number; body: unknown };
interface Received {
	method: string;
	path: string;
	query: string;
	body: any;
}

const servers: Server[] = [];
afterEach(() => {
	for (const server of servers.splice(0)) {
		server.closeAllConnections();
		server.close();
	}
});

/** A host that answers by `METHOD /path`, and what it received */
async function hostWith(answers: Record<string, Answer>) {
	const received: Received[] = [];
	const server = createServer((request, response) => {
		let text = '';
		request.on('data', (chunk) => (text += chunk));
		request.on('end', () => {
			const path = request.url!.replace(/^\/v1|\?.*$/g, '');
			const method = request.method!;
			const query = request.url!.replace(/^[^?]*/, '');
			received.push({ method, path, query, body: text === '' ? undefined : JSON.parse(text) });
			const { status = 200, body } = answers[`${method} ${path}`] ?? { status: 404, body: {} };
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(body));
		});
	}).listen(0, '127.0.0.1');
	servers.push(server);
	await once(server, 'listening');
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
	const credentials = { baseUrl, accessToken: 'wa_key', apiVersion: '2026-10-05', overrides: '{}' };
	const setup = (does: string, parameters: IDataObject, more: Partial<Setup> = {}): Setup => {
		const [resource, operation] = does.split('.');
		return {
			node: 'workspaceAutomation',
			parameters: { resource, operation, ...parameters },
			credentials,
			...more,
		};
	};
	const only = async (...given: Parameters<typeof setup>) => {
		const { outputs, error } = await run(setup(...given));
		if (error) throw error;
		return outputs[0][0].json;
	};
	return { received, credentials, setup, only };
}

describe('after a change', () => {
	const change = async (sent: IDataObject, shown: IDataObject) => {
		const body = { object: 'task', id: ID, ...shown };
		const { only } = await hostWith({ [`PATCH /tasks/${ID}`]: { body } });
		return await only('task.update', { taskId: rl(ID), updateFields: sent });
	};
	const move = async (shown: IDataObject) => {
		const body = { object: 'file', id: ID, kind: 'file', ...shown };
		const { only } = await hostWith({ [`PATCH /files/${ID}`]: { body } });
		return await only('file.move', { fileId: rl(ID), parentId: rl(OTHER) });
	};

	test.each([
		['trimmed', { title: '  Links ' }, { title: 'Links' }],
		['NFC-normalized', { title: 'Cafe\u0301' }, { title: 'Café' }],
		['lower-cased', { title: 'LINKS' }, { title: 'links' }],
		['without U+FE0F', { emoji: '\u2764\ufe0f' }, { emoji: '\u2764' }],
		['not shown', { title: 'Links', prompt: 'x' }, {}],
	])('a value that the service returns %s causes no warning', async (_, sent, shown) => {
		expect(await change(sent, shown)).not.toHaveProperty('warnings');
	});

	test.each(['parentId', 'parent_id'])('a folder in %s causes no warning', async (name) => {
		expect(await move({ [name]: OTHER.toUpperCase() })).not.toHaveProperty('warnings');
	});

	test.each([
		['title', { title: 'New' }, { title: 'Old' }],
		['rrule', { rrule: 'FREQ=DAILY' }, { rrule: 'FREQ=WEEKLY' }],
	])('another %s is a warning on the item that names the override', async (name, sent, shown) => {
		const item = await change(sent, shown);
		expect(item).toMatchObject({ id: ID, ...shown });
		const values = [sent, shown].map((each) => Object.values(each)[0]).join('.*');
		expect(item.warnings).toEqual([
			expect.stringMatching(
				new RegExp(`^The service ignored '${name}': .*${values}.*"updateTask"`),
			),
		]);
	});

	test("a file that isn't in the folder, and a product of another name, have warnings", async () => {
		expect((await move({})).warnings).toEqual([expect.stringContaining('has My Files.')]);
		const { only } = await hostWith({ 'PATCH /products/p1': { body: { id: 'p1', name: 'Old' } } });
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
	const { only, received, setup } = await hostWith({
		[`GET /tasks/${small}`]: { body: { object: 'task', id: capitals } },
		'GET /files': {
			body: { object: 'list', has_more: false, data: [{ id: ID, projectId: capitals }] },
		},
		[`PATCH /products/${small}`]: { body: { id: capitals } },
		'POST /files': { status: 201, body: { object: 'file', id: ID } },
	});
	await only('task.get', { taskId: rl(capitals) });
	await only('file.getAll', { projectId: rl(capitals) });
	await only('product.update', { productId: rl(capitals), fields: '{"name": "x"}' });
	const asset = { name: 'a', contentSource: 'asset', assetId: capitals };
	await only('file.create', { projectId: rl(capitals), ...asset });
	await search(setup('file.get', { projectId: rl(capitals) }), 'getFiles');
	expect(received.map(({ path }) => path)).toEqual([
		`/tasks/${small}`,
		'/files',
		`/products/${small}`,
		'/files',
		'/files',
	]);
	expect(received[3].body).toMatchObject({ projectId: small, source: { assetId: small } });
	expect(received[4].query).toContain(`projectId=${small}`);
});

test.each([true, 'true', ' TRUE '])(
	'Return All is on with %j, which may come from an expression',
	async (returnAll) => {
		const pages: Answer = { body: { object: 'list', has_more: false, data: [{ id: ID }] } };
		const { received, only } = await hostWith({ 'GET /tasks': pages });
		await only('task.getAll', { returnAll: `={{ ${JSON.stringify(returnAll)} }}` });
		expect(received[0].query).toBe('?limit=100');
	},
);

describe('a session', () => {
	const session = (more: IDataObject): Answer => ({
		body: { sessionId: ID, status: 'completed', ...more },
	});
	const get = async (more: IDataObject, settings: Setup['settings'] = {}) => {
		const { only } = await hostWith({ [`GET /agent/sessions/${ID}`]: session(more) });
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
		const { only } = await hostWith({ [`GET /agent/sessions/${ID}`]: session({}) });
		expect(await only('agentSession.get', { sessionId: rl(url, 'url') })).toMatchObject({
			sessionId: ID,
		});
	});

	test.each([
		['permission', 'approve'],
		['question', 'option'],
	])('gets an answer to a %s with its own type', async (type, decision) => {
		const response = { type: 'choice', options: [{ value: 'once', label: 'Allow once' }] };
		const pending = session({ pendingInteractions: [{ type, id: 'i1', response }] });
		const { only, received } = await hostWith({
			[`GET /agent/sessions/${ID}`]: pending,
			[`POST /agent/sessions/${ID}/interactions/i1/resolve`]: session({}),
		});
		await only('agentSession.resolveInteraction', {
			sessionId: rl(ID),
			interactionId: 'i1',
			decision,
			optionValue: 'once',
		});
		expect(received.at(-1)!.body).toEqual({ type, response: 'once' });
	});
});

describe('setup_required', () => {
	const message = 'Create a project that a key can act on';
	const setup_required = {
		reason: 'no_compatible_projects',
		message,
		eligible_workspaces: [{ id: ID, name: 'Acme' }],
	};
	const answer = (data: IDataObject[]): Record<string, Answer> => ({
		'GET /projects': { body: { object: 'list', data, has_more: false, setup_required } },
	});

	test('is the error of a list, a picker and a selection without projects', async () => {
		const { setup } = await hostWith(answer([]));
		const listed = await run(setup('project.getAll', {}));
		const searched = await search(setup('task.getAll', {}), 'getProjects').catch((error) => error);
		const trigger = { ...setup('', {}), node: 'workspaceAutomationTrigger' };
		const chosen = await options(trigger, 'getProjectOptions').catch((error) => error);
		for (const error of [listed.error, searched, chosen])
			expect(error).toMatchObject({ message, description: expect.stringContaining('Acme') });
	});

	test('is in the log and the custom data of a list with projects, and in the log of a trigger', async () => {
		const { credentials, setup } = await hostWith(answer([{ object: 'project', id: ID }]));
		const { customData, outputs } = await run(setup('project.getAll', {}));
		expect(outputs[0]).toHaveLength(1);
		expect(customData).toMatchObject({ setupRequired: expect.stringContaining(message) });
		const parameters = { event: 'projectAdded' };
		const trigger = poller({ node: 'workspaceAutomationTrigger', parameters, credentials });
		await trigger.poll();
		expect(trigger.warnings).toEqual([expect.stringContaining(message)]);
	});

	test('is in the log of a trigger for the files of all projects', async () => {
		const { credentials } = await hostWith({
			...answer([{ object: 'project', id: ID }]),
			'GET /files': { body: { object: 'list', data: [], has_more: false } },
		});
		const parameters = { event: 'fileCreated' };
		const trigger = poller({ node: 'workspaceAutomationTrigger', parameters, credentials });
		await trigger.poll();
		expect(trigger.warnings).toEqual([expect.stringContaining(message)]);
	});

	test('is in the error of a trigger that has no sample to show', async () => {
		const { credentials } = await hostWith(answer([]));
		const parameters = { event: 'projectAdded' };
		const trigger = poller({ node: 'workspaceAutomationTrigger', parameters, credentials });
		const error = await trigger.test().catch((thrown) => thrown);
		expect(error.description).toContain(message);
	});

	test('beside a list under another name is no second list', async () => {
		const { only } = await hostWith({
			'GET /projects': { body: { items: [{ id: ID }], setup_required } },
		});
		expect(await only('project.getAll', {})).toEqual({ id: ID });
	});

	test('is the error of a response without a list', async () => {
		const { setup } = await hostWith({ 'GET /projects': { body: { setup_required } } });
		expect((await run(setup('project.getAll', {}))).error?.message).toBe(message);
	});
});

describe('a shared preview', () => {
	const preview = { projectId: rl(ID), siteId: ID, route: '/' };

	test("in a conflict doesn't mention files", async () => {
		const error = { code: 'conflict', message: 'No agent workspace', doc_url: 'https://x.test/c' };
		const { setup } = await hostWith({ 'POST /shared-previews': { status: 409, body: { error } } });
		const { error: raised } = await run(setup('sharedPreview.create', preview));
		expect(raised?.description).toMatch(/^Start an agent session in the project/);
		expect(`${raised?.message} ${raised?.description}`).not.toMatch(/file/i);
	});

	test.each(['x', '🧹', 'é'])('accepts 2048 characters as its route: %s', async (character) => {
		const body = { object: 'shared_preview', id: ID, url: 'https://x.test/p' };
		const { only, received } = await hostWith({ 'POST /shared-previews': { body } });
		const route = `/${character.repeat(2047)}`;
		await only('sharedPreview.create', { ...preview, route });
		expect(received[0].body).toMatchObject({ route });
	});

	test.each(['en', 'pt-BR', 'i-klingon', 'x-private', 'zh-Hant-TW-u-ca-chinese', 'es-419'])(
		'accepts the language tag %s',
		async (locale) => {
			const body = { object: 'shared_preview', id: ID, url: 'https://x.test/p' };
			const { only, received } = await hostWith({ 'POST /shared-previews': { body } });
			await only('sharedPreview.create', { ...preview, locale });
			expect(received[0].body).toMatchObject({ locale });
		},
	);
});

test('a file moves to My Files if its new folder is empty, however it is entered', async () => {
	const body = { object: 'file', id: ID };
	const { only, received } = await hostWith({ [`PATCH /files/${ID}`]: { body } });
	for (const mode of ['list', 'id'])
		await only('file.move', { fileId: rl(ID), parentId: rl('', mode) });
	expect(received.map(({ body: sent }) => sent)).toEqual([{ parentId: null }, { parentId: null }]);
});

describe("a file's content", () => {
	const getContent = async (body: IDataObject) => {
		const { setup } = await hostWith({ [`GET /files/${ID}/content`]: { body } });
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
