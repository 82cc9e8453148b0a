import { resultOrError } from '../errors';
import { isRecord } from '../values';
import type { ApiClient } from './operations';
import { readSafeLink } from './safeLink';

/** With the second that an attempt has in any case, an approver waits for 10 seconds at most. */
const MAX_PREVIEW_MS = 9_000;

/** A page of a site */
export interface PreviewPage {
	siteId: string;
	route: string;
}

/** The answer of the service, which executions keep */
export interface Preview {
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

/** Requests that are under way, which the sessions of a project share, by what their execution keeps */
const running = new WeakMap<object, Map<string, Promise<Preview>>>();

/** Returns a link, asking for each page once and, after a failure, once more for a session that has completed. @param found by page, which the caller keeps */
export async function findPreview(
	api: ApiClient,
	found: Record<string, Preview>,
	page: PreviewPage & { projectId: string },
	isLast: boolean,
): Promise<Preview> {
	const key = `${page.projectId} ${page.siteId} ${page.route}`;
	const known = found[key] as Preview | undefined;
	if (known && (known.url !== undefined || known.isLast || !isLast)) return known;
	const requests = running.get(found) ?? new Map<string, Promise<Preview>>();
	running.set(found, requests);
	const request =
		requests.get(key) ??
		requestPreview(api, page, isLast)
			.then((preview) => (found[key] = { ...preview, ...(isLast && { isLast }) }))
			.finally(() => requests.delete(key));
	requests.set(key, request);
	return await request;
}
