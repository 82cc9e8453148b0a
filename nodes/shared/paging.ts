import type { IDataObject } from 'n8n-workflow';

import type { Client, SendOptions } from './client';
import type { components } from './contract';
import { Problem } from './problem';
import type { ApiRequest } from './transport';

/** The document allows at most 100 a page (API document, Limits). */
export const LARGEST_PAGE = 100;

export interface Page {
	data: IDataObject[];
	/** Cursor of the page after this one; undefined at the end */
	next?: string;
	setupRequired?: components['schemas']['SetupRequired'];
}

type ListEnvelope = Partial<Omit<components['schemas']['ProjectList'], 'data'>> & {
	data: IDataObject[];
};

const isList = (body: unknown): body is ListEnvelope =>
	typeof body === 'object' && body !== null && Array.isArray((body as { data?: unknown }).data);

export type ListRequest = Pick<ApiRequest, 'path' | 'qs' | 'version' | 'via'>;

/** One page of a list. An answer that is no list envelope counts as malformed. */
export async function readPage(
	{ send, names }: Client,
	request: ListRequest,
	{ size = LARGEST_PAGE, cursor }: { size?: number; cursor?: string } = {},
	options?: SendOptions,
): Promise<Page> {
	const qs = {
		...request.qs,
		[names.limit]: size,
		...(cursor !== undefined && { [names.cursor]: cursor }),
	};
	const body = (await send(
		{ ...request, method: 'GET', qs },
		{ ...options, accept: isList },
	)) as ListEnvelope;
	return {
		data: body.data,
		next: (body.has_more && body.next_cursor) || undefined,
		setupRequired: body.setup_required,
	};
}

/**
 * The pages of a list, no more of them than `most` items need: each asks only for what is missing, and none is asked for
 * after the last one that is needed.
 */
export async function* readPages(
	api: Client,
	request: ListRequest,
	most = Infinity,
	options?: SendOptions,
): AsyncGenerator<Page> {
	const seen = new Set<string>();
	for (let missing = most, cursor: string | undefined; missing > 0;) {
		const page = await readPage(
			api,
			request,
			{ size: Math.min(LARGEST_PAGE, missing), cursor },
			options,
		);
		missing -= page.data.length;
		yield page;
		cursor = page.next;
		if (cursor === undefined) return;
		if (seen.has(cursor)) {
			throw new Problem(
				'The list does not come to an end',
				'The service gave the same cursor twice. Nothing is missing up to here; try again later, or with a limit.',
			);
		}
		seen.add(cursor);
	}
}
