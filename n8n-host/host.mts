// The real n8n, for one demo or one test run: a throwaway user folder, free ports, the package in its place, an owner logged in.
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hostEnvironment, hostUrl, type HostPorts } from './environment.mts';
import { waitForExecution, type Execution, type WaitOptions } from './executions.mts';
import { startGuarded, type Guarded } from './guarded.mts';
import type { Log } from './install.mts';
import { freePorts } from './ports.mts';
import { setUpAndLogIn, waitUntilReady, type Login, type Rest } from './rest.mts';
import { hostFolder, hostVersion, type HostVersion } from './versions.mts';
import {
	startNode,
	withCredentials,
	type SavedCredential,
	type WorkflowFile,
} from './workflows.mts';

/** The owner of every host. No secret: the host listens on loopback only and is thrown away afterwards. */
export const demoLogin: Login = {
	email: 'demo@workspace-automation.example',
	password: 'Demo-password-1',
};

const START_TIMEOUT_MS = 180_000;

export interface HostOptions {
	/** The package as published (see tools/package.mts). It is copied: the folder is not needed after the start. */
	packageDir: string;
	/** Which n8n; see versions.mts for what holds where nobody says */
	version?: HostVersion;
	ports?: HostPorts;
	/** Where n8n keeps its data: kept at the end, so that another host can go on with it. A folder for this run alone by default. */
	userFolder?: string;
	/** Further environment for n8n */
	env?: NodeJS.ProcessEnv;
	/** n8n's own output, line by line */
	log?: Log;
}

export interface Host {
	/** Where the editor is */
	url: string;
	login: Login;
	rest: Rest;
	/** Resolves if n8n ends on its own */
	exited: Promise<number>;
	/** The end of n8n's output */
	tail(): string;
	importCredential(credential: {
		name: string;
		type: string;
		data: Record<string, unknown>;
	}): Promise<SavedCredential>;
	/** Gives the id. Credentials are found by name among those imported before. */
	importWorkflow(workflow: WorkflowFile): Promise<string>;
	workflowUrl(workflowId: string): string;
	/** Starts it by hand, from its trigger, and gives the execution's id. */
	run(workflowId: string): Promise<string>;
	waitForExecution(executionId: string, options?: WaitOptions): Promise<Execution>;
	/** As the editor's Stop button does */
	stop(executionId: string): Promise<void>;
	/** Retries a failed execution. n8n answers when the retry has ended; gives the new execution's id. */
	retry(executionId: string): Promise<string>;
	/** Makes it live. Its production webhooks answer a few seconds later. */
	activate(workflowId: string): Promise<void>;
	deactivate(workflowId: string): Promise<void>;
	/** Ends n8n with everything it started, and removes its folder unless it was given one. */
	close(): Promise<void>;
	/** The same as kill -9 does it: n8n can save nothing more. */
	kill(): Promise<void>;
}

/** Starts n8n with the package in it. Needs `ensureHost` to have been called. */
export async function startHost(options: HostOptions): Promise<Host> {
	const ports = options.ports ?? (await freeHostPorts());
	const url = hostUrl(ports);
	const n8n = startN8n(['start'], ports, options);
	const givenUp = new AbortController();
	try {
		await Promise.race([
			waitUntilReady(url, START_TIMEOUT_MS, givenUp.signal),
			failOnExit(n8n.exited),
		]);
		const rest = await setUpAndLogIn(url, demoLogin);
		return {
			url,
			login: demoLogin,
			rest,
			exited: n8n.exited,
			tail: n8n.tail,
			close: n8n.stop,
			kill: n8n.kill,
			...actions(url, rest),
		};
	} catch (error) {
		givenUp.abort();
		await n8n.stop();
		throw new Error(`n8n did not start: ${(error as Error).message}\n${n8n.tail()}`, {
			cause: error,
		});
	}
}

/** The program itself, to be run with Node */
const n8nFile = (version: HostVersion = hostVersion()): string =>
	join(hostFolder(version), 'node_modules', 'n8n', 'bin', 'n8n');

/** Starts one n8n process with the package in it: `['start']`, or what else n8n's command line knows. */
export function startN8n(command: string[], ports: HostPorts, options: HostOptions): Guarded {
	const userFolder = options.userFolder ?? mkdtempSync(join(tmpdir(), 'n8n-host-'));
	placePackage(options.packageDir, userFolder);
	return startGuarded(process.execPath, [n8nFile(options.version), ...command], {
		cwd: userFolder,
		env: hostEnvironment(userFolder, ports, options.env, options.version),
		removeAtEnd: options.userFolder ? undefined : userFolder,
		onLine: options.log,
	});
}

export async function freeHostPorts(): Promise<HostPorts> {
	const [editor, broker] = await freePorts(2);
	return { editor, broker };
}

/** n8n loads community packages from here. */
function placePackage(packageDir: string, userFolder: string): void {
	const { name } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'));
	cpSync(packageDir, join(userFolder, '.n8n', 'nodes', 'node_modules', name), { recursive: true });
}

async function failOnExit(exited: Promise<number>): Promise<never> {
	throw new Error(`it ended with exit code ${await exited}`);
}

/**
 * Publishes, and again where n8n could not finish its check of the nodes. n8n 2 gives each regular expression of the check 250 ms by the clock; on a
 * busy machine they can be over before it has begun, and then n8n says that it could not check a node, not that it found something.
 */
async function untilChecked(publish: () => Promise<unknown>): Promise<void> {
	for (;;) {
		const refusal = await publish().then(
			() => undefined,
			(error: Error) => error,
		);
		if (refusal === undefined) return;
		if (!refusal.message.includes('Error validating node parameters')) throw refusal;
		await sleep(250);
	}
}

function actions(url: string, rest: Rest) {
	const credentials: SavedCredential[] = [];
	return {
		async importCredential(credential: {
			name: string;
			type: string;
			data: Record<string, unknown>;
		}) {
			const { id } = await rest.post('/credentials', credential);
			const saved = { id, name: credential.name, type: credential.type };
			credentials.push(saved);
			return saved;
		},

		async importWorkflow(workflow: WorkflowFile) {
			const { name, nodes, connections, settings = {} } = withCredentials(workflow, credentials);
			// 2.x knows that a new workflow is not active; 1.x wants to be told.
			const { id } = await rest.post('/workflows', {
				name,
				nodes,
				connections,
				settings,
				active: false,
			});
			return id as string;
		},

		workflowUrl: (workflowId: string) => `${url}/workflow/${workflowId}`,

		async run(workflowId: string) {
			const workflowData = await rest.get(`/workflows/${workflowId}`);
			// 1.x runs what it is sent here, 2.x what it has saved under the id: the same.
			const { executionId } = await rest.post(`/workflows/${workflowId}/run`, {
				workflowData,
				triggerToStartFrom: { name: startNode(workflowData.nodes) },
			});
			return executionId as string;
		},

		waitForExecution: (executionId: string, wait?: WaitOptions) =>
			waitForExecution(rest, executionId, wait),

		async stop(executionId: string) {
			await rest.post(`/executions/${executionId}/stop`);
		},

		async retry(executionId: string) {
			const { id } = await rest.post(`/executions/${executionId}/retry`, { loadWorkflow: false });
			return id as string;
		},

		async activate(workflowId: string) {
			const { versionId } = await rest.get(`/workflows/${workflowId}`);
			await untilChecked(
				async () => await rest.post(`/workflows/${workflowId}/activate`, { versionId }),
			);
		},

		async deactivate(workflowId: string) {
			await rest.post(`/workflows/${workflowId}/deactivate`);
		},
	};
}
