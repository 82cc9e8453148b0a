// The API: every operation of the contract as a route, and what happens around each handler.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { namedOperations, type NamedOperation } from '../openapi/contract.mts';
import { authenticate, findKey, requireScopes } from './auth.mts';
import type { DialectLayer } from './dialects/layer.mts';
import { ApiError, envelope, statusOf } from './errors.mts';
import { getPage } from './dialects/listing.mts';
import { faultKinds, jsonAnswer, type FaultyService, type WireAnswer } from './fault-kinds.mts';
import type { ActiveFault, FaultRule, Faults } from './faults.mts';
import { isObject, parseJson } from './json.mts';
import type { RateLimit } from './rate-limit.mts';
import { recordable, redact, type RequestRecord } from './record.mts';
import { routes } from './routes/index.mts';
import type { Answer, Call, Handler } from './routes/route.mts';
import {
	checkBody,
	checkParameters,
	checkVersion,
	contractViolation,
	parseBody,
} from './validation.mts';
import type { ServiceState } from './state.mts';

/** A fault of the control API, with its number, or what a dialect has between service and caller. */
type Striking = FaultRule & Partial<Pick<ActiveFault, 'id'>>;

export interface ApiParts {
	state: ServiceState;
	record: RequestRecord;
	faults: Faults;
	rateLimit: RateLimit;
	/** The dialects that the service speaks */
	layer: DialectLayer;
	/** Receives what the service itself did wrong */
	log: (problem: string) => void;
}

/** 10 MiB of text can grow sixfold in JSON. Whether a file is too big is decided once its content is known. */
const bodyLimit = 64 * 1024 * 1024;

/** Registers the API. `parts.state.store` may be replaced while it runs. */
export function registerApi(app: FastifyInstance, parts: ApiParts): void {
	// Bodies stay unparsed: a broken one gets an answer of the API, and goes into the record
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

	// An operation that nobody has written yet answers with the contract's example.
	const examples = namedOperations.map(({ operationId, example }) => [operationId, () => example]);
	const handlers = { ...Object.fromEntries(examples), ...routes(parts.state) } as ReturnType<
		typeof routes
	>;
	for (const shared of sharedRoutes(parts.layer)) {
		const { method, path } = parts.layer.requestFor(shared[0]);
		app.route({
			method,
			url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
			bodyLimit,
			handler(request, reply) {
				const operation = getOperation(parts.layer, shared, request);
				return serve(parts, operation, handlers[operation.operationId], request, reply);
			},
		});
	}
	app.setNotFoundHandler((request, reply) => {
		const message = `There is no ${request.method} ${getPath(request)} here.`;
		const answer = refuse(404, 'not_found', message);
		Object.assign(recordRequest(parts, request), { status: 404, answer: recordable(answer.text) });
		return send(reply, answer);
	});
}

/** The operations by method and path: some share theirs. */
function sharedRoutes(layer: DialectLayer): NamedOperation[][] {
	const places = Object.groupBy(namedOperations, (operation) => {
		const { method, path } = layer.requestFor(operation);
		return `${method} ${path}`;
	});
	// A group has at least one member
	return Object.values(places) as NamedOperation[][];
}

/** The operation that a request is for. */
const getOperation = (layer: DialectLayer, shared: NamedOperation[], request: FastifyRequest) =>
	shared.length === 1
		? shared[0]
		: layer.pick(shared, parseJson(rawBody(request)?.toString() ?? ''));

// The parser above passes on every body as it came
const rawBody = (request: FastifyRequest) => request.body as Buffer | undefined;

/** An error as the service writes it. */
const refuse = (
	status: number,
	code: string,
	message: string,
	headers: Record<string, string> = {},
): WireAnswer => jsonAnswer(status, envelope(code, message), headers);

const getPath = (request: FastifyRequest) => request.url.split('?')[0];

function recordRequest({ record, state }: ApiParts, request: FastifyRequest) {
	const { headers } = request;
	return record.add({
		at: new Date(state.clock.wallNow()).toISOString(),
		method: request.method,
		path: getPath(request),
		query: request.query as Call['query'],
		version: headers['service-api-version']?.toString(),
		headers: redact(headers),
		key: findKey(state.store.keys, headers.authorization)?.name,
		body: recordable(rawBody(request)?.toString()),
		status: null,
	});
}

async function serve(
	parts: ApiParts,
	operation: NamedOperation,
	handler: Handler,
	request: FastifyRequest,
	reply: FastifyReply,
) {
	const { faults, state } = parts;
	const entry = recordRequest(parts, request);
	const striking: Striking[] = [...faults.strike('request', operation.operationId)];
	for (const { ms = 0 } of striking.filter(({ kind }) => kind === 'latency')) await sleep(ms);

	const processed = striking.every((fault) => fault.process ?? faultKinds[fault.kind].processes);
	const answer = processed
		? await answerTo(parts, operation, handler, request)
		: { ending: 'whole' as const, status: 0, headers: {}, text: '' };
	const service: FaultyService = {
		wallNow: state.clock.wallNow(),
		refuse,
	};
	const struck = (wire: WireAnswer, by: Striking[]) =>
		by.reduce((soFar, fault) => faultKinds[fault.kind].apply(soFar, fault, service), wire);
	let wire = struck(answer, striking);
	if (hasPending(wire)) {
		const more = faults.strike('answer', operation.operationId);
		striking.push(...more);
		wire = struck(wire, more);
	}
	entry.status = arrives(wire) ? wire.status : null;
	entry.answer = recordable(processed ? answer.text : wire.text);
	entry.fault = describe(striking.at(-1), processed);
	return send(reply, wire);
}

const hasPending = ({ text }: WireAnswer) => /"pendingInteractions":\[\{/.test(text);
const arrives = ({ ending }: WireAnswer) => ending === 'whole' || ending === 'half';
const describe = (fault: Striking | undefined, processed: boolean) =>
	fault && { id: fault.id ?? 0, kind: fault.kind, processed };

/** The service's real answer, checked against the contract. */
async function answerTo(
	parts: ApiParts,
	operation: NamedOperation,
	handler: Handler,
	request: FastifyRequest,
): Promise<WireAnswer> {
	const { layer, state } = parts;
	try {
		const { status, body, text } = await getAnswer(parts, operation, handler, request);
		const violation = contractViolation(operation, status, body);
		if (violation !== undefined) throw new Error(violation);
		const written = layer.writeAnswer(operation, { status, headers: {}, body }, state.store);
		if (written.body === undefined) return { ...written, ending: 'whole', text: '' };
		return jsonAnswer(
			written.status,
			written.body,
			written.headers,
			written.body === body ? text : undefined,
		);
	} catch (error) {
		if (error instanceof ApiError)
			return refuse(statusOf[error.code], error.code, error.message, error.headers);
		parts.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
		return refuse(500, 'internal_error', 'The service failed; its log says why.');
	}
}

/**
 * Returns the handler's answer, or a page of it if the dialect cuts lists in another way than the routes.
 * @throws ApiError
 */
async function getAnswer(
	parts: ApiParts,
	operation: NamedOperation,
	handler: Handler,
	request: FastifyRequest,
): Promise<Answer> {
	const { layer } = parts;
	const { queries, call } = admit(parts, operation, request);
	if (!layer.paging) return await handler(call(queries[0]));
	const answers: Array<Answer & { query: Call['query'] }> = [];
	for (const { cursor: _, ...query } of queries)
		try {
			answers.push({ ...(await handler({ ...call(query), limit: Infinity })), query });
		} catch (error) {
			// In a list of everything, what is in one project only is not in the others.
			if (queries.length === 1 || !(error instanceof ApiError)) throw error;
		}
	const [{ query: _, ...first }] = answers;
	return { ...first, body: getPage(answers, queries[0], layer.paging) };
}

/**
 * Every check between a request and its handler, in order.
 * @throws ApiError
 */
function admit(
	{ state, rateLimit, layer }: ApiParts,
	operation: NamedOperation,
	request: FastifyRequest,
) {
	const key = authenticate(state.store.keys, request.headers.authorization);
	const seconds = rateLimit.take(key.token, state.clock.wallNow());
	if (seconds > 0)
		throw new ApiError('too_many_requests', `Too many requests. Try again in ${seconds} s.`, {
			'retry-after': String(seconds),
		});
	checkVersion(operation, request.headers, layer.requestFor(operation).version);
	requireScopes(key, operation.scopes);
	const { params, query } = layer.readParameters(
		operation,
		// Fastify's parsers make texts of both; a parameter that is given twice is refused below
		{ params: request.params as Call['params'], query: request.query as Call['query'] },
		state.store,
	);
	const queries = layer.queriesFor(operation, query, state.store);
	checkParameters(operation, { path: params, query: queries[0] });
	const given = parseBody(operation, rawBody(request), request.headers['content-type']);
	const body = layer.readBody(operation, given, state.store);
	// A dialect that ignores unknown fields changes nothing if it knows none of them.
	const isNothing =
		operation.method === 'PATCH' && isObject(body) && Object.keys(body).length === 0;
	if (!layer.ignores || !isNothing) checkBody(operation, body);
	const origin = `${request.protocol}://${request.host}`;
	const call = (own: Call['query']): Call => ({
		params,
		query: own,
		limit: own.limit === undefined ? undefined : Number(own.limit),
		body,
		key,
		origin,
	});
	return { queries, call };
}

/** Returns a text in the charset that the answer names. JSON has escapes for the characters that Latin-1 lacks. */
function encode({ headers, text }: WireAnswer): string | Buffer {
	if (!headers['content-type']?.endsWith('charset=iso-8859-1')) return text;
	const escape = (character: string) =>
		`\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
	return Buffer.from(text.replace(/[^\0-\xff]/g, escape), 'latin1');
}

/** Sends an answer, whole or broken, as its `ending` says. */
function send(reply: FastifyReply, wire: WireAnswer): FastifyReply {
	if (wire.ending === 'whole') {
		reply.status(wire.status).headers(wire.headers);
		// Fastify gives an empty text its own type
		return wire.text === '' && !wire.headers['content-type']
			? reply.send()
			: reply.send(encode(wire));
	}
	reply.hijack();
	const { socket } = reply.raw;
	if (wire.ending === 'reset') socket?.destroy();
	if (wire.ending === 'half') {
		const bytes = Buffer.from(wire.text);
		reply.raw.writeHead(wire.status, { ...wire.headers, 'content-length': bytes.length });
		reply.raw.write(bytes.subarray(0, bytes.length >> 1), () => socket?.destroy());
	}
	return reply;
}
