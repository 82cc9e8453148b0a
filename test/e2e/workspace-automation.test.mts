// The Workspace Automation node as it would be published, in the real n8n, against the local service.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../openapi/endpoints.mts';
import type { WorkflowNode } from '../../n8n-host/workflows.mts';
import {
	agentSession,
	byId,
	chain,
	editFields,
	manualTrigger,
	node,
	play,
	projectId,
	TEST_TIMEOUT_MS,
	testWith,
	useStage,
	workspaceAutomation as step,
} from './support.mts';

const stage = useStage();

/** What the service holds, see its control API */
let seed: any;

beforeAll(async () => {
	await stage.service.control.setSpeed(20);
	seed = await stage.service.control.seed();
}, TEST_TIMEOUT_MS);

/** The requests that the service has answered since, without their queries */
async function requestsSince(since: number) {
	return (await stage.service.requests(since)).map((request) => ({
		...request,
		path: request.path.split('?')[0].replace(/^\/v1/, ''),
	}));
}

const requestCount = async () => (await stage.service.requests()).at(-1)?.n ?? 0;

/** Reads the API as anybody could. */
async function read(path: string): Promise<any> {
	const headers = {
		authorization: `Bearer ${stage.service.key}`,
		'service-api-version': '2026-10-05',
	};
	return await (await fetch(`${stage.service.baseUrl}${path}`, { headers })).json();
}

/** The bytes of a file, however the service hands them out */
async function contentOf(fileId: string): Promise<Buffer> {
	const { text, url } = await read(`/files/${fileId}/content`);
	return url === undefined
		? Buffer.from(text)
		: Buffer.from(await (await fetch(url)).arrayBuffer());
}

test(
	'n8n is of the version that these tests are to run on',
	async () => {
		const { versionCli } = await stage.host.rest.get('/settings');
		expect(versionCli).toMatch(new RegExp(`^${process.env.N8N_HOST}[.]`));
	},
	TEST_TIMEOUT_MS,
);

describe('a workflow of many operations', () => {
	test(
		'hands each item on from one to the next',
		async () => {
			const before = await requestCount();
			const projects: Array<{ id: string; name: string }> = seed.projects.slice(0, 2);
			// What cannot be listed is what people keep in a table: the site and the task that go with a project.
			const sites = Object.fromEntries(
				projects.map(({ id }) => [id, seed.sites.find((site: any) => site.projectId === id).id]),
			);
			const tasks = Object.fromEntries(projects.map(({ id }, index) => [id, seed.tasks[index].id]));
			const lookUp = (table: object) =>
				`={{ (${JSON.stringify(table)})[$('Projects').item.json.id] }}`;
			const execution = await play(
				stage,
				chain('Many operations', [
					manualTrigger(),
					step('Projects', 'project.getAll', { limit: 2 }),
					step('Folder', 'file.createFolder', {
						projectId: byId('={{ $json.id }}'),
						name: "={{ 'Notes on ' + $json.name }}",
					}),
					step('Note', 'file.create', {
						projectId: byId("={{ $('Projects').item.json.id }}"),
						name: 'note.md',
						contentSource: 'text',
						text: "=# {{ $('Projects').item.json.name }}",
						parentId: byId('={{ $json.id }}'),
					}),
					step('Session', 'agentSession.create', {
						projectId: byId("={{ $('Projects').item.json.id }}"),
						prompt:
							"=Improve it. [ask bash: npm run build] [work 20s] [say {{ $('Projects').item.json.name }} is better now.]",
					}),
					agentSession({
						operation: 'continue',
						sessionId: '={{ $json.sessionId }}',
						permissionPolicy: 'approve',
						options: { pollInterval: 1 },
					}),
					step('Content', 'file.getContent', { fileId: byId("={{ $('Note').item.json.id }}") }),
					editFields('Places', { siteId: lookUp(sites), taskId: lookUp(tasks) }),
					step('Preview', 'sharedPreview.create', {
						projectId: byId("={{ $('Projects').item.json.id }}"),
						siteId: '={{ $json.siteId }}',
						route: '/pricing',
					}),
					step('Task', 'task.update', {
						taskId: byId("={{ $('Places').item.json.taskId }}"),
						updateFields: {
							title: "={{ $('Run Agent Session').item.json.text }}",
							prompt: "={{ $('Content').item.json.text }} {{ $json.url }}",
						},
					}),
				]),
			);

			expect(execution.error).toBeUndefined();
			expect(execution.status).toBe('success');
			expect(execution.items('Projects')).toMatchObject(
				projects.map(({ id }) => ({ object: 'project', id })),
			);
			const notes = execution.items('Note');
			const previews = execution.items('Preview');
			expect(execution.items('Run Agent Session')).toMatchObject(
				projects.map(({ name }, index) => ({
					sessionId: execution.items('Session')[index].sessionId,
					status: 'completed',
					text: `${name} is better now.`,
					decisions: [{ permission: 'bash', patterns: ['npm run build'], decision: 'approve' }],
				})),
			);
			expect(execution.items('Content')).toEqual(
				projects.map(({ name }, index) => ({ fileId: notes[index].id, text: `# ${name}` })),
			);
			expect(execution.items('Task')).toMatchObject(
				projects.map(({ name }, index) => ({
					id: seed.tasks[index].id,
					title: `${name} is better now.`,
				})),
			);

			// And what the service itself knows.
			const known = (await stage.service.control.seed()).tasks;
			for (const [index, { id, name }] of projects.entries()) {
				const folder = execution.items('Folder')[index];
				expect(await read(`/files/${folder.id}`)).toMatchObject({
					name: `Notes on ${name}`,
					kind: 'folder',
				});
				expect(await read(`/files/${notes[index].id}`)).toMatchObject({
					name: 'note.md',
					parentId: folder.id,
				});
				const own = (await stage.service.sessions()).filter((session) => session.projectId === id);
				expect(own).toMatchObject([
					{
						status: 'completed',
						turns: 1,
						interactions: [{ patterns: ['npm run build'], value: 'once' }],
					},
				]);
				expect(known[index]).toMatchObject({
					title: `${name} is better now.`,
					prompt: `# ${name} ${previews[index].url}`,
				});
			}
			// Nothing was sent twice.
			const writes = (await requestsSince(before))
				.filter(({ method }) => method !== 'GET')
				.map(({ method, path }) => `${method} ${path.replace(/.*\/resolve$/, '.../resolve')}`);
			const once = [
				'POST /agent/sessions',
				'POST .../resolve',
				'POST /files',
				'POST /files',
				'POST /shared-previews',
			];
			expect(writes.sort()).toEqual(
				[...once, ...once, ...Object.values(tasks).map((id) => `PATCH /tasks/${id}`)].sort(),
			);
		},
		TEST_TIMEOUT_MS,
	);
});

interface Play {
	parameters: object;
	/** The items that have to come of it */
	gives: object[];
	/** What has to happen right before it */
	first?: WorkflowNode[];
}

const of = (operation: string, field: string) => `={{ $('${operation}').item.json.${field} }}`;

/** Every operation with what it is given. Those of a resource run in this order, in one workflow, each once. */
function plays(): Record<string, Play> {
	const ofProject = (one: { projectId: string }) => one.projectId === projectId;
	const site = seed.sites.find(ofProject);
	const folder = seed.folders.find(ofProject);
	const project = byId(projectId);
	const sessionId = of('agentSession.create', 'sessionId');
	const fileId = byId(of('file.create', 'id'));
	return {
		'project.getAll': {
			parameters: { limit: 3 },
			gives: seed.projects.slice(0, 3).map(({ id, name }: any) => ({ id, name })),
		},

		'task.getAll': {
			parameters: { returnAll: true },
			gives: seed.tasks.map(({ id }: any) => ({ object: 'task', id })),
		},
		'task.get': {
			parameters: { taskId: byId('={{ $json.id }}') },
			gives: [{ object: 'task', id: seed.tasks[0].id }],
		},
		'task.update': {
			parameters: {
				taskId: byId('={{ $json.id }}'),
				updateFields: { emoji: '🧹', rrule: 'FREQ=DAILY;BYHOUR=7' },
			},
			gives: [{ id: seed.tasks[0].id, emoji: '🧹', rrule: 'FREQ=DAILY;BYHOUR=7' }],
		},

		'agentSession.create': {
			parameters: { projectId: project, prompt: '[ask bash: git push] [work 10h]' },
			gives: [{ sessionId: expect.any(String) }],
		},
		'agentSession.get': {
			// Half a minute of the service's time: until then it is unknown, and then it starts.
			first: [
				node('Pause', 'n8n-nodes-base.wait', 1.1, {
					parameters: { resume: 'timeInterval', amount: 1.5, unit: 'seconds' },
				}),
			],
			parameters: { sessionId },
			gives: [
				{
					status: 'running',
					pendingInteractions: [{ permission: 'bash', patterns: ['git push'] }],
				},
			],
		},
		'agentSession.resolveInteraction': {
			parameters: {
				sessionId,
				interactionId: '={{ $json.pendingInteractions[0].id }}',
				decision: 'deny',
			},
			gives: [{}],
		},
		'agentSession.sendMessage': {
			parameters: { sessionId, message: 'And then the blog.' },
			gives: [{}],
		},
		'agentSession.abort': { parameters: { sessionId }, gives: [{}] },

		'analytics.query': {
			parameters: {
				query:
					'SELECT day, countMerge(views_state) AS views FROM daily_page_rollups GROUP BY day LIMIT 1',
			},
			gives: [{ day: expect.any(String), views: expect.anything() }],
		},

		'sharedPreview.create': {
			// The service wants a session in the project.
			first: [
				step('A session', 'agentSession.create', { projectId: project, prompt: '[say Hello]' }),
			],
			parameters: { projectId: project, siteId: site.id, route: '/about', locale: 'en-US' },
			gives: [{ object: 'shared_preview', url: expect.stringContaining('http') }],
		},

		'file.createFolder': {
			parameters: { projectId: project, name: 'Played' },
			gives: [{ kind: 'folder', name: 'Played' }],
		},
		'file.create': {
			parameters: {
				projectId: project,
				name: 'played.md',
				contentSource: 'text',
				text: 'Grüße 👋',
				parentId: byId('={{ $json.id }}'),
			},
			gives: [{ kind: 'file', name: 'played.md' }],
		},
		'file.get': { parameters: { fileId }, gives: [{ name: 'played.md' }] },
		'file.getContent': { parameters: { fileId, outputAs: 'text' }, gives: [{ text: 'Grüße 👋' }] },
		'file.getAll': {
			parameters: {
				projectId: project,
				returnAll: true,
				filters: { parentId: byId(of('file.createFolder', 'id')) },
			},
			gives: [{ name: 'played.md' }],
		},
		'file.rename': { parameters: { fileId, name: 'renamed.md' }, gives: [{ name: 'renamed.md' }] },
		'file.move': {
			parameters: { fileId, parentId: byId(folder.id) },
			gives: [{ name: 'renamed.md', parentId: folder.id }],
		},

		'customDomain.getAll': {
			parameters: { siteId: seed.domains[0].siteId, limit: 2 },
			gives: seed.domains.slice(0, 2).map(({ id, domain }: any) => ({ id, domain })),
		},
		'customDomain.delete': {
			parameters: { customDomainId: byId('={{ $json.id }}') },
			gives: [{ id: seed.domains[0].id, deleted: true }],
		},

		'product.getAll': { parameters: { projectId: project, limit: 1 }, gives: [{ projectId }] },
		'product.create': {
			parameters: { projectId: project, fields: '{ "name": "Gift card", "price": 25 }' },
			gives: [{ name: 'Gift card', price: 25 }],
		},
		'product.update': {
			parameters: { productId: '={{ $json.id }}', fields: '={{ { price: $json.price + 5 } }}' },
			gives: [{ name: 'Gift card', price: 30 }],
		},
	};
}

describe('every operation', () => {
	const operations = Object.entries(endpoints).flatMap(([endpoint, names]) =>
		names.map((name) => ({ name, endpoint })),
	);
	const resources = [...new Set(operations.map(({ name }) => name.split('.')[0]))];

	const runsAll = (resource: string) => async (): Promise<void> => {
		const isOwn = (name: string) => name.startsWith(`${resource}.`);
		const own = Object.entries(plays()).filter(([name]) => isOwn(name));
		const wanted = operations.filter(({ name }) => isOwn(name));
		expect(own.map(([name]) => name).sort()).toEqual(wanted.map(({ name }) => name).sort());

		const before = await requestCount();
		const nodes = own.flatMap(([name, { parameters, first = [] }]) => [
			...first,
			step(name, name, parameters, { executeOnce: true }),
		]);
		const execution = await play(
			stage,
			chain(`Every operation of ${resource}`, [manualTrigger(), ...nodes]),
		);

		expect(execution.error).toBeUndefined();
		for (const [name, { gives }] of own)
			expect({ [name]: execution.items(name) }).toMatchObject({ [name]: gives });
		const served = (await requestsSince(before))
			.filter(({ status }) => status < 300)
			.map(({ method, path }) => `${method} ${path}`);
		for (const { name, endpoint } of wanted) {
			const pattern = new RegExp(`^${endpoint.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
			expect({ [name]: served.filter((request) => pattern.test(request)) }).toEqual({
				[name]: expect.arrayContaining([expect.any(String)]),
			});
		}
	};

	const needsClickHouse = (resource: string) => resource === 'analytics';
	for (const resource of resources) {
		const testOf = needsClickHouse(resource) ? testWith('ClickHouse') : test;
		testOf(`of ${resource} runs`, runsAll(resource), TEST_TIMEOUT_MS);
	}
});

describe('files', () => {
	test(
		'come from n8n as binary data, and go back to it as the same bytes',
		async () => {
			const everyByte = Buffer.from(
				Array.from({ length: 100_000 }, (_, index) => (index * 7 + index / 256) % 256),
			);
			const files = [
				{ name: 'picture.png', type: 'image/png', data: everyByte.toString('base64') },
				{ name: 'words.txt', type: 'text/plain', data: Buffer.from('Grüße 👋').toString('base64') },
			];
			const execution = await play(
				stage,
				chain('Binary data', [
					manualTrigger(),
					editFields('Data', { files: JSON.stringify(files) }, 'array'),
					node('One by one', 'n8n-nodes-base.splitOut', 1, {
						parameters: { fieldToSplitOut: 'files', options: {} },
					}),
					node('To a file', 'n8n-nodes-base.convertToFile', 1.1, {
						parameters: {
							operation: 'toBinary',
							sourceProperty: 'data',
							binaryPropertyName: 'upload',
							options: { fileName: '={{ $json.name }}', mimeType: '={{ $json.type }}' },
						},
					}),
					step('Upload', 'file.create', {
						projectId: byId(projectId),
						name: '',
						contentSource: 'binary',
						binaryPropertyName: 'upload',
					}),
					step('Download', 'file.getContent', {
						fileId: byId('={{ $json.id }}'),
						outputAs: 'binary',
						binaryPropertyName: 'download',
					}),
					step('Upload again', 'file.create', {
						projectId: byId(projectId),
						name: "={{ 'copy-of-' + $json.name }}",
						contentSource: 'binary',
						binaryPropertyName: 'download',
					}),
				]),
			);

			expect(execution.error).toBeUndefined();
			expect(execution.items('Upload')).toMatchObject(files.map(({ name }) => ({ name })));
			const downloads = execution.runData['Download'][0].data!.main[0];
			expect(downloads).toMatchObject(
				files.map(({ name, type }) => ({
					binary: { download: { fileName: name, mimeType: type } },
				})),
			);
			for (const [index, { name, data }] of files.entries()) {
				for (const [upload, as] of [
					['Upload', name],
					['Upload again', `copy-of-${name}`],
				]) {
					const { id } = execution.items(upload)[index];
					expect((await read(`/files/${id}`)).name).toBe(as);
					expect((await contentOf(id)).toString('base64')).toBe(data);
				}
			}
		},
		TEST_TIMEOUT_MS,
	);
});

describe('an error', () => {
	test(
		'says what happened, why it may be, and where to read about it',
		async () => {
			const unknown = '00000000-0000-4000-8000-000000000000';
			const execution = await play(
				stage,
				chain('Unknown task', [
					manualTrigger(),
					step('Task', 'task.get', { taskId: byId(unknown) }),
				]),
			);

			expect(execution.status).toBe('error');
			expect(execution.lastNodeExecuted).toBe('Task');
			const docUrl = expect.stringMatching(/^https:\/\/.*not_found/);
			expect(execution.error).toMatchObject({
				name: 'NodeApiError',
				message: 'The resource was not found',
				httpCode: '404',
				context: { code: 'not_found', docUrl },
			});
			// A mistyped ID, or a key that may not: the service answers the same.
			expect(execution.error!.description).toMatch(
				/^Check the ID\..*lacks a scope.*lost access to the project.*More: https:\/\/\S+not_found$/,
			);
		},
		TEST_TIMEOUT_MS,
	);

	test.each([
		['the error output', 'continueErrorOutput', 1],
		['the output of what went well', 'continueRegularOutput', 0],
	])(
		'takes %s where On Error says so, item by item',
		async (_, onError, output) => {
			const [first, , third] = seed.tasks.map(({ id }: any) => id);
			const ids = [first, '00000000-0000-4000-8000-000000000000', third];
			const execution = await play(
				stage,
				chain('Tasks, one of them unknown', [
					manualTrigger(),
					editFields('Table', { ids: JSON.stringify(ids) }, 'array'),
					node('One by one', 'n8n-nodes-base.splitOut', 1, {
						parameters: { fieldToSplitOut: 'ids', options: {} },
					}),
					step('Task', 'task.get', { taskId: byId('={{ $json.ids }}') }, { onError }),
				]),
			);

			expect(execution.status).toBe('success');
			const failed = execution.items('Task', output).filter(({ error }) => error !== undefined);
			expect(failed).toMatchObject([{ error: 'The resource was not found' }]);
			const found = execution.items('Task').filter(({ error }) => error === undefined);
			expect(found.map(({ id }) => id)).toEqual([first, third]);
			expect(
				execution.runData['Task'][0].data!.main[0]!.map(({ pairedItem }) => pairedItem),
			).toMatchObject(
				(onError === 'continueErrorOutput' ? [0, 2] : [0, 1, 2]).map((item) => ({ item })),
			);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('the list of projects in the panel', () => {
	test(
		'is filled, and searched, as the editor does it',
		async () => {
			const { id, name } = stage.credential;
			const list = async (filter?: string): Promise<Array<{ name: string; value: string }>> => {
				const { results } = await stage.host.rest.post(
					'/dynamic-node-parameters/resource-locator-results',
					{
						nodeTypeAndVersion: {
							name: 'n8n-nodes-workspace-automation.workspaceAutomation',
							version: 1,
						},
						path: 'parameters.projectId',
						methodName: 'getProjects',
						currentNodeParameters: { resource: 'file', operation: 'getAll' },
						credentials: { workspaceAutomationApi: { id, name } },
						filter,
					},
				);
				return results;
			};
			expect((await list())[0]).toMatchObject({ name: seed.projects[0].name, value: projectId });
			const word = seed.projects.at(-1).name;
			expect(await list(word.toUpperCase())).toMatchObject([
				{ name: word, value: seed.projects.at(-1).id },
			]);
		},
		TEST_TIMEOUT_MS,
	);
});
