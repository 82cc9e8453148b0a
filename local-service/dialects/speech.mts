// A service that speaks dialects: a layer around the API. It turns what callers send into the requests that we assume, and our
// answers into what the dialects make of them. The routes, and the contract's validation, see our own form only.
import type { NamedOperation } from '../../openapi/contract.mts';
import { ApiError, type ErrorEnvelope } from '../errors.mts';
import { isObject } from '../json.mts';
import { noLateness, type Lateness } from '../lateness.mts';
import type { Store } from '../state.mts';
import { assumedRequests, type OperationId } from './assumed-requests.mts';
import type { Dialect, DialectAnswer } from './dialect.mts';
import { requestIn, type DialectRequest } from './overrides.mts';
import {
	readValues,
	strayField,
	TemplateMismatch,
	writeValues,
	type Template,
	type Values,
} from './templates.mts';
import {
	readBodyIds,
	readOption,
	readPathIds,
	showIds,
	writeIds,
	writeOptions,
	writeTimestamps,
} from './values.mts';

export interface Parameters {
	params: Record<string, string>;
	query: Record<string, string>;
}

export interface Speech {
	lateness: Lateness;
	/** Lists come whole, whatever the request says about pages */
	wholeLists: boolean;
	/** How an operation is called */
	requestFor(operation: NamedOperation): DialectRequest;
	/** The operation that a request is for, among those that share a method and path */
	pick(candidates: NamedOperation[], body: unknown): NamedOperation;
	/** @throws ApiError `invalid_request` for names of ours that differ here, `not_found` for an id of ours that does */
	readParameters(operation: NamedOperation, given: Parameters, store: Store): Parameters;
	/** @throws ApiError as `readParameters` */
	readBody(operation: NamedOperation, body: unknown, store: Store): unknown;
	writeAnswer(operation: NamedOperation, answer: DialectAnswer, store: Store): DialectAnswer;
	/** An error's body; a text is sent as plain text */
	writeError(envelope: ErrorEnvelope): unknown;
	/** Ids as callers know them */
	showIds(store: Store): ReturnType<typeof showIds>;
}

/** A service's own form of a part of a request, read by its template. */
function readPart(
	part: 'query' | 'body',
	template: Template,
	assumed: Template,
	given: unknown,
): Record<string, unknown> {
	const stray = strayField(template, assumed, given);
	if (stray !== undefined)
		throw new ApiError('invalid_request', `${part}/${stray} is not known to this service`);
	// Both are objects: a query and a body have names
	return writeValues(assumed, valuesIn(part, template, given)) as Record<string, unknown>;
}

function valuesIn(part: 'query' | 'body', template: Template, given: unknown): Values {
	try {
		return readValues(template, given, part);
	} catch (error) {
		if (error instanceof TemplateMismatch) throw new ApiError('invalid_request', error.message);
		throw error;
	}
}

/** Whether a body has a value for a placeholder. */
function hasValue(name: string | undefined, template: Template, body: unknown): boolean {
	try {
		return name !== undefined && name in readValues(template, body, 'body');
	} catch {
		return false;
	}
}

/** The contract's operations are those of the table: a test holds the two together. */
const idOf = ({ operationId }: NamedOperation) => operationId as OperationId;

/** A layer that speaks all of these dialects; without any, it changes nothing. */
export function createSpeech(dialects: readonly Dialect[]): Speech {
	const requests = new Map<OperationId, DialectRequest>();
	const requestFor = (operation: NamedOperation): DialectRequest => {
		const operationId = idOf(operation);
		const known = requests.get(operationId) ?? requestIn(dialects, operationId);
		requests.set(operationId, known);
		return known;
	};
	const ids = dialects.find((dialect) => dialect.ids)?.ids;
	const optionWords = dialects.find((dialect) => dialect.optionWords)?.optionWords;
	const timestamp = dialects.find((dialect) => dialect.timestamp)?.timestamp;
	const error = dialects.find((dialect) => dialect.error)?.error;

	return {
		lateness: dialects.find(({ lateness }) => lateness)?.lateness ?? noLateness,
		wholeLists: dialects.some(({ wholeLists }) => wholeLists),
		requestFor,
		pick(candidates, body) {
			const having = (templateOf: (operation: NamedOperation) => Template | undefined) =>
				candidates.find(({ field, ...operation }) =>
					hasValue(field, templateOf(operation) ?? {}, body),
				);
			// A request in our form is recognised too, so that it can be refused
			return (
				having((operation) => requestFor(operation).body) ??
				having((operation) => assumedRequests[idOf(operation)].body) ??
				candidates[0]
			);
		},
		readParameters(operation, { params, query }, store) {
			const operationId = idOf(operation);
			const { query: assumed } = assumedRequests[operationId];
			const { query: own } = requestFor(operation);
			return {
				params: ids ? readPathIds(operationId, params, store, ids) : params,
				query:
					own === assumed || !own || !assumed
						? query
						: // Values of a query are texts
							(readPart('query', own, assumed, query) as Record<string, string>),
			};
		},
		readBody(operation, body, store) {
			const operationId = idOf(operation);
			const { body: assumed } = assumedRequests[operationId];
			const { body: own } = requestFor(operation);
			const read =
				own === assumed || !isObject(own) || assumed === undefined || !isObject(body)
					? body
					: {
							// Fields of which no template speaks are the caller's own
							...Object.fromEntries(Object.entries(body).filter(([key]) => !(key in own))),
							...readPart('body', own, assumed, body),
						};
			const decided = optionWords ? readOption(operationId, read, optionWords) : read;
			return ids ? readBodyIds(operationId, decided, store, ids) : decided;
		},
		writeAnswer(operation, answer, store) {
			const operationId = idOf(operation);
			let written = answer;
			if (ids) written = { ...written, body: writeIds(operationId, written.body, store, ids) };
			if (optionWords) written = { ...written, body: writeOptions(written.body, optionWords) };
			if (timestamp) written = writeTimestamps(operationId, written, timestamp);
			return dialects.reduce((sum, { answers }) => answers?.[operationId]?.(sum) ?? sum, written);
		},
		writeError: (envelope) => (error ? error(envelope.error) : envelope),
		showIds: (store) => showIds(store, ids),
	};
}
