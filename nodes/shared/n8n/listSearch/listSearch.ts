import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { cursorAfter, readPage, type ListRequest } from '../../api/pages';
import { setupRequiredError } from '../../api/setupRequired';
import { WorkspaceAutomationError } from '../../base/errors';
import { toNodeError } from '../../base/nodeErrors';
import { inSeconds, LIMITS } from '../../base/limits';
import { createApiClient } from '../../transport/apiClient';

export type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

interface Search {
	/** The list to read; may depend on the other fields of the panel */
	list: (context: ILoadOptionsFunctions) => ListRequest;
	/** How an entry is shown, or undefined for one that does not belong in this list */
	show: (entry: IDataObject) => INodeListSearchItems | undefined;
}

export const matches = ({ name, value }: INodeListSearchItems, wanted: string): boolean =>
	`${name} ${value}`.toLowerCase().includes(wanted);

/**
 * A search method for a resource locator. The service has no search, so a filter is applied to whole pages, and pages are read
 * until one has a match. A key without projects gets the service's own words instead of an empty list.
 */
export const listSearch = ({ list, show }: Search): ListSearch =>
	async function (filter, paginationToken) {
		try {
			const client = await createApiClient(this);
			const request = list(this);
			const wanted = filter?.trim().toLowerCase() ?? '';
			const deadline = client.clock.now() + LIMITS.pickerMs;
			const seen = new Set<string>();
			for (let cursor = paginationToken, pages = 1; ; pages++) {
				const page = await readPage(client, request, { cursor }, { deadline });
				if (page.data.length === 0 && page.setupRequired)
					throw setupRequiredError(page.setupRequired);
				const shown = page.data.map(show).filter((entry) => entry !== undefined);
				const results = shown.filter((entry) => matches(entry, wanted));
				const next = cursorAfter(request, page);
				if (results.length > 0 || next === undefined || pages === LIMITS.pickerPages)
					return { results, paginationToken: next };
				if (seen.has(next) || client.clock.now() > deadline) throw endlessPicker();
				seen.add(next);
				cursor = next;
			}
		} catch (error) {
			throw toNodeError(this.getNode(), error, 0);
		}
	};

/** What is said where a look into a list finds no end. */
export const endlessPicker = () =>
	new WorkspaceAutomationError(
		'The list does not come to an end',
		`The service repeats a part of it, or takes longer than ${inSeconds(LIMITS.pickerMs)}. Choose 'By ID' instead.`,
	);
