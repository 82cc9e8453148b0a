import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { openApi } from '../../api/api';
import type { OperationId } from '../../api/operations';
import { idOf, readPages, type ListRequest } from '../../api/pages';
import type { Api, Values } from '../../api/types';
import { toNodeError } from '../../base/nodeErrors';

/** A look into a list, in front of which somebody waits */
const LOOK_MS = 20_000;
/** Pages that one look may cost; the editor asks for more when somebody scrolls */
const MOST_PAGES = 20;

export type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/** What the lists of a picker need: the API, and the time after which nothing more is asked for */
export interface Look {
	api: Api;
	deadline: number;
}

/** Runs a look into a list with the credential of the panel. Mistakes become n8n's own errors. */
export async function lookInto<T>(
	context: ILoadOptionsFunctions,
	look: (look: Look) => Promise<T>,
): Promise<T> {
	try {
		const api = await openApi(context);
		return await look({ api, deadline: api.clock.now() + LOOK_MS });
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}

/** How an entry of a list is shown; its ID is what is chosen */
type NameOf = (entry: IDataObject) => unknown;

/**
 * A search method for a resource locator. The service has no search, so the filter is applied to whole pages, and pages are read
 * until one has a match.
 * @param values of its request; may depend on the other fields of the panel
 * @param keep which entries can be chosen
 */
export const listSearch = (
	operation: OperationId,
	nameOf: NameOf,
	values: (context: ILoadOptionsFunctions) => Values = () => ({}),
	keep: (entry: IDataObject) => boolean = () => true,
): ListSearch =>
	async function (filter, from) {
		const wanted = filter?.trim().toLowerCase() ?? '';
		const matches = ({ name, value }: INodeListSearchItems) =>
			`${name} ${value}`.toLowerCase().includes(wanted);
		return await lookInto(this, async ({ api, deadline }) => {
			const list: ListRequest = { operation, values: values(this) };
			let pages = 0;
			let last: INodeListSearchResult = { results: [] };
			for await (const { data, next } of readPages(api, list, { from, deadline })) {
				const shown = data.filter(keep).map(shownBy(api, operation, nameOf));
				last = { results: shown.filter(matches), paginationToken: next };
				if (last.results.length > 0 || ++pages === MOST_PAGES) return last;
			}
			return last;
		});
	};

/** An entry as a list shows it. @throws WorkspaceAutomationError for one without an ID */
export const shownBy =
	(api: Api, operation: OperationId, nameOf: NameOf) =>
	(entry: IDataObject): { name: string; value: string } => {
		const value = idOf(api, operation, entry);
		return { value, name: String(nameOf(entry) ?? value) };
	};
