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

/** The control API; the README says what each request does. Every function throws an Error when the service refuses. */
export type ControlClient = ReturnType<typeof createControl>;

/** A client over any way of sending. */
export function createControl(send: SendControl) {
	/** The client trusts the service's answer, because both are in this repository. */
	async function call<T>(method: Method, path: string, body?: unknown): Promise<T> {
		const answer = await send(method, path, body);
		if (answer.status === 200) return answer.body as T;
		throw new Error(
			`The control API answered ${answer.status} to ${method} ${path}: ${JSON.stringify(answer.body)}`,
		);
	}
	/** One kind of thing that can be changed by hand. What each takes is described in `changes.mts`. */
	function changesTo<New, Change, View>(kind: string) {
		const at = (id: string | number) => `/state/${kind}/${encodeURIComponent(id)}`;
		return {
			add: (given: New) => call<View>('POST', `/state/${kind}`, given),
			change: (id: string | number, change: Change) => call<View>('PATCH', at(id), change),
			remove: (id: string | number) => call<void>('DELETE', at(id)),
		};
	}
	return {
		/** Requests to the API, oldest first, after entry number `since` */
		requests: async (since = 0) =>
			(await call<{ requests: RecordedRequest[] }>('GET', `/requests?since=${since}`)).requests,
		clearRequests: () => call<void>('DELETE', '/requests'),
		sessions: async () => (await call<{ sessions: SessionView[] }>('GET', '/sessions')).sessions,
		seed: () => call<SeedView>('GET', '/seed'),
		/** @returns the token of a new key */
		createKey: async (key: NewKey) => (await call<{ key: string }>('POST', '/keys', key)).key,
		reset: () => call<void>('POST', '/reset'),
		/** Service seconds per second */
		setSpeed: (speed: number) => call<void>('POST', '/speed', { speed }),
		/** Null removes the limit. */
		setRateLimit: (setting: RateSetting | null) =>
			call<void>('POST', '/rate-limit', setting ?? { perSecond: null }),
		/** @returns all faults that are set now */
		addFaults: async (rules: FaultRule | FaultRule[]) =>
			(await call<{ faults: ActiveFault[] }>('POST', '/faults', rules)).faults,
		faults: async () => (await call<{ faults: ActiveFault[] }>('GET', '/faults')).faults,
		clearFaults: () => call<void>('DELETE', '/faults'),
		/** Adds so many small files in a new folder. */
		fillFiles: (projectId: string, count: number) =>
			call<{ folderId: string; created: number }>('POST', '/files', { projectId, count }),
		projects: changesTo<NewProject, ProjectChange, ProjectView>('projects'),
		tasks: {
			...changesTo<NewTask, TaskChange, TaskView>('tasks'),
			/** Runs a task ahead of time: its next run moves on, while its rule stays. */
			run: (id: string) => call<TaskView>('POST', `/state/tasks/${id}/run`),
		},
		/** Text files and folders; a folder is removed with everything in it */
		files: changesTo<NewFile, FileChange, FileView>('files'),
		domains: changesTo<NewDomain, DomainChange, DomainView>('domains'),
		products: changesTo<NewProduct, ProductChange, ProductView>('products'),
		/** Starts a session as another user, in any dialect. @returns its id */
		startSession: async (given: { projectId: string; prompt: string }) =>
			(await call<{ sessionId: string }>('POST', '/state/sessions', given)).sessionId,
		/**
		 * Adds rows to the analytics tables; a query that runs meanwhile may see less.
		 * @returns how many
		 */
		addEvents: async (events: NewEvent | NewEvent[]) =>
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
