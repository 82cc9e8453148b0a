// Signs of a dialect that refuses unknown names.
import { expect, test } from '@jest/globals';
import { usualOptions } from '../../local-service/agent/directives.mts';

import { dialectNames, dialects, type DialectName } from '../../local-service/dialects/index.mts';
import type { Values } from '../../local-service/dialects/templates.mts';
import {
	findIds,
	latestSession,
	findPending,
	startSession,
	useSpeakers,
	valueAt,
	type Answered,
	type Speaker,
} from './speaker.mts';
import { unknownId } from './support.mts';

const speak = useSpeakers();

/** Signs of a dialect */
const foreign: Partial<Record<DialectName, (service: Speaker) => Promise<void>>> = {
	async 'foreign-ids-numeric'(service) {
		const { products, assets, projects } = service.seed();
		expect(products[0].id).toBe(1);
		expect(assets[0].id).toBe(1001);
		const { body } = await service.call('listProducts', { projectId: projects[0].id, limit: 2 });
		expect(findIds(body)).toEqual([1, 2]);
		const changed = await service.call('updateProduct', { productId: 2 }, { extra: { name: 'x' } });
		expect(changed.body).toMatchObject({ id: 2, name: 'x' });
		for (const productId of [unknownId, 'x', '01'])
			expect(
				(await service.call('updateProduct', { productId }, { extra: { name: 'x' } })).status,
			).toBe(404);
	},
	async 'foreign-ids-prefixed'(service) {
		const { projects } = service.seed();
		const { body } = await service.call('listProducts', { projectId: projects[0].id, limit: 2 });
		expect(findIds(body)).toEqual(['prod_1', 'prod_2']);
		const created = await service.call('createProduct', { projectId: projects[0].id });
		expect(created.body).toMatchObject({ id: expect.stringMatching(/^prod_\d+$/) });
	},
	'option-words-grant': (service) =>
		offers(service, [
			['grant', 'Grant'],
			['grant_always', 'Grant always'],
			['refuse', 'Refuse'],
		]),
	'option-words-permit': (service) =>
		offers(service, [
			['permit_once', 'Permit this once'],
			['permit_session', 'Permit for the whole session'],
			['block', 'Block'],
		]),
	'option-words-numbers': (service) =>
		offers(service, [
			['1', 'Allow once'],
			['2', 'Always allow'],
			['3', 'Reject'],
		]),
	async 'option-words-own'(service) {
		await offers(service, [
			['go', 'Go'],
			['green', 'Green light'],
			['halt', 'Halt'],
		]);
		expect(dialects['option-words-own'].overrides).toEqual({
			resolveInteraction: { words: { approve: 'go', deny: 'halt' } },
		});
	},
	'questions-in-message': (service) =>
		listAsked(service, { message: 'Which color?', options: [{ id: 'blue', name: 'blue' }] }),
	'questions-in-response': (service) =>
		listAsked(service, {
			response: { prompt: 'Which color?', options: [{ label: 'Answers', options: ['blue'] }] },
		}),
	'numeric-timestamps': (service) => hasTimestamps(service, service.now()),
	'timestamps-in-seconds': (service) => hasTimestamps(service, service.now() / 1000),
	async 'late-changes'(service) {
		const sessionId = await startSession(service, '[say one]');
		const { text } = await service.call('getAgentSession', { sessionId });
		await service.call('sendAgentMessage', { sessionId, text: '[say two]' });
		service.advance(19);
		expect((await service.call('getAgentSession', { sessionId })).text).toBe(text);
		service.advance(1);
		expect((await service.call('getAgentSession', { sessionId })).text).toContain('"two"');
	},
	async 'my-files-folder'(service) {
		const { files, projects } = service.seed();
		const [{ id: projectId }] = projects;
		const readme = files.find(({ name, parentId }) => name === 'readme.md' && !parentId)!;
		const { body } = await service.call('getFile', { fileId: readme.id });
		const parentId = valueAt(body, 'parentId');
		expect(parentId).toEqual(expect.any(String));
		const inFolder = await service.call('listFiles', { projectId, parentId, limit: 100 });
		expect(valueAt(inFolder.body, 'data.0.parentId')).toBe(parentId);
		const source = { kind: 'file', type: 'text', text: 'x' };
		const made = await service.call('createFile', { projectId, parentId, name: 'x', ...source });
		expect([made.status, valueAt(made.body, 'parentId')]).toEqual([201, parentId]);
		const fileId = valueAt(made.body, 'id');
		expect((await service.call('moveFile', { fileId, parentId })).body).toEqual(made.body);
	},
	'session-ids-snake': (service) => startsWith(service, (id) => ({ session_id: id })),
	'session-ids-plain': (service) => startsWith(service, (id) => ({ id })),
	'session-ids-nested': (service) => startsWith(service, (id) => ({ session: { id } })),
	'session-ids-data': (service) => startsWith(service, (id) => ({ data: { session_id: id } })),
	async 'session-ids-location'(service) {
		const { headers, text, status } = await start(service);
		expect([status, text, headers.location]).toEqual([
			202,
			'',
			`/v1/agent/sessions/${await latestSession(service)}`,
		]);
	},
	'session-ids-run': (service) => startsWith(service, (id) => ({ data: { run_id: id } })),
	async 'content-or-download-url'(service) {
		expect(await contents(service)).toEqual([
			{ content: expect.any(String) },
			{ download_url: expect.any(String) },
		]);
	},
	async 'empty-text-beside-url'(service) {
		expect(await contents(service)).toEqual([
			{ text: expect.any(String) },
			{ text: '', signed_url: expect.any(String) },
		]);
	},
	async 'content-in-file'(service) {
		expect(await contents(service)).toEqual([
			{ file: { body: expect.any(String) } },
			{ file: { href: expect.any(String) } },
		]);
	},
	async 'snake-case'(service) {
		const { body } = await start(service);
		expect(body).toMatchObject({
			session_id: expect.any(String),
			dashboard_url: expect.any(String),
		});
		expect(body).not.toHaveProperty('sessionId');
		const { projects } = service.seed();
		const { body: list } = await service.call('listProducts', { projectId: projects[0].id });
		expect(valueAt(list, 'data.0')).toMatchObject({ project_id: projects[0].id });
		expect(valueAt(list, 'data.0.projectId')).toBeUndefined();
	},
	'prompt-in-input': async (service) =>
		expect((await start(service)).body).toHaveProperty('sessionId'),
	async 'message-parts'(service) {
		const sessionId = await startSession(service, '[say one]');
		const { overrides, call } = service;
		const twoParts = { sendAgentMessage: { ...overrides.sendAgentMessage, body: { content: [] } } };
		expect((await call('sendAgentMessage', { sessionId }, { as: twoParts })).body).toMatchObject({
			error: { message: 'body/content must be an array of length 1' },
		});
	},
	async 'nested-decision'(service) {
		const sessionId = await startSession(service, '[question Which colour?]');
		const [{ id: interactionId }] = await findPending(service, sessionId);
		// An answer isn't a decision, and keeps its shape.
		const answered = await service.call(
			'resolveInteraction',
			{ sessionId, interactionId, type: 'question', option: 'blue' },
			{ as: {} },
		);
		expect(answered.text).toContain('You answered “blue”');
	},
	async 'separate-rename-and-move'(service) {
		const { files } = service.seed();
		const values = { fileId: files[0].id, name: 'x.md' };
		expect((await service.call('renameFile', values)).body).toMatchObject({ name: 'x.md' });
	},
	async 'other-file-sources'(service) {
		const { projects } = service.seed();
		const answer = await service.call('createFile', {
			projectId: projects[0].id,
			kind: 'file',
			name: 'x',
			type: 'base64',
			data: 'AAEC',
		});
		expect(answer.body).toMatchObject({ sizeBytes: 3 });
	},
	async 'other-versions'(service) {
		const { tasks } = service.seed();
		const [taskId] = tasks.map(({ id }) => id);
		expect((await service.call('getTask', { taskId })).status).toBe(200);
		expect((await service.call('getTask', { taskId }, { as: {} })).body).toMatchObject({
			error: { code: 'invalid_version', message: expect.stringContaining('accepts 2026-10-05') },
		});
	},
	async 'bare-lists'(service) {
		const { body } = await service.call('listProjects', { limit: 5 });
		expect(body).toHaveLength(130);
	},
	async 'lists-under-other-keys'(service) {
		const { body } = await service.call('listProjects', { limit: 5 });
		expect(body).toEqual({
			projects: expect.any(Array),
			page: { next: expect.any(String) },
		});
		const last = await service.call('listProjects', {
			cursor: valueAt(body, 'page.next'),
			limit: 100,
		});
		expect(valueAt(last.body, 'projects')).toHaveLength(100);
	},
	async 'cursors-without-has-more'(service) {
		const { body } = await service.call('listTasks', { limit: 59 });
		expect(body).toEqual({
			object: 'list',
			data: expect.any(Array),
			next_cursor: expect.any(String),
		});
		const { projects, sites } = service.seed();
		const values = { projectId: projects[1].id, siteId: sites[1].id, limit: 100 };
		const ends = ['listTasks', 'listFiles', 'listCustomDomains'] as const;
		const last = await Promise.all(
			ends.map(async (operationId) => (await service.call(operationId, values)).body),
		);
		expect(last.map((list) => valueAt(list, 'next_cursor'))).toEqual([null, '', undefined]);
	},
	async 'other-paging-names'(service) {
		const { body } = await service.call('listProjects', { limit: 5 });
		expect(findIds(body)).toHaveLength(5);
		const next = await service.call('listProjects', {
			limit: 5,
			cursor: valueAt(body, 'next_cursor'),
		});
		expect(findIds(next.body)[0]).not.toBe(findIds(body)[0]);
	},
	'plain-text-errors': (service) =>
		refuses(service, { type: 'text/plain; charset=utf-8', is: (message) => message }),
	'error-texts': (service) => refuses(service, { is: (error) => JSON.stringify({ error }) }),
	'error-messages': (service) =>
		refuses(service, { is: (message, code) => JSON.stringify({ message, code }) }),
	'error-lists': (service) =>
		refuses(service, { is: (message, code) => JSON.stringify({ errors: [{ code, message }] }) }),
	async 'prefixed-rules'(service) {
		const [{ id: taskId }] = service.seed().tasks;
		const { body } = await service.call('updateTask', { taskId, rrule: 'FREQ=DAILY' });
		expect(valueAt(body, 'rrule')).toBe('RRULE:FREQ=DAILY');
	},
	async 'latin-1'(service) {
		const [{ id: taskId }] = service.seed().tasks;
		const { headers, body } = await service.call('updateTask', { taskId, emoji: '🧹' });
		expect(headers['content-type']).toBe('application/json; charset=iso-8859-1');
		expect(valueAt(body, 'emoji')).toBe('🧹');
	},
	async 'empty-answers'(service) {
		const sessionId = await startSession(service, '[ask bash: x]');
		const [{ id: interactionId }] = await findPending(service, sessionId);
		const { projects, domains } = service.seed();
		const values: Values = {
			projectId: projects[0].id,
			sessionId,
			interactionId,
			type: 'permission',
			option: 'once',
			text: 'x',
			customDomainId: domains[0].id,
		};
		const answers = [
			await service.call('resolveInteraction', values),
			await service.call('sendAgentMessage', values),
			await service.call('abortAgentSession', values),
			await service.call('deleteCustomDomain', values),
			await service.call('createProduct', values),
		];
		expect(
			answers.map(({ status, text, headers }) => [status, text, headers['content-type']]),
		).toEqual([204, 202, 204, 204, 201].map((status) => [status, '', undefined]));
	},
};

async function start(service: Speaker): Promise<Answered> {
	const { projects } = service.seed();
	return await service.call('createAgentSession', { projectId: projects[0].id, prompt: 'x' });
}

/** A new session is answered like this, and without our own name. */
async function startsWith(service: Speaker, shape: (id: string) => object): Promise<void> {
	const { body } = await start(service);
	expect(body).toMatchObject(shape(await latestSession(service)));
	expect(body).not.toHaveProperty('sessionId');
}

/** A question has this shape, and is answered as without dialects. */
async function listAsked(service: Speaker, shape: object): Promise<void> {
	const sessionId = await startSession(service, '[question Which color? {blue}]');
	const [asked] = await findPending(service, sessionId);
	const { id: interactionId, type } = asked;
	expect(asked).toEqual({ id: interactionId, type: 'choice', ...shape });
	const values = { sessionId, interactionId, type, option: 'blue' };
	expect((await service.call('resolveInteraction', values)).text).toContain('You answered “blue”');
}

/** These options are offered, each does what it says, and our own values are refused. */
async function offers(service: Speaker, options: Array<[string, string]>): Promise<void> {
	for (const [index, [value]] of options.entries()) {
		const sessionId = await startSession(service, '[ask bash: x] [ask bash: x] [say ok]');
		const [{ id: interactionId, response }] = await findPending(service, sessionId);
		expect(response.options).toEqual(options.map(([value, label]) => ({ value, label })));
		const values = { sessionId, interactionId, type: 'permission' };
		const own = usualOptions[index].value;
		expect((await service.call('resolveInteraction', { ...values, option: own })).status).toBe(400);
		const resolved = await service.call('resolveInteraction', { ...values, option: value });
		expect(resolved.status).toBe(200);
		expect((await service.control.sessions()).at(-1)!.interactions[0].value).toBe(own);
	}
	// Options of anything else stay what they are
	const { projects } = service.seed();
	const own = { options: [{ value: 'once', label: 'Allow once' }] };
	const product = await service.call(
		'createProduct',
		{ projectId: projects[0].id },
		{ extra: own },
	);
	expect(product.body).toMatchObject(own);
	// So do words that a prompt names
	const sessionId = await startSession(service, '[ask bash: x {yes=Yes please, no=No}]');
	const [{ response }] = await findPending(service, sessionId);
	expect(response.options.map(({ value }) => value)).toEqual(['yes', 'no']);
	// And so do the options of a question
	const asking = await startSession(service, '[question How often? {once=Allow once}]');
	const [asked] = await findPending(service, asking);
	expect(asked.response).toHaveProperty('options', [{ value: 'once', label: 'Allow once' }]);
	const answer = { sessionId: asking, interactionId: asked.id, type: 'question', option: 'once' };
	expect((await service.call('resolveInteraction', answer)).status).toBe(200);
}

async function hasTimestamps(service: Speaker, now: number): Promise<void> {
	const sessionId = await startSession(service, '[ask bash: x]');
	const { body } = await service.call('getAgentSession', { sessionId });
	for (const path of ['lastActivityAt', 'latestMessage.createdAt', 'latestTool.at']) {
		expect(valueAt(body, path)).toEqual(expect.any(Number));
		expect(Math.abs(Number(valueAt(body, path)) - now)).toBeLessThan(now / 1000);
	}
	const { tasks, files } = service.seed();
	const task = await service.call('getTask', { taskId: tasks[0].id });
	expect(valueAt(task.body, 'nextRunAt')).toEqual(expect.any(Number));
	// The document says what timestamps of files look like
	const file = await service.call('getFile', { fileId: files[0].id });
	expect(valueAt(file.body, 'createdAt')).toMatch(/^\d{4}-/);
}

/** The answers for a file that comes as text, and for one that comes as a URL. */
async function contents(service: Speaker): Promise<unknown[]> {
	const { files } = service.seed();
	const of = async (name: string) => {
		const fileId = files.find((file) => file.name === name)!.id;
		return (await service.call('getFileContent', { fileId })).body;
	};
	return [await of('readme.md'), await of('team.jpg')];
}

/** Errors of every kind are written like this: of handlers, of the key, of faults, of unknown paths. */
async function refuses(
	service: Speaker,
	{
		type = 'application/json; charset=utf-8',
		is,
	}: { type?: string; is: (message: string, code: string) => string },
): Promise<void> {
	const missing = await service.call('getFile', { fileId: unknownId });
	const message = "The file was not found, or the key's scopes or project access do not permit it.";
	expect([missing.status, missing.headers['content-type'], missing.text]).toEqual([
		404,
		type,
		is(message, 'not_found'),
	]);
	await service.control.addFaults({
		operationId: 'listTasks',
		kind: 'status',
		status: 429,
		message: 'Slow down',
		retryAfter: 3,
	});
	const faulty = await service.call('listTasks');
	expect([faulty.status, faulty.headers['retry-after'], faulty.text]).toEqual([
		429,
		'3',
		is('Slow down', 'too_many_requests'),
	]);
	const nowhere = await service.call('listTasks', {}, { as: { listTasks: { path: '/nothing' } } });
	expect([nowhere.status, nowhere.text]).toEqual([
		404,
		is('There is no GET /v1/nothing here.', 'not_found'),
	]);
}

test.each(dialectNames.filter((name) => dialects[name].ignores === false))(
	'%s',
	async (name) => await foreign[name]!(speak(name)),
);
