// The Workspace Automation node as it would be published, in the real n8n, against the local mock service.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { SeedView } from '../../local-service/control/views.mts';
import {
	byId,
	callApi,
	chain,
	editFields,
	manualTrigger,
	node,
	play,
	projectId,
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
