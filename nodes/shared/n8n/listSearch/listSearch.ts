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

/** A part of what there is to choose from, and the token for what comes after it */
export interface Shown {
	results: INodeListSearchItems[];
	paginationToken?: string;
}

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

/**
 * A search method for a resource locator. The service has no search, so the filter is applied to whole parts, and parts are read
 * until one has a match.
 * @param partsOf reads what there is from a token on, part by part
 */
export const searchIn = (
	partsOf: (look: Look, context: ILoadOptionsFunctions, token?: string) => AsyncGenerator<Shown>,
): ListSearch =>
	async function (filter, paginationToken) {
		const wanted = filter?.trim().toLowerCase() ?? '';
		return await lookInto(this, async (look) => {
			let parts = 0;
			let last: Shown = { results: [] };
			for await (const { results, ...rest } of partsOf(look, this, paginationToken)) {
				const matching = results.filter(({ name, value }) =>
					`${name} ${value}`.toLowerCase().includes(wanted),
				);
				last = { ...rest, results: matching };
				if (matching.length > 0 || ++parts === MOST_PAGES) return last;
			}
			return last;
		});
	};

/** How an entry of a list is shown; its ID is what is chosen */
type NameOf = (entry: IDataObject) => unknown;

/** A search method for one list. @param values of its request; may depend on the other fields of the panel */
export const listSearch = (
	operation: OperationId,
	nameOf: NameOf,
	values: (context: ILoadOptionsFunctions) => Values = () => ({}),
): ListSearch =>
	searchIn(async function* ({ api, deadline }, context, from) {
		const list: ListRequest = { operation, values: values(context) };
		for await (const { data, next } of readPages(api, list, { from, deadline }))
			yield { results: data.map(shownBy(api, operation, nameOf)), paginationToken: next };
	});

/** An entry as a list shows it. @throws WorkspaceAutomationError for one without an ID */
export const shownBy =
	(api: Api, operation: OperationId, nameOf: NameOf) =>
	(entry: IDataObject): { name: string; value: string } => {
		const value = idOf(api, operation, entry);
		return { value, name: String(nameOf(entry) ?? value) };
	};
