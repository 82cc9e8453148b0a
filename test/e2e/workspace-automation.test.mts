// The Workspace Automation node as it would be published, in the real n8n, against the local mock service.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { SeedView } from '../../local-service/control/views.mts';
import {
	agentSession,
	byId,
	callApi,
	chain,
	editFields,
	itemsOn,
	manualTrigger,
	node,
	play,
	projectId,
	requestCount,
	requestsSince,
	useStage,
	workspaceAutomation as step,
} from './support.mts';

const stage = useStage();

/** Data of the service at the start */
let seed: SeedView;

beforeAll(async () => {
	await stage.service.control.setSpeed(20);
	seed = await stage.service.control.seed();
});

/** The bytes of a file, however the service hands them out */
async function readContent(fileId: string): Promise<Buffer> {
	const { text, url } = await callApi(stage, 'GET', `/files/${fileId}/content`);
	return url === undefined
		? Buffer.from(text)
		: Buffer.from(await (await fetch(url)).arrayBuffer());
}

test('n8n has the version that these tests need', async () => {
	const { versionCli } = await stage.host.rest.get('/settings');
	expect(versionCli).toMatch(new RegExp(`^${process.env.N8N_HOST}[.]`));
});

describe('a workflow of many operations', () => {
	test('passes each item from one node to the next', async () => {
		const before = await requestCount(stage);
		const projects: Array<{ id: string; name: string }> = seed.projects.slice(0, 2);
		// Values that can't be listed are in a table: the site and the task that go with a project.
		const sites = Object.fromEntries(
			projects.map(({ id }) => [id, seed.sites.find((site) => site.projectId === id)!.id]),
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
		expect(itemsOn(execution, 'completed')).toMatchObject(
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
			expect(await callApi(stage, 'GET', `/files/${folder.id}`)).toMatchObject({
				name: `Notes on ${name}`,
				kind: 'folder',
			});
			expect(await callApi(stage, 'GET', `/files/${notes[index].id}`)).toMatchObject({
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
		const writes = (await requestsSince(stage, before))
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
	});
});

describe('files', () => {
	test('are read from n8n as binary data, and returned as the same bytes', async () => {
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
				expect((await callApi(stage, 'GET', `/files/${id}`)).name).toBe(as);
				expect((await readContent(id)).toString('base64')).toBe(data);
			}
		}
	});
});

describe('an error', () => {
	test('names the event, the possible causes, and a link', async () => {
		const unknown = '00000000-0000-4000-8000-000000000000';
		const execution = await play(
			stage,
			chain('Unknown task', [manualTrigger(), step('Task', 'task.get', { taskId: byId(unknown) })]),
		);

		expect(execution.status).toBe('error');
		expect(execution.lastNodeExecuted).toBe('Task');
		const docUrl = expect.stringMatching(/^https:\/\/.*not_found/);
		expect(execution.error).toMatchObject({
			name: 'NodeApiError',
			message: "The resource wasn't found",
			httpCode: '404',
			context: { code: 'not_found', docUrl },
		});
		// A mistyped ID, or a key that may not: the service answers the same.
		expect(execution.error!.description).toMatch(
			/^Check the ID\..*key's scopes.*creator's access to the project.*More: https:\/\/\S+not_found$/,
		);
	});

	test.each([
		['the error output', 'continueErrorOutput', 1],
		['the output of what went well', 'continueRegularOutput', 0],
	])('uses %s if On Error says so, item by item', async (_, onError, output) => {
		const [first, , third] = seed.tasks.map(({ id }) => id);
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
		expect(failed).toMatchObject([{ error: "The resource wasn't found" }]);
		const found = execution.items('Task').filter(({ error }) => error === undefined);
		expect(found.map(({ id }) => id)).toEqual([first, third]);
		expect(
			execution.runData['Task'][0].data!.main[0]!.map(({ pairedItem }) => pairedItem),
		).toMatchObject(
			(onError === 'continueErrorOutput' ? [0, 2] : [0, 1, 2]).map((item) => ({ item })),
		);
	});
});

describe('the list of projects in the panel', () => {
	test('is filled and searched like in the editor', async () => {
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
		const word = seed.projects.at(-1)!.name;
		expect(await list(word.toUpperCase())).toMatchObject([
			{ name: word, value: seed.projects.at(-1)!.id },
		]);
	});
});
