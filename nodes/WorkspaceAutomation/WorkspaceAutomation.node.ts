import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { titleOf } from '../shared/base/values';
import { CREDENTIAL } from '../shared/transport/credential';
import {
	getCustomDomains,
	getFiles,
	getFolders,
	getProducts,
	getProjects,
	getTasks,
} from '../shared/n8n/listSearch';
import { panelOf } from './panel';
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

export class WorkspaceAutomation implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workspace Automation',
		name: 'workspaceAutomation',
		icon: { light: 'file:workspaceAutomation.svg', dark: 'file:workspaceAutomation.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Work with projects, agent sessions, tasks, files, custom domains, shared previews, analytics and products',
		defaults: { name: 'Workspace Automation' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		hints: [bareState],
		requestDefaults: { baseURL: '={{ $credentials.baseUrl }}' },
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: Object.keys(RESOURCES).map((value) => ({ name: titleOf(value), value })),
				default: 'project',
			},
			...Object.entries(RESOURCES).flatMap(([value, operations]) => panelOf(value, operations)),
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add Option',
				default: {},
				options: [
					{
						displayName: 'Max Concurrent Requests',
						name: 'maxConcurrentRequests',
						type: 'number',
						typeOptions: { minValue: 1, numberPrecision: 0 },
						default: 5,
						description:
							'How many requests may be under way at the same time; a rate limit slows all of them',
					},
					...analyticsOptions,
				],
			},
		],
	};

	methods = {
		listSearch: { getProjects, getTasks, getFiles, getFolders, getCustomDomains, getProducts },
	};
}
