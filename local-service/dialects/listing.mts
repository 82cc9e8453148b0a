// Lists as a mixture of dialects cuts them into pages, and lists of everything where a filter was ignored.
import type { NamedOperation } from '../../openapi/contract.mts';
import { ApiError } from '../errors.mts';
import { isObject } from '../json.mts';
import { defaultLimit, type ListEnvelope } from '../paging.mts';
import type { Store } from '../state.mts';
import type { Paging } from './dialect.mts';

type Query = Record<string, string>;

/** Values of a filter that a list requires */
const everyValue: Record<string, (store: Store) => Array<{ id: string }>> = {
	projectId: ({ projects }) => projects.all(),
	siteId: ({ sites }) => sites.all(),
};

/** The queries that a request comes to: where a required filter is missing and nobody minds, one for each value. */
export function queriesFor(
	{ parameters }: NamedOperation,
	query: Query,
	ignores: boolean,
	store: Store,
): Query[] {
	const missing = parameters.find(
		({ in: where, required, name }) => where === 'query' && required && query[name] === undefined,
	)?.name;
	if (!ignores || missing === undefined || !(missing in everyValue)) return [query];
	return everyValue[missing](store).map(({ id }) => ({ ...query, [missing]: id }));
}

const isList = (body: unknown): body is ListEnvelope<unknown> =>
	isObject(body) && Array.isArray(body.data);

/**
 * The part of whole lists that a request asks for; anything but lists is left as it is. Cursors are positions.
 * @param answers each with the query that it is for; where there are several, their entries say whose they are
 */
export function getPage(
	answers: Array<{ body: unknown; query: Query }>,
	query: Query,
	paging: Paging,
): unknown {
	const first = answers[0].body;
	if (!isList(first)) return first;
	const entries = answers.flatMap(({ body, query: { projectId, siteId } }) => {
		const whose = siteId === undefined ? { projectId } : { siteId };
		const data = isList(body) ? body.data : [];
		return answers.length === 1 ? data : data.map((entry) => ({ ...whose, ...(entry as object) }));
	});
	if (paging.newestFirst) entries.reverse();
	const { usual = defaultLimit, most = Infinity } = paging;
	const size = Math.min(Number(query.limit ?? usual), most);
	const start = Number(query.cursor ?? 0);
	if (!Number.isInteger(start))
		throw new ApiError('invalid_request', 'query/cursor is not a cursor of this list');
	const has_more = start + size < entries.length;
	return {
		...first,
		data: entries.slice(start, start + size),
		has_more,
		next_cursor: has_more ? String(start + size) : null,
	};
}
