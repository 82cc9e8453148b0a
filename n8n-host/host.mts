// The real n8n, for one demo or one test run: a throwaway user folder, free ports, the package in its place, an owner logged in.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hostEnvironment, hostUrl, type HostPorts } from './environment.mts';
import { listRetries, waitForExecution, type Execution, type WaitOptions } from './executions.mts';
import { startGuarded, type Guarded } from './guarded.mts';
import { copyHome, isNewHome, keepHome } from './home.mts';
import type { Log } from './pinned.mts';
import { freePort } from './ports.mts';
import { setUpAndLogin, waitUntilReady, type Login, type Rest } from './rest.mts';
import { hostFolder, hostVersion, type HostVersion } from './versions.mts';
import {
	startNode,
	withCredentials,
	type SavedCredential,
	type WorkflowFile,
} from './workflows.mts';
import { HANG_MS } from './hang.mts';

/** The owner of a new host, with a password that nobody can guess: other users of the machine reach its ports, too. */
const newLogin = (): Login => ({
	email: 'demo@workspace-automation.example',
	// n8n wants a capital letter and a digit in it.
	password: `Demo-1-${randomBytes(12).toString('base64url')}`,
});

/** Loaded into n8n before its own code */
const preload = (file: string) => ['--import', fileURLToPath(new URL(file, import.meta.url))];

export interface HostOptions {
	/**
	 * The package as published (see tools/package.mts). It is copied: the folder is not needed after the start. Left out where the user
	 * folder has the package already.
	 */
	packageDir?: string;
	/** Which n8n; see versions.mts for what holds where nobody says */
	version?: HostVersion;
	ports?: HostPorts;
	/** Folder of n8n's data. It's kept at the end, so that another host can continue with it. By default, a folder for this run alone. */
	userFolder?: string;
	/** The owner; that of a user folder that another host has set up */
	login?: Login;
	/** Further environment for n8n */
	env?: NodeJS.ProcessEnv;
	/** Factor by which this n8n resumes paused executions faster */
	waitsFaster?: number;
	/** Factor by which this n8n's clock runs faster, and its start */
	clock?: { faster: number; origin: number };
	/** True if this n8n takes its time for the recovery at its start */
	recoversSlowly?: boolean;
	/** n8n's own output, line by line */
	log?: Log;
}

export interface Host {
	/** URL of the editor */
	url: string;
	login: Login;
	rest: Rest;
	/** The end of n8n's output */
	tail(): string;
	importCredential(credential: {
		name: string;
		type: string;
		data: Record<string, unknown>;
	}): Promise<SavedCredential>;
	/** Returns the id. Credentials are found by name among those imported before. */
	importWorkflow(workflow: WorkflowFile): Promise<string>;
	workflowUrl(workflowId: string): string;
	/** Starts it by hand, from its trigger, and returns the execution's id. */
	run(workflowId: string): Promise<string>;
	/** Starts the rest of it by hand, up to this node: what nodes before it have returned already is not asked for again. Returns the execution's id. */
	goOn(workflowId: string, runData: object, to: string): Promise<string>;
	waitForExecution(executionId: string, options?: WaitOptions): Promise<Execution>;
	/** As the editor's Stop button does */
	stop(executionId: string): Promise<void>;
	/** Retries a failed execution, as its workflow was or as it's saved now. n8n answers when the retry has ended or is paused; returns the new execution's id. */
	retry(executionId: string, withSavedWorkflow?: boolean): Promise<string>;
	/** Makes it live. Its production webhooks answer a few seconds later. */
	activate(workflowId: string): Promise<void>;
	deactivate(workflowId: string): Promise<void>;
	/** Ends what was started here: n8n and everything it started, with its folder unless it was given one; in a shared n8n, the executions. */
	close(): Promise<void>;
}

/** An n8n that nobody shares */
export interface OwnHost extends Host {
	/** Resolves if n8n ends on its own */
	exited: Promise<number>;
	/** Ends n8n as kill -9 does: it can save nothing more. */
	kill(): Promise<void>;
}

/** Address of an n8n that's already running */
export interface HostAddress {
	url: string;
	login: Login;
}

/** Starts n8n with the package in it. Needs `ensureHost` to have been called. */
export async function startHost(options: HostOptions): Promise<OwnHost> {
	const ports = options.ports ?? (await freeHostPorts());
	const url = hostUrl(ports);
	const login = options.login ?? newLogin();
	const { version = hostVersion(), userFolder = newUserFolder() } = options;
	// Another kind of database isn't in the folder.
	const isNew = isNewHome(userFolder) && !options.env?.DB_TYPE;
	if (isNew) copyHome(version, userFolder);
	const n8n = startN8n(['start'], ports, options, userFolder);
	const givenUp = new AbortController();
	try {
		await Promise.race([waitUntilReady(url, HANG_MS, givenUp.signal), failOnExit(n8n.exited)]);
		if (isNew) keepHome(version, userFolder);
		const rest = await setUpAndLogin(url, login);
		return {
			url,
			login,
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

/** An n8n that runs already, shared with others: what is imported and run here is kept apart from theirs. */
export async function connectHost({ url, login }: HostAddress, tail: () => string): Promise<Host> {
	const rest = await setUpAndLogin(url, login);
	const own = actions(url, rest);
	const started: string[] = [];
	return {
		url,
		login,
		rest,
		tail,
		...own,
		async run(workflowId) {
			const executionId = await own.run(workflowId);
			started.push(executionId);
			return executionId;
		},
		async close() {
			// Most have ended, which n8n answers with an error.
			await Promise.allSettled(started.map(own.stop));
		},
	};
}

const newUserFolder = (): string => mkdtempSync(join(tmpdir(), 'n8n-host-'));

/** The program itself, to be run with Node */
const n8nFile = (version: HostVersion = hostVersion()): string =>
	join(hostFolder(version), 'node_modules', 'n8n', 'bin', 'n8n');

/** Starts one n8n process with the package in it: `['start']`, or what else n8n's command line knows. */
export function startN8n(
	command: string[],
	ports: HostPorts,
	options: HostOptions,
	userFolder = options.userFolder ?? newUserFolder(),
): Guarded {
	const { packageDir, waitsFaster, clock, recoversSlowly, version = hostVersion() } = options;
	if (packageDir) cpSync(packageDir, packagePlace(packageDir, userFolder), { recursive: true });
	const preloads = [
		...preload('loopbackOnly.mts'),
		...(waitsFaster ? preload('hurriedWaits.mts') : []),
		...(clock ? preload('hurriedClock.mts') : []),
		...(clock && !waitsFaster && version === '1.123' ? preload('resumesOnce.mts') : []),
		...(recoversSlowly ? preload('slowRecovery.mts') : []),
	];
	const node = [...preloads, n8nFile(version)];
	const env = {
		...options.env,
		...(waitsFaster && { WAITS_FASTER: String(waitsFaster) }),
		...(clock && { CLOCK_FASTER: String(clock.faster), CLOCK_ORIGIN: String(clock.origin) }),
	};
	return startGuarded(process.execPath, [...node, ...command], {
		cwd: userFolder,
		env: hostEnvironment(userFolder, ports, env, version),
		removeAtEnd: options.userFolder ? undefined : userFolder,
		onLine: options.log,
	});
}

export async function freeHostPorts(): Promise<HostPorts> {
	return { editor: await freePort(), broker: await freePort() };
}

/** Place of a community package in a user folder */
export function packagePlace(packageDir: string, userFolder: string): string {
	const { name } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'));
	return join(userFolder, '.n8n', 'nodes', 'node_modules', name);
}

async function failOnExit(exited: Promise<number>): Promise<never> {
	throw new Error(`it ended with exit code ${await exited}`);
}

/** n8n's message if it couldn't finish its check of the nodes */
const NOT_CHECKED = ['Error validating node parameters', 'Regular expression execution timed out'];

/**
 * Publishes or starts a workflow, and again where n8n could not finish its check of the nodes. n8n 2 gives each regular expression of the
 * check 250 ms by the clock; on a busy machine they can be over before it has begun. Nothing has been published or started then.
 */
async function untilChecked<T>(work: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await work();
		} catch (error) {
			const { message } = error as Error;
			if (!NOT_CHECKED.some((text) => message.includes(text))) throw error;
		}
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
			const file = {
				name,
				nodes,
				connections,
				settings,
				// As the editor saves it: n8n continues with a part of a workflow only where there is one.
				pinData: {},
				active: false,
			};
			const { id } = await rest.post('/workflows', file);
			return id as string;
		},

		workflowUrl: (workflowId: string) => `${url}/workflow/${workflowId}`,

		async run(workflowId: string) {
			const workflowData = await rest.get(`/workflows/${workflowId}`);
			// 1.x runs what it is sent here, 2.x what it has saved under the id: the same.
			const body = { workflowData, triggerToStartFrom: { name: startNode(workflowData.nodes) } };
			const run = async () => await rest.post(`/workflows/${workflowId}/run`, body);
			const { executionId } = await untilChecked(run);
			return executionId as string;
		},

		async goOn(workflowId: string, runData: object, to: string) {
			const workflowData = await rest.get(`/workflows/${workflowId}`);
			const destinationNode = { nodeName: to, mode: 'inclusive' };
			const body = { workflowData, runData, destinationNode, dirtyNodeNames: [] };
			const run = async () => await rest.post(`/workflows/${workflowId}/run`, body);
			const { executionId } = await untilChecked(run);
			return executionId as string;
		},

		waitForExecution: (executionId: string, wait?: WaitOptions) =>
			waitForExecution(rest, executionId, wait),

		async stop(executionId: string) {
			await rest.post(`/executions/${executionId}/stop`);
		},

		async retry(executionId: string, withSavedWorkflow = false) {
			const body = { loadWorkflow: withSavedWorkflow };
			const { workflowId } = await rest.get(`/executions/${executionId}`);
			const before = await listRetries(rest, workflowId, executionId);
			const answered = rest.post(`/executions/${executionId}/retry`, body);
			answered.catch(() => undefined);
			// n8n 1 never answers if the retry pauses, and is resumed before n8n has noted the pause.
			const isAnswered = async () => await Promise.race([answered, sleep(1_000)]);
			for (;;) {
				const answer = (await isAnswered()) as { id: string } | undefined;
				if (answer) return answer.id;
				const after = await listRetries(rest, workflowId, executionId);
				const found = after.find(({ id }) => before.every((each) => each.id !== id));
				if (found) return found.id;
			}
		},

		async activate(workflowId: string) {
			const { versionId } = await rest.get(`/workflows/${workflowId}`);
			const post = async () => await rest.post(`/workflows/${workflowId}/activate`, { versionId });
			await untilChecked(post);
		},

		async deactivate(workflowId: string) {
			await rest.post(`/workflows/${workflowId}/deactivate`);
		},
	};
}
