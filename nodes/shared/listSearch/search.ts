import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { createClient, type Client } from '../client';
import { readPage, type ListRequest } from '../paging';
import { toNodeError } from '../problem';
import { setupRequired } from '../setupRequired';

type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

interface List {
	/** The list to read; may look at the other fields of the panel */
	request: (context: ILoadOptionsFunctions, client: Client) => ListRequest;
	/** How an entry is shown, or undefined for one that does not belong in this list */
	show: (entry: IDataObject) => INodeListSearchItems | undefined;
}

const matches = ({ name, value }: INodeListSearchItems, wanted: string) =>
	`${name} ${value}`.toLowerCase().includes(wanted);

/**
 * A search method for a resource locator. The service has no search, so a filter is held against whole pages, and pages are
 * read until one has a match. A key without projects gets the service's own words instead of an empty list.
 */
export const listSearch = ({ request, show }: List): ListSearch =>
	async function (filter, paginationToken) {
		try {
			const client = await createClient(this);
			const list = request(this, client);
			const wanted = filter?.trim().toLowerCase() ?? '';
			for (let cursor = paginationToken; ;) {
				const page = await readPage(client, list, { cursor });
				if (page.data.length === 0 && page.setupRequired) throw setupRequired(page.setupRequired);
				const shown = page.data.map(show).filter((entry) => entry !== undefined);
				const results = shown.filter((entry) => matches(entry, wanted));
				if (results.length > 0 || page.next === undefined)
					return { results, paginationToken: page.next };
				cursor = page.next;
			}
		} catch (error) {
			throw toNodeError(this.getNode(), error, 0);
		}
	};
