// Every name that the API document leaves open can be corrected in the credential, and then the corrected one is sent.
import { expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { ASSUMED_NAMES } from '../../nodes/shared/wireNames.ts';
import { run } from './engine.mts';
import { useService } from './service.mts';

const service = useService();
const rl = (value: unknown) => ({ __rl: true, mode: 'id', value });
const ID = '123e4567-e89b-12d3-a456-426614174000';
const binary = [
	{
		data: { data: Buffer.from('x').toString('base64'), mimeType: 'text/plain', fileName: 'a.txt' },
	},
];

type Key = keyof typeof ASSUMED_NAMES;
type Place = (request: { query: any; body: any }) => unknown;

/** An operation that sends the name, and where it stands in the request. */
const walk: Record<Key, [operation: string, parameters: IDataObject, holder: Place]> = {
	cursor: ['project.getAll', { returnAll: true }, ({ query }) => query],
	limit: ['project.getAll', { limit: 1 }, ({ query }) => query],
	sessionProject: ['agentSession.create', { projectId: rl(ID), prompt: 'x' }, ({ body }) => body],
	sessionPrompt: ['agentSession.create', { projectId: rl(ID), prompt: 'x' }, ({ body }) => body],
	messageText: ['agentSession.sendMessage', { sessionId: '', message: 'x' }, ({ body }) => body],
	decision: [
		'agentSession.resolveInteraction',
		{ sessionId: ID, interactionId: 'i', decision: 'option', optionValue: 'x' },
		({ body }) => body,
	],
	filesProject: ['file.getAll', { projectId: rl(ID) }, ({ query }) => query],
	filesParent: [
		'file.getAll',
		{ projectId: rl(ID), filters: { parentId: rl(ID) } },
		({ query }) => query,
	],
	base64Data: [
		'file.create',
		{ projectId: rl(ID), name: 'a', contentSource: 'binary', binaryPropertyName: 'data' },
		({ body }) => body.source,
	],
	base64ContentType: [
		'file.create',
		{ projectId: rl(ID), name: 'a', contentSource: 'binary', binaryPropertyName: 'data' },
		({ body }) => body.source,
	],
	assetId: [
		'file.create',
		{ projectId: rl(ID), name: 'a', contentSource: 'asset', assetId: ID },
		({ body }) => body.source,
	],
	domainsSite: ['customDomain.getAll', { siteId: ID }, ({ query }) => query],
	productsProject: ['product.getAll', { projectId: rl(ID) }, ({ query }) => query],
};

test.each(Object.keys(ASSUMED_NAMES) as Key[])(
	'%s',
	async (key) => {
		const [name, given, holder] = walk[key];
		const [resource, operation] = name.split('.');
		// A message is sent to a session that can be looked at.
		const started =
			key === 'messageText'
				? await service.call('POST', '/agent/sessions', {
						projectId: service.projectId,
						prompt: '[say x]',
					})
				: undefined;
		const parameters = {
			resource,
			operation,
			...given,
			...(started && { sessionId: started.sessionId }),
		};
		const sentWith = async (fieldNames: IDataObject) => {
			await service.control('DELETE', '/requests');
			await run({
				node: 'workspaceAutomation',
				parameters,
				binary,
				credentials: { ...service.credentials, fieldNames: JSON.stringify(fieldNames) },
			});
			return (await service.requests())
				.map((request) => holder(request) as IDataObject | undefined)
				.filter(Boolean);
		};

		const usual = await sentWith({});
		expect(usual.some((place) => ASSUMED_NAMES[key] in place!)).toBe(true);
		const corrected = await sentWith({ [key]: 'x_corrected' });
		expect(corrected.some((place) => 'x_corrected' in place!)).toBe(true);
		expect(corrected.some((place) => ASSUMED_NAMES[key] in place!)).toBe(false);
	},
	30_000,
);
