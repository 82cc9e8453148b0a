import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';

import { nothingHappened } from './problem';
import type { ApiRequest } from './transport';
import { lostBefore } from './unrepeatable';

type Page =
	{ purpose: string; state: 'sending' } | { purpose: string; state: 'done'; answer: unknown };

/** Of a long text its length and its ends say enough; all of a file would be in memory once more. */
const shortened = (_key: string, value: unknown) =>
	typeof value === 'string' && value.length > 2_000
		? [value.length, value.slice(0, 1_000), value.slice(-1_000)]
		: value;

/** Tells one request from another in a few characters: all of it would put every file into the execution's data (FNV-1a). */
function purposeOf({ method, path, body }: ApiRequest): string {
	const text = JSON.stringify(body, shortened) ?? '';
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++)
		hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	return `${method} ${path} ${text.length} ${(hash >>> 0).toString(36)}`;
}

/**
 * Sends a request that must not be sent twice, once for each item of a run, however often n8n tries the node: Retry On Fail and a
 * retry of the failed execution run every item again, also those that went well. Kept in the node's context, which both hand on.
 * @throws Unclear when an earlier try sent the request and never learned what became of it
 */
export async function once(
	context: IExecuteSingleFunctions,
	request: ApiRequest,
	send: () => Promise<unknown>,
): Promise<unknown> {
	const shelf = context.getContext('node') as IDataObject;
	const pages = (shelf.requests ??= {}) as unknown as Record<string, Page | undefined>;
	const itemIndex = context.getItemIndex();
	const key = `${Number(context.getWorkflowDataProxy(itemIndex).$runIndex ?? 0)}.${itemIndex}`;
	const purpose = purposeOf(request);
	const page = pages[key];
	if (page?.purpose === purpose) {
		if (page.state === 'done') return page.answer;
		throw lostBefore(request.path);
	}
	pages[key] = { purpose, state: 'sending' };
	const answer = await send().catch((error: unknown) => {
		if (nothingHappened(error)) delete pages[key];
		throw error;
	});
	pages[key] = { purpose, state: 'done', answer };
	return answer;
}
