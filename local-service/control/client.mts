// The control API as functions, for tests and tools: `controlOver(controlUrl).seed()`.
import type { FastifyInstance } from 'fastify';
import type { ActiveFault, FaultRule } from '../faults.mts';
import type { RateSetting } from '../rate-limit.mts';
import type { RecordedRequest } from '../record.mts';
import type {
	DomainChange,
	FileChange,
	NewDomain,
	NewEvent,
	NewFile,
	NewProduct,
	NewProject,
	NewTask,
	ProductChange,
	ProjectChange,
	TaskChange,
} from './changes.mts';
import type { NewKey } from './control.mts';
import type {
	DomainView,
	FileView,
	ProductView,
	ProjectView,
	SeedView,
	SessionView,
	TaskView,
} from './views.mts';
import { http } from '../../tools/http.mts';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Sends a control request and returns the answer's status and body. */
type SendControl = (
	method: Method,
	path: string,
	body?: unknown,
) => Promise<{ status: number; body: unknown }>;

/** One kind of thing that can be changed by hand. What each takes is described in `changes.mts`. */
interface ChangeClient<New, Change, View> {
	add(given: New): Promise<View>;
	change(id: string | number, change: Change): Promise<View>;
	remove(id: string | number): Promise<void>;
}

/** The control API; the README says what each request does. Every function throws an Error when the service refuses. */
export interface ControlClient {
	/** Requests to the API, oldest first, after entry number `since` */
	requests(since?: number): Promise<RecordedRequest[]>;
	clearRequests(): Promise<void>;
	sessions(): Promise<SessionView[]>;
	seed(): Promise<SeedView>;
	/** @returns the token of a new key */
	createKey(key: NewKey): Promise<string>;
	reset(): Promise<void>;
	/** Service seconds per second */
	setSpeed(speed: number): Promise<void>;
	/** Null removes the limit. */
	setRateLimit(setting: RateSetting | null): Promise<void>;
	/** @returns all faults that are set now */
	addFaults(rules: FaultRule | FaultRule[]): Promise<ActiveFault[]>;
	faults(): Promise<ActiveFault[]>;
	clearFaults(): Promise<void>;
	/** Adds so many small files in a new folder. */
	fillFiles(projectId: string, count: number): Promise<{ folderId: string; created: number }>;

	projects: ChangeClient<NewProject, ProjectChange, ProjectView>;
	tasks: ChangeClient<NewTask, TaskChange, TaskView> & {
		/** Runs a task ahead of time: its next run moves on, while its rule stays. */
		run(id: string): Promise<TaskView>;
	};
	/** Text files and folders; a folder is removed with everything in it */
	files: ChangeClient<NewFile, FileChange, FileView>;
	domains: ChangeClient<NewDomain, DomainChange, DomainView>;
	products: ChangeClient<NewProduct, ProductChange, ProductView>;
	/** Starts a session as another user, in any dialect. @returns its id */
	startSession(given: { projectId: string; prompt: string }): Promise<string>;
	/**
	 * Adds rows to the analytics tables; a query that runs meanwhile may see less.
	 * @returns how many
	 */
	addEvents(events: NewEvent | NewEvent[]): Promise<number>;
}

/** A client over any way of sending. */
export function createControl(send: SendControl): ControlClient {
	/** The client trusts the service's answer, because both are in this repository. */
	async function call<T>(method: Method, path: string, body?: unknown): Promise<T> {
		const answer = await send(method, path, body);
		if (answer.status === 200) return answer.body as T;
		throw new Error(
			`The control API answered ${answer.status} to ${method} ${path}: ${JSON.stringify(answer.body)}`,
		);
	}
	function changesTo<New, Change, View>(kind: string): ChangeClient<New, Change, View> {
		const at = (id: string | number) => `/state/${kind}/${encodeURIComponent(id)}`;
		return {
			add: (given) => call('POST', `/state/${kind}`, given),
			change: (id, change) => call('PATCH', at(id), change),
			remove: (id) => call('DELETE', at(id)),
		};
	}
	return {
		requests: async (since = 0) =>
			(await call<{ requests: RecordedRequest[] }>('GET', `/requests?since=${since}`)).requests,
		clearRequests: () => call('DELETE', '/requests'),
		sessions: async () => (await call<{ sessions: SessionView[] }>('GET', '/sessions')).sessions,
		seed: () => call('GET', '/seed'),
		createKey: async (key) => (await call<{ key: string }>('POST', '/keys', key)).key,
		reset: () => call('POST', '/reset'),
		setSpeed: (speed) => call('POST', '/speed', { speed }),
		setRateLimit: (setting) => call('POST', '/rate-limit', setting ?? { perSecond: null }),
		addFaults: async (rules) =>
			(await call<{ faults: ActiveFault[] }>('POST', '/faults', rules)).faults,
		faults: async () => (await call<{ faults: ActiveFault[] }>('GET', '/faults')).faults,
		clearFaults: () => call('DELETE', '/faults'),
		fillFiles: (projectId, count) => call('POST', '/files', { projectId, count }),
		projects: changesTo('projects'),
		tasks: {
			...changesTo('tasks'),
			run: (id) => call('POST', `/state/tasks/${id}/run`),
		},
		files: changesTo('files'),
		domains: changesTo('domains'),
		products: changesTo('products'),
		startSession: async (given) =>
			(await call<{ sessionId: string }>('POST', '/state/sessions', given)).sessionId,
		addEvents: async (events) =>
			(await call<{ added: number }>('POST', '/state/events', events)).added,
	};
}

/** Sends control requests over HTTP to `controlUrl` (`http://127.0.0.1:4010/_control`). */
export const sendOver =
	(controlUrl: string): SendControl =>
	async (method, path, body) => {
		const { status, data } = await http.request({ method, url: controlUrl + path, data: body });
		return { status, body: data };
	};

/** Controls a service that listens. */
export const controlOver = (controlUrl: string): ControlClient =>
	createControl(sendOver(controlUrl));

/** Controls a service of this process that does not listen, as tests in simulated time use it. */
export const controlWithin = (app: FastifyInstance): ControlClient =>
	createControl(async (method, path, body) => {
		const response = await app.inject({
			method,
			url: `/_control${path}`,
			...(body !== undefined && {
				headers: { 'content-type': 'application/json' },
				payload: JSON.stringify(body),
			}),
		});
		return { status: response.statusCode, body: response.json() };
	});
