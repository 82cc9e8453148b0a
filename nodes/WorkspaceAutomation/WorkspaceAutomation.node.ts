import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { toWords, toTitle } from '../shared/values';
import { collection, field, showFor, toProperties, type Field } from '../shared/n8n/fields';
import { loadCode } from '../shared/errors';
import { maxConcurrentRequests, listSearch } from '../shared/n8n/commonFields';
import { CREDENTIAL } from '../shared/client/apiTypes';
import { ROUTES } from '../shared/client/routes';
import type { Operation } from '../shared/n8n/sendOperation';
import { agentSession } from './resources/agentSession';
import { analytics, analyticsOptions, bareState } from './resources/analytics';
import { customDomain } from './resources/customDomain';
import { file } from './resources/file';
import { product } from './resources/product';
import { project } from './resources/project';
import { sharedPreview } from './resources/sharedPreview';
import { task } from './resources/task';

const RESOURCES = {
	agentSession,
	analytics,
	customDomain,
	file,
	product,
	project,
	sharedPreview,
	task,
};

/** Returns the `pagination` function of an operation. It replaces n8n's own sending, so that our client sends every request. */
const sendRouted = (operation: Operation) =>
	async function (
		this: IExecutePaginationFunctions,
		settings: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const { sendOperation } = await loadCode(
			async () => await import('../shared/n8n/sendOperation.ts'),
		);
		return await sendOperation.call(this, operation, settings);
	};

/** Creates a resource's fields. The keys of `operations` are stored in workflows. A new node lists or, without a list, creates. */
function createPanel(resource: string, operations: Record<string, Operation>): Field[] {
	const values = Object.keys(operations);
	const first = ['getAll', 'create'].find((value) => values.includes(value)) ?? values[0];
	const entries = Object.entries(operations).map(([value, operation]) => {
		const isList = value === 'getAll';
		const { method, path } = ROUTES[operation.request];
		const name = isList ? 'Get Many' : toTitle(value);
		const action = `${name[0]}${name.slice(1).toLowerCase()} ${toWords(resource)}${isList ? 's' : ''}`;
		return {
			name,
			value,
			action: operation.action ?? action,
			description: operation.description,
			// The document's request. Overrides may change it, so our pagination function sends it.
			routing: {
				request: { method, url: path },
				operations: { pagination: sendRouted(operation) },
				send: { paginate: true },
			},
		};
	});
	const fields = Object.entries(operations).flatMap(([operation, { fields: all }]) =>
		showFor({ resource: [resource], operation: [operation] }, ...all),
	);
	return [
		field('Operation', 'operation', 'options', first, {
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			options: entries.sort((a, b) => (a.name < b.name ? -1 : 1)),
		}),
		...fields,
	];
}

export class WorkspaceAutomation implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workspace Automation',
		name: 'workspaceAutomation',
		icon: { light: 'file:workspaceAutomation.svg', dark: 'file:workspaceAutomation.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		// The same as the trigger's, which n8n's nodes panel shows for both
		description:
			'Work with projects, sessions, tasks, files, domains, analytics and products, or start a workflow when they change',
		defaults: { name: 'Workspace Automation' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		hints: [bareState],
		requestDefaults: { baseURL: '={{ $credentials.baseUrl }}' },
		properties: toProperties([
			field('Resource', 'resource', 'options', 'project', {
				noDataExpression: true,
				options: Object.keys(RESOURCES).map((value) => ({ name: toTitle(value), value })),
			}),
			...Object.entries(RESOURCES).flatMap(([value, operations]) => createPanel(value, operations)),
			collection('Options', 'options', 'Add Option', [maxConcurrentRequests, ...analyticsOptions]),
		]),
	};

	methods = { listSearch };
}
