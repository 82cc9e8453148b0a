// The built package in n8n-core's own WorkflowExecute: real nodes, real HTTP, no server and no database. It is what the demo shows first,
// and what the engine tests and the benchmarks run.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeType,
	IRun,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';
import '../tools/packageSources.mts';
import { PACKAGE, startNode, type WorkflowFile } from './workflows.mts';

const PACKAGE_ROOT = new URL('../package.json', import.meta.url);
/** `N8N_CORE` names a version whose host is installed. Without it, it's the one that the package is built for. */
const { N8N_CORE: version } = process.env;
const coreRoot = version ? new URL(`${version}/package.json`, import.meta.url) : PACKAGE_ROOT;

// n8n-core reads its settings when it is loaded. Its log is nobody's business here, and the key that it makes for itself does not belong into someone's home.
const folder = mkdtempSync(join(tmpdir(), 'n8n-core-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.env.N8N_USER_FOLDER = folder;
process.env.N8N_LOG_LEVEL ??= 'silent';
const require = createRequire(PACKAGE_ROOT);
const requireOfCore = createRequire(coreRoot);

/** n8n-core, as the package is built for it */
export const core = requireOfCore('n8n-core') as typeof import('n8n-core');
/** Required, because n8n-core does so too: what is imported is another instance. */
export const n8nWorkflow = requireOfCore('n8n-workflow') as typeof import('n8n-workflow');
const { NodeHelpers, ICredentialsHelper, setSafeRegexEngine } = n8nWorkflow;

// n8n-core may have other versions of packages than those beside it.
const paths = [requireOfCore.resolve('n8n-core')];
export const ofCore = (name: string) => require(require.resolve(name, { paths }));
/** The log that nodes write to */
export const logger = (): Record<
	'error' | 'warn' | 'info' | 'debug',
	(...line: unknown[]) => void
> => ofCore('@n8n/di').Container.get(ofCore('@n8n/backend-common').Logger);

/** n8n's protection against requests into its own network, which an administrator turns on */
export const ssrfProtection = (): { enabled: boolean } =>
	ofCore('@n8n/di').Container.get(ofCore('@n8n/config').SsrfProtectionConfig);

// n8n 2 gives each regular expression of its checks 250 ms by the clock, which a busy machine takes away.
setSafeRegexEngine?.({
	exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
	test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
	replace: (pattern, input, flags, replacement) =>
		input.replace(new RegExp(pattern, flags), replacement),
	matchAll: (pattern, input, flags = '') => [
		...input.matchAll(new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`)),
	],
	split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
});

/** The exported class of a built file, which is named like the file. */
function load<T>(file: string): T {
	const name = file.split('/').pop()!.split('.')[0];
	const exported = require(`./${file}`) as Record<string, new () => T>;
	return new exported[name]();
}

export interface BuiltPackage {
	/** By the node's type */
	nodes: Record<string, INodeType>;
	credential: {
		authenticate(credentials: object, options: IHttpRequestOptions): Promise<IHttpRequestOptions>;
	};
}

let loaded: BuiltPackage | undefined;
let isGiven = false;

/** Makes n8n-core use this instance of the package. */
export function usePackage(given: BuiltPackage): void {
	loaded = given;
	isGiven = true;
}

/** The built package, loaded once, and again if a test has removed it from the cache. n8n-core can be loaded while it is still being built. */
export function builtPackage(): BuiltPackage {
	if (isGiven) return loaded!;
	const { n8n } = require('./package.json') as { n8n: { nodes: string[]; credentials: string[] } };
	// What a node loads later would have other classes than the rest.
	if (loaded && require.resolve(`./${n8n.nodes[0]}`) in require.cache) return loaded;
	const nodes = n8n.nodes.map((file) => {
		const node = load<INodeType>(file);
		// n8n adds Request Options when it loads the node.
		core.DirectoryLoader.applyDeclarativeNodeOptionParameters(node);
		return [PACKAGE + node.description.name, node];
	});
	loaded = { nodes: Object.fromEntries(nodes), credential: load(n8n.credentials[0]) };
	return loaded;
}

export class Credentials extends ICredentialsHelper {
	private readonly data: ICredentialDataDecryptedObject;
	constructor(data: ICredentialDataDecryptedObject) {
		super();
		this.data = data;
	}
	getParentTypes() {
		return [];
	}
	isCredentialUsableByNode() {
		return true;
	}
	async authenticate(credentials: ICredentialDataDecryptedObject, _type: string, options: unknown) {
		return await builtPackage().credential.authenticate(
			credentials,
			options as IHttpRequestOptions,
		);
	}
	async preAuthentication() {
		return undefined;
	}
	async runPreAuthentication() {
		return undefined;
	}
	async getDecrypted() {
		return { ...this.data };
	}
	async getCredentials(): Promise<never> {
		throw new Error('not needed');
	}
	async updateCredentials() {}
	async updateCredentialsOauthTokenData() {}
	getCredentialsProperties() {
		return [];
	}
}

/** Returns a type of node beside those of the package. */
export const nodeType = (
	name: string,
	members: Partial<INodeType>,
	description: Partial<INodeType['description']> = {},
): INodeType => ({
	description: {
		displayName: name,
		name,
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
		...description,
	},
	...members,
});

/** Represents a trigger that someone clicks. */
const click = nodeType(
	'click',
	{ execute: async () => [[{ json: {} }]] },
	{ group: ['trigger'], inputs: [] },
);

interface Database {
	/** Of n8n's deduplication helper, each behind its node's ID */
	marks: Set<string>;
	/** True if the process was killed: nothing is written anymore */
	isDead(): boolean;
}

/** n8n's database, by workflow */
export const databases = new Map<string, Database>();
const everyWorkflow: Database = { marks: new Set(), isDead: () => false };

function recordMarks(names: string[], node: string, { id = '' }: { id?: string }): string[] {
	const { marks, isDead } = databases.get(id) ?? everyWorkflow;
	const seen = names.filter((name) => marks.has(`${node} ${name}`));
	if (!isDead()) for (const name of names) marks.add(`${node} ${name}`);
	return seen;
}

interface Place {
	workflow: { id?: string };
	node: { id: string };
}

type Given = [marks: string[], scope: unknown, place: Place, options: unknown];

/** n8n's deduplication helper, which a test may replace: n8n-core takes one only once */
export const deduplication = {
	async checkProcessedAndRecord(...[names, , { workflow, node }]: Given) {
		const processed = recordMarks(names, node.id, workflow);
		return { new: names.filter((name) => !processed.includes(name)), processed };
	},
	async removeProcessed(...[names, , { workflow, node }]: Given): Promise<void> {
		const { marks, isDead } = databases.get(workflow.id ?? '') ?? everyWorkflow;
		if (!isDead()) for (const name of names) marks.delete(`${node.id} ${name}`);
	},
	getProcessedDataCount: async (..._given: unknown[]) => 0,
};
await core.DataDeduplicationService.init(deduplication as never);

/** Represents n8n that runs an inline workflow with its Remove Duplicates node, in which a declarative node records marks. */
async function executeInline(
	{ code }: { code: { nodes: Array<{ id: string }> } },
	_additionalData: unknown,
	{ inputData, parentWorkflowId }: { inputData: IDataObject[]; parentWorkflowId: string },
) {
	const read = ({ json }: IDataObject) => (json as { mark: string }).mark;
	const names = inputData.map(read);
	const rows = code.nodes.slice(1);
	const seen = rows.flatMap(({ id }) => recordMarks(names, id, { id: parentWorkflowId }));
	return { executionId: 'inline', data: [inputData.filter((item) => !seen.includes(read(item)))] };
}

interface WorkflowData extends Pick<Workflow, 'id' | 'active' | 'settings'> {
	name?: string;
	nodes: unknown[];
	connections: unknown;
}

/** Returns n8n's object of a workflow. The engine changes the nodes that it gets, so they are copies. */
export const createWorkflow = (
	{ nodes, connections, ...data }: WorkflowData,
	getType: (name: string) => INodeType,
): Workflow =>
	new n8nWorkflow.Workflow({
		...data,
		nodes: structuredClone(nodes) as INode[],
		connections: connections as Workflow['connectionsBySourceNode'],
		nodeTypes: {
			getByName: getType,
			getByNameAndVersion: (type) => NodeHelpers.getVersionedNodeType(getType(type)),
			getKnownTypes: () => ({}),
		},
	});

const N8N_URL = 'https://n8n.test';
const URLS = ['restApiUrl', 'instanceBaseUrl', 'webhookBaseUrl', 'webhookTestBaseUrl'];

/** Returns what n8n gives an execution (workflow-execute-additional-data.js, getBase). */
export const createAdditionalData = (
	credentialsHelper: Credentials,
	more: object,
): IWorkflowExecuteAdditionalData =>
	({
		credentialsHelper,
		...Object.fromEntries(URLS.map((name) => [name, N8N_URL])),
		webhookWaitingBaseUrl: `${N8N_URL}/webhook-waiting`,
		formWaitingBaseUrl: `${N8N_URL}/form-waiting`,
		variables: {},
		setExecutionStatus() {},
		logAiEvent() {},
		...more,
	}) as unknown as IWorkflowExecuteAdditionalData;

/** A workflow and what n8n gives it to run with. Every node that is not of the package is `other`. */
export function prepareWorkflow(
	{ nodes, connections }: Pick<WorkflowFile, 'nodes' | 'connections'>,
	credentials: ICredentialDataDecryptedObject,
	other: INodeType = click,
): { workflow: Workflow; additionalData: IWorkflowExecuteAdditionalData } {
	const workflow = createWorkflow(
		{ id: 'test', active: false, nodes, connections, settings: {} },
		(type) => builtPackage().nodes[type.replace(/Tool$/, '')] ?? other,
	);
	const hooks = new core.ExecutionLifecycleHooks('manual', 'test', workflow as never);
	const additionalData = createAdditionalData(new Credentials(credentials), {
		hooks,
		executionId: 'test',
		executeWorkflow: executeInline,
	});
	return { workflow, additionalData };
}

/** Runs a workflow by hand, from its trigger to this node of the package. */
export async function runTo(
	file: WorkflowFile,
	node: string,
	credentials: ICredentialDataDecryptedObject,
): Promise<IRun> {
	const { workflow, additionalData } = prepareWorkflow(file, credentials);
	return await new core.WorkflowExecute(additionalData, 'manual').run({
		workflow,
		startNode: workflow.getNode(startNode(file.nodes))!,
		destinationNode: { nodeName: node, mode: 'inclusive' },
	});
}
