// Every operation of the Workspace Automation node, once, in the real n8n.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { SeedView } from '../../local-service/control/views.mts';
import { declared, withIds } from '../support/endpoints.mts';
import type { WorkflowNode } from '../../n8n-host/workflows.mts';
import {
	byId,
	chain,
	manualTrigger,
	node,
	play,
	projectId,
	requestCount,
	requestsSince,
	testWith,
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

interface Play {
	parameters: object;
	/** The items that have to come of it */
	gives: object[];
	/** Operation that has to run right before it */
	first?: WorkflowNode[];
}

const of = (operation: string, field: string) => `={{ $('${operation}').item.json.${field} }}`;

/** Every operation with what it is given. Those of a resource run in this order, in one workflow, each once. */
function plays(): Record<string, Play> {
	const ofProject = (one: { projectId: string }) => one.projectId === projectId;
	const site = seed.sites.find(ofProject)!;
	const folder = seed.folders.find(ofProject)!;
	const project = byId(projectId);
	const sessionId = of('agentSession.create', 'sessionId');
	const fileId = byId(of('file.create', 'id'));
	return {
		'project.getAll': {
			parameters: { limit: 3 },
			gives: seed.projects.slice(0, 3).map(({ id, name }) => ({ id, name })),
		},

		'task.getAll': {
			parameters: { returnAll: true },
			gives: seed.tasks.map(({ id }) => ({ object: 'task', id })),
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
			gives: seed.domains.slice(0, 2).map(({ id, domain }) => ({ id, domain })),
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
	const resources = [...new Set(declared.map(({ resource }) => resource))];

	const runsAll = (resource: string) => async (): Promise<void> => {
		const wanted = declared.filter((operation) => operation.resource === resource);
		const told = Object.entries(plays()).filter(([name]) => name.startsWith(`${resource}.`));
		// The local mock service answers with the contract's example if nobody has written the operation yet.
		const others = wanted.filter(({ name }) => !told.some(([other]) => other === name));
		const own: Array<[string, Play]> = [
			...told,
			...others.map(({ name }): [string, Play] => [
				name,
				{ parameters: withIds(name), gives: [{}] },
			]),
		];

		const before = await requestCount(stage);
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
		const served = (await requestsSince(stage, before))
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
		testOf(`of ${resource} runs`, runsAll(resource));
	}
});
