// The layer around the API of a service that speaks dialects. It turns what callers send into the requests that we assume, and
// our answers into those of the dialects. The routes, and the contract's validation, only ever see our own form.
import type { NamedOperation } from '../../openapi/contract.mts';
import { ApiError } from '../errors.mts';
import { isObject } from '../json.mts';
import { noLateness } from '../lateness.mts';
import type { Store } from '../state.mts';
import { assumedAnswer, assumedRequests, type OperationId } from './assumed-requests.mts';
import type { Dialect, DialectAnswer, Paging } from './dialect.mts';
import { queriesFor } from './listing.mts';
import { findQuestionAnswer, findRequest, type DialectRequest } from './overrides.mts';
import {
	readValues,
	strayField,
	TemplateMismatch,
	writeValues,
	type Template,
	type Values,
} from './templates.mts';
import type { ValueCodec } from './values/codec.mts';
import { idCodec, shownIds } from './values/ids.mts';
import { isPermission, optionCodec } from './values/options.mts';

interface Parameters {
	params: Record<string, string>;
	query: Record<string, string>;
}

export type DialectLayer = ReturnType<typeof createDialectLayer>;

/** The contract's operations are those of the table: a test holds the two together. */
const getId = ({ operationId }: NamedOperation) => operationId as OperationId;

function findValues(part: 'query' | 'body', template: Template, given: unknown): Values {
	try {
		return readValues(template, given, part);
	} catch (error) {
		if (error instanceof TemplateMismatch) throw new ApiError('invalid_request', error.message);
		throw error;
	}
}

/** Part of a request in the dialect's form, turned into ours. */
function readPart(
	part: 'query' | 'body',
	template: Template,
	assumed: Template,
	given: unknown,
	ignores: boolean,
): Record<string, unknown> {
	const stray = ignores ? undefined : strayField(template, assumed, given);
	if (stray !== undefined)
		throw new ApiError('invalid_request', `${part}/${stray} is not known to this service`);
	// The templates of queries and bodies are objects
	return (writeValues(assumed, findValues(part, template, given)) ?? {}) as Record<string, unknown>;
}

/** Returns whether a body answers a question: a decision has another shape. */
const isAnswer = (operationId: OperationId, body: unknown): boolean =>
	operationId === 'resolveInteraction' &&
	isObject(body) &&
	body.type !== undefined &&
	!isPermission(body);

/** Returns whether a body has a value for a placeholder. */
function hasValue(name: string | undefined, template: Template, body: unknown): boolean {
	try {
		return name !== undefined && name in readValues(template, body, 'body');
	} catch {
		return false;
	}
}

/** The codecs of a mixture; no two dialects of it have the same kind of value. */
function getCodecs(dialects: readonly Dialect[]): ValueCodec[] {
	return dialects.flatMap(({ ids, optionWords }) => [
		...(ids ? [idCodec(ids)] : []),
		...(optionWords ? [optionCodec(optionWords)] : []),
	]);
}

/** Creates the layer for a mixture of dialects. Without any it changes nothing. */
export function createDialectLayer(dialects: readonly Dialect[]) {
	const codecs = getCodecs(dialects);
	const ids = dialects.find((dialect) => dialect.ids)?.ids;
	const ignores = dialects.some((dialect) => dialect.ignores);
	const pagings = dialects.flatMap(({ paging }) => paging ?? []);

	const requests = new Map<OperationId, DialectRequest>();
	/** Request of an operation */
	function requestFor(operation: NamedOperation): DialectRequest {
		const operationId = getId(operation);
		const request = requests.get(operationId) ?? findRequest(dialects, operationId);
		requests.set(operationId, request);
		return request;
	}

	function readQuery(operation: NamedOperation, query: Record<string, string>) {
		const { query: assumed } = assumedRequests[getId(operation)];
		const { query: own } = requestFor(operation);
		if (own === assumed || !own || !assumed) return query;
		// Its parts are the texts of the query
		return readPart('query', own, assumed, query, ignores) as Record<string, string>;
	}

	const questionAnswer = findQuestionAnswer(dialects);

	/** The body as the dialect has it, and as we assume it. */
	function getBodies(operation: NamedOperation, body: unknown) {
		return isAnswer(getId(operation), body)
			? { own: questionAnswer, assumed: assumedAnswer }
			: { own: requestFor(operation).body, assumed: assumedRequests[getId(operation)].body };
	}

	function readShape(operation: NamedOperation, body: unknown): unknown {
		const { own, assumed } = getBodies(operation, body);
		if (own === assumed || !isObject(own) || assumed === undefined || !isObject(body)) return body;
		const places = isObject(assumed) ? assumed : {};
		// Fields that neither template has are the caller's own, such as those of a product
		const others = Object.entries(body).filter(([key]) => !(key in own) && !(key in places));
		return { ...Object.fromEntries(others), ...readPart('body', own, assumed, body, ignores) };
	}

	return {
		lateness: dialects.find(({ lateness }) => lateness)?.lateness ?? noLateness,
		/** Paging of lists, if the routes don't do it */
		paging: pagings.length > 0 || ignores ? (Object.assign({}, ...pagings) as Paging) : undefined,
		/** True if unknown names in a request are ignored */
		ignores,
		requestFor,
		/** The queries that one comes to: several where a filter is missing, and its absence ignored */
		queriesFor: (operation: NamedOperation, query: Parameters['query'], store: Store) =>
			queriesFor(operation, query, ignores, store),
		/** The operation that a request is for, among those that share a method and path */
		pick: (candidates: NamedOperation[], body: unknown): NamedOperation =>
			candidates.find((each) => hasValue(each.field, requestFor(each).body ?? {}, body)) ??
			// A request in our form is recognized too, so that it can be refused
			candidates.find((each) =>
				hasValue(each.field, assumedRequests[getId(each)].body ?? {}, body),
			) ??
			candidates[0],
		/** @throws ApiError `invalid_request` for a name of ours that differs here, `not_found` for an id of ours that does */
		readParameters: (
			operation: NamedOperation,
			{ params, query }: Parameters,
			store: Store,
		): Parameters => ({
			params: codecs.reduce(
				(read, codec) => codec.readParams?.(getId(operation), read, store) ?? read,
				params,
			),
			query: readQuery(operation, query),
		}),
		/** @throws ApiError as `readParameters` */
		readBody: (operation: NamedOperation, body: unknown, store: Store): unknown =>
			codecs.reduce(
				(read, codec) => codec.readBody?.(getId(operation), read, store) ?? read,
				readShape(operation, body),
			),
		/** @returns the same body where nothing differs */
		writeAnswer(operation: NamedOperation, answer: DialectAnswer, store: Store): DialectAnswer {
			const operationId = getId(operation);
			const body = codecs.reduce(
				(written, codec) => codec.writeBody?.(operationId, written, store) ?? written,
				answer.body,
			);
			return dialects.reduce(
				(written, { answers }) => answers?.[operationId]?.(written) ?? written,
				{ ...answer, body },
			);
		},
		/** Ids as callers know them */
		shownIds: (store: Store) => shownIds(store, ids),
	};
}
