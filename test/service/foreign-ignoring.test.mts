// Signs of a dialect that ignores unknown names, or of a proxy.
import { expect, test } from '@jest/globals';

import type { Overrides } from '../../local-service/dialects/dialect.mts';
import { dialectNames, dialects, type DialectName } from '../../local-service/dialects/index.mts';

import { findIds, startSession, useSpeakers, valueAt, type Speaker } from './speaker.mts';

const speak = useSpeakers();

/** A list as it is answered to a request for five of the first project's files */
async function fiveFiles(service: Speaker, as?: Overrides): Promise<unknown> {
	const [{ id: projectId }] = service.seed().projects;
	return (await service.call('listFiles', { projectId, limit: 5 }, { as })).body;
}

/** A list looks like this. */
const toLists = (shape: object) => async (service: Speaker) =>
	expect(await fiveFiles(service)).toEqual(shape);

/** A session that waits looks like this. */
const toSession = (shape: object) => async (service: Speaker) => {
	const sessionId = await startSession(service, '[ask bash: x]');
	expect((await service.call('getAgentSession', { sessionId })).body).toMatchObject(shape);
};

/** Nothing is answered but this, and a task is or is not changed. */
const answersWith = (status: number, text: RegExp, acts: boolean) => async (service: Speaker) => {
	const [{ id: taskId }] = service.seed().tasks;
	const answer = await service.call('updateTask', { taskId, title: 'Renamed' });
	expect([answer.status, text.test(answer.text)]).toEqual([status, true]);
	const [{ title }] = service.seed().tasks;
	expect(title === 'Renamed').toBe(acts);
};

/** Requests in our form are taken for requests without what they name. */
const ours: Overrides = {};

/** Signs of a dialect */
const foreign: Partial<Record<DialectName, (service: Speaker) => Promise<void>>> = {
	async 'ignored-page-names'(service) {
		expect(findIds(await fiveFiles(service, ours))).toHaveLength(25);
		expect(findIds(await fiveFiles(service))).toHaveLength(5);
	},
	async 'ignored-cursor'(service) {
		const [{ id: projectId }] = service.seed().projects;
		const pages = async (as?: Overrides) => {
			const values = { projectId, limit: 5, cursor: '5' };
			return findIds((await service.call('listFiles', values, { as })).body);
		};
		expect(await pages(ours)).toEqual(findIds(await fiveFiles(service)));
		expect(await pages()).not.toEqual(await pages(ours));
	},
	async 'ignored-folder-filter'(service) {
		const { folders } = service.seed();
		const [{ id: parentId, projectId }] = folders;
		const parents = async (as?: Overrides) => {
			const { body } = await service.call('listFiles', { projectId, parentId }, { as });
			return new Set(
				(body as { data: Array<{ parentId?: string }> }).data.map((file) => file.parentId),
			);
		};
		expect(await parents()).toEqual(new Set([parentId]));
		expect((await parents(ours)).size).toBeGreaterThan(1);
	},
	async 'ignored-project-filter'(service) {
		const { products, projects } = service.seed();
		const values = { projectId: projects[0].id, limit: 100 };
		const { body } = await service.call('listProducts', values, { as: ours });
		expect(findIds(body)).toEqual(products.slice(0, 100).map(({ id }) => id));
	},
	async 'ignored-site-filter'(service) {
		const { domains } = service.seed();
		const [{ siteId }] = domains;
		const values = { siteId, limit: 100 };
		const { body } = await service.call('listCustomDomains', values, { as: ours });
		expect(findIds(body).length).toBeGreaterThan(
			domains.filter((domain) => domain.siteId === siteId).length,
		);
		expect(valueAt(body, 'data.0.siteId')).toEqual(expect.any(String));
	},
	async 'ignored-fields'(service) {
		const { files, projects } = service.seed();
		const [{ id: fileId, name }] = files;
		const renamed = await service.call('renameFile', { fileId, name: 'x.md' }, { as: ours });
		expect([renamed.status, valueAt(renamed.body, 'name')]).toEqual([200, name]);
		const values = { projectId: projects[0].id, prompt: 'x' };
		expect((await service.call('createAgentSession', values, { as: ours })).status).toBe(400);
	},
	async 'small-pages'(service) {
		const { body } = await service.call('listTasks', { limit: 100 });
		expect([findIds(body).length, valueAt(body, 'has_more')]).toEqual([25, true]);
	},
	async 'newest-first'(service) {
		const { tasks } = service.seed();
		const { body } = await service.call('listTasks', { limit: 2 });
		expect(findIds(body)).toEqual(
			tasks
				.slice(-2)
				.reverse()
				.map(({ id }) => id),
		);
	},
	'lists-next-cursor': toLists({ files: expect.any(Array), nextCursor: expect.any(String) }),
	'lists-items': toLists({ items: expect.any(Array), page: { next: expect.any(String) } }),
	'lists-meta': toLists({ data: expect.any(Array), meta: { next_cursor: expect.any(String) } }),
	'lists-links': toLists({
		data: expect.any(Array),
		links: { next: expect.stringContaining('cursor=') },
	}),
	'lists-cursor-object': toLists({
		data: expect.any(Array),
		cursors: { forward: expect.any(String) },
	}),
	'lists-below-data': toLists({
		data: { items: expect.any(Array), next_cursor: expect.any(String) },
		errors: [],
	}),
	async 'lists-link-header'(service) {
		const [{ id: projectId }] = service.seed().projects;
		const { body, headers } = await service.call('listFiles', { projectId, limit: 5 });
		expect(body).toHaveLength(5);
		expect(headers.link).toMatch(/^<.*cursor=.+>; rel="next"$/);
	},
	async 'lists-partial-content'(service) {
		const [{ id: projectId }] = service.seed().projects;
		const { body, status } = await service.call('listFiles', { projectId, limit: 5 });
		expect([status, (body as unknown[]).length]).toEqual([206, 5]);
	},
	'lists-links-array': toLists({
		data: expect.any(Array),
		links: [{ rel: 'next', href: expect.stringContaining('cursor=') }],
	}),
	'lists-pages-next': toLists({
		data: expect.any(Array),
		pages: { next: expect.stringContaining('cursor=') },
	}),
	'lists-truncated': toLists({
		data: expect.any(Array),
		truncated: true,
		marker: expect.any(String),
	}),
	'lists-last': toLists({ data: expect.any(Array), last: false }),
	async 'products-without-ids'(service) {
		const [{ id: projectId }] = service.seed().projects;
		const { body } = await service.call('listProducts', { projectId });
		expect(valueAt(body, 'data.0')).toMatchObject({ sku: expect.any(String) });
		expect(valueAt(body, 'data.0.id')).toBeUndefined();
	},
	async 'entries-without-ids'(service) {
		const { body } = await service.call('listTasks', { limit: 1 });
		expect(valueAt(body, 'data.0')).toMatchObject({ uuid: expect.any(String) });
		expect(valueAt(body, 'data.0.id')).toBeUndefined();
	},
	async 'analytics-rows'(service) {
		const { body } = await service.call('queryAnalytics', { query: 'SELECT 1 AS n' });
		expect(body).toEqual({ rowCount: 1, rows: [{ n: 1 }] });
	},
	'status-in-capitals': toSession({ status: 'RUNNING' }),
	async 'pending-as-map'(service) {
		const sessionId = await startSession(service, '[ask bash: x]');
		const [{ id }] = (await service.control.sessions())[0].interactions;
		const { body } = await service.call('getAgentSession', { sessionId });
		expect(valueAt(body, 'pendingInteractions')).toEqual({ [id]: expect.objectContaining({ id }) });
	},
	'pending-below-data': toSession({
		pendingInteractions: { data: [expect.objectContaining({ permission: 'bash' })] },
	}),
	'pending-elsewhere': toSession({
		status: 'running',
		data: { pendingInteractions: [expect.objectContaining({ permission: 'bash' })] },
	}),
	'session-in-data': toSession({ data: { status: 'running' } }),
	'session-in-session': toSession({ session: { status: 'running' } }),
	'session-elsewhere': toSession({ result: { run: { status: 'running' } } }),
	'nothing-to-say': answersWith(204, /^$/, true),
	'web-page-everywhere': answersWith(200, /^<!doctype html>/, false),
	'web-page-instead': answersWith(200, /^<!doctype html>/, false),
	'web-page-after': answersWith(200, /^<!doctype html>/, true),
	'redirect-instead': answersWith(302, /^$/, false),
	'redirect-after': answersWith(302, /^$/, true),
};

test.each(dialectNames.filter((name) => dialects[name].ignores === true))(
	'%s',
	async (name) => await foreign[name]!(speak(name)),
);
