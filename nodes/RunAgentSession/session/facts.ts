import { resultOrError } from '../../shared/errors';
import { isRecord, nonEmptyText, readSafeLink } from '../../shared/values';
import { readPages } from '../../shared/client/responses';
import type { ApiClient } from '../../shared/client/operations';

// What items and approvers are told of a project beside the session itself. Each lookup is made once, and one that fails holds up nothing.

/** Spares the sessions of a project a request that is under way for another one, by what their execution keeps */
const underWay = new WeakMap<object, Map<string, Promise<unknown>>>();

/** Requests what an execution keeps under a key, once for all who need it meanwhile. */
async function share<T>(
	found: Record<string, T>,
	key: string,
	request: () => Promise<T>,
): Promise<T> {
	const requests = (underWay.get(found) ?? new Map()) as Map<string, Promise<T>>;
	underWay.set(found, requests);
	const keep = async () => (found[key] = await request());
	const known = requests.get(key) ?? keep().finally(() => requests.delete(key));
	requests.set(key, known);
	return await known;
}

/** Short, because an approver waits and nothing depends on the name */
const MAX_LOOKUP_MS = 5_000;

interface ProjectDetails {
	projectName?: string;
}

/** Returns {} if the project isn't in the list in time (API document, Project): the key may lack the scope. */
async function findProject(api: ApiClient, projectId: string): Promise<ProjectDetails> {
	const options = { deadline: api.clock.monotonicMs() + MAX_LOOKUP_MS, maxAttempts: 1 };
	const search = async (): Promise<ProjectDetails> => {
		for await (const { data } of readPages(api, 'listProjects', {}, options)) {
			const project = data.find(({ id }) => nonEmptyText(id)?.toLowerCase() === projectId);
			if (project) return { projectName: nonEmptyText(project.name) };
		}
		return {};
	};
	const found = await resultOrError(search());
	return found instanceof Error ? {} : found;
}

/** With the second that an attempt has in any case, an approver waits for 10 seconds at most. */
const MAX_PREVIEW_MS = 9_000;

export interface PreviewPage {
	siteId: string;
	route: string;
}

/** The answer of the service, which executions keep */
interface Preview {
	url?: string;
	warning?: string;
	/** True if the service isn't asked again */
	isLast?: true;
}

const UNSAFE_LINK =
	"There's no link to the preview, because its address isn't https, names a user, or has over 2,048 characters.";

/** Asks the service for the link to a page, for an approver only once. */
async function requestPreview(
	api: ApiClient,
	page: PreviewPage & { projectId: string },
	isLast: boolean,
): Promise<Preview> {
	const deadline = api.clock.monotonicMs() + MAX_PREVIEW_MS;
	const options = { deadline, ...(!isLast && { maxAttempts: 1 }) };
	const shared = await resultOrError(api.call('createSharedPreview', { ...page }, options));
	if (shared instanceof Error)
		return { warning: `There's no preview: ${shared.message}. ${shared.description}` };
	const { url } = isRecord(shared.body) ? shared.body : {};
	if (url === undefined) return { warning: "There's no preview: the response has no url." };
	const link = readSafeLink(url);
	return link ? { url: link.href } : { warning: UNSAFE_LINK };
}

/** Returns a link, asking for each page once and, after a failure, once more for a session that has completed. @param found by page, which the caller keeps */
async function findPreview(
	api: ApiClient,
	found: Record<string, Preview>,
	page: PreviewPage & { projectId: string },
	isLast: boolean,
): Promise<Preview> {
	const key = `${page.projectId} ${page.siteId} ${page.route}`;
	const known = found[key] as Preview | undefined;
	if (known && (known.url !== undefined || known.isLast || !isLast)) return known;
	return await share(found, key, async () => ({
		...(await requestPreview(api, page, isLast)),
		...(isLast && { isLast }),
	}));
}

/** What items and approvers are told beside the session itself */
interface Facts extends ProjectDetails {
	projectId?: string;
	previewUrl?: string;
}

/** What an execution keeps, so that each lookup is made once */
interface FactMemory {
	workspaceAutomationProjects?: Record<string, ProjectDetails>;
	workspaceAutomationPreviews?: Record<string, Preview>;
}

/**
 * Returns the facts that an item lacks: the name of its project, and the preview of a page. A lookup that fails holds up nothing.
 */
export type FactLookup = (
	known: Facts,
	page: PreviewPage | undefined,
	kind: 'needsApproval' | 'completed',
) => Promise<{ facts: Facts; warnings: string[] }>;

export function createFactLookup(api: ApiClient, memory: FactMemory): FactLookup {
	const projects = (memory.workspaceAutomationProjects ??= {});
	const lookUp = async (id: string) =>
		projects[id] ?? (await share(projects, id, async () => await findProject(api, id)));
	return async (known, page, kind) => {
		const { projectId, projectName, previewUrl } = known;
		if (projectId === undefined) return { facts: known, warnings: [] };
		const project = projectName === undefined ? await lookUp(projectId) : {};
		const facts = { ...known, ...project };
		if (!page || previewUrl !== undefined) return { facts, warnings: [] };
		const previews = (memory.workspaceAutomationPreviews ??= {});
		const { url, warning } = await findPreview(
			api,
			previews,
			{ projectId, ...page },
			kind === 'completed',
		);
		return {
			facts: { ...facts, ...(url !== undefined && { previewUrl: url }) },
			warnings: warning === undefined ? [] : [warning],
		};
	};
}
