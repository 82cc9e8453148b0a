// The API: every operation of the contract as a route, and what happens around each handler.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { operations, type Operation } from '../openapi/contract.mts';
import { authenticate, findKey, requireScopes } from './auth.mts';
import { ApiError, envelope, statusOf } from './errors.mts';
import { faultKinds, jsonAnswer, type WireAnswer } from './fault-kinds.mts';
import type { ActiveFault, Faults } from './faults.mts';
import type { RateLimit } from './rate-limit.mts';
import { recordable, redact, type RequestRecord } from './record.mts';
import { routes } from './routes/index.mts';
import type { Call, Handler } from './routes/route.mts';
import { checkParameters, checkVersion, contractViolation, readBody } from './validation.mts';
import type { ServiceState } from './state.mts';

export interface ApiParts {
	state: ServiceState;
	record: RequestRecord;
	faults: Faults;
	rateLimit: RateLimit;
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

	const handlers = routes(parts.state);
	for (const operation of operations) {
		const handler = handlers[operation.operationId];
		if (!handler) throw new Error(`No handler for ${operation.operationId}`);
		app.route({
			method: operation.method,
			url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
			bodyLimit,
			handler: (request, reply) => serve(parts, operation, handler, request, reply),
		});
	}
	app.setNotFoundHandler((request, reply) => {
		const answer = jsonAnswer(
			404,
			envelope('not_found', `There is no ${request.method} ${pathOf(request)} here.`),
		);
		Object.assign(recordRequest(parts, request), { status: 404, answer: JSON.parse(answer.text) });
		return send(reply, answer);
	});
}

const pathOf = (request: FastifyRequest) => request.url.split('?')[0];

function recordRequest({ record, state }: ApiParts, request: FastifyRequest) {
	const { headers } = request;
	return record.add({
		at: new Date(state.clock.wallNow()).toISOString(),
		method: request.method,
		path: pathOf(request),
		query: request.query,
		version: headers['service-api-version']?.toString(),
		headers: redact(headers),
		key: findKey(state.store.keys, headers.authorization)?.name,
		body: recordable((request.body as Buffer | undefined)?.toString()),
		status: null,
	});
}

async function serve(
	parts: ApiParts,
	operation: Operation,
	handler: Handler,
	request: FastifyRequest,
	reply: FastifyReply,
) {
	const { faults, state } = parts;
	const entry = recordRequest(parts, request);
	const striking = faults.strike('request', operation.operationId);
	for (const { ms = 0 } of striking.filter(({ kind }) => kind === 'latency')) await sleep(ms);

	const processed = striking.every((fault) => fault.process ?? faultKinds[fault.kind].processes);
	const answer = processed
		? await answerTo(parts, operation, handler, request)
		: { ending: 'whole' as const, status: 0, headers: {}, text: '' };
	const struck = (wire: WireAnswer, by: ActiveFault[]) =>
		by.reduce(
			(soFar, fault) => faultKinds[fault.kind].apply(soFar, fault, state.clock.wallNow()),
			wire,
		);
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
const describe = (fault: ActiveFault | undefined, processed: boolean) =>
	fault && { id: fault.id, kind: fault.kind, processed };

/** The service's real answer, checked against the contract. */
async function answerTo(
	parts: ApiParts,
	operation: Operation,
	handler: Handler,
	request: FastifyRequest,
): Promise<WireAnswer> {
	try {
		const { status, body, text } = await handler(admit(parts, operation, request));
		const violation = contractViolation(operation, status, body);
		if (violation !== undefined) throw new Error(violation);
		return jsonAnswer(status, body, {}, text);
	} catch (error) {
		if (error instanceof ApiError)
			return jsonAnswer(statusOf[error.code], envelope(error.code, error.message), error.headers);
		parts.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
		return jsonAnswer(500, envelope('internal_error', 'The service failed; its log says why.'));
	}
}

/**
 * Every check between a request and its handler, in order.
 * @throws ApiError
 */
function admit(
	{ state, rateLimit }: ApiParts,
	operation: Operation,
	request: FastifyRequest,
): Call {
	const key = authenticate(state.store.keys, request.headers.authorization);
	const seconds = rateLimit.take(key.token, state.clock.wallNow());
	if (seconds > 0)
		throw new ApiError('too_many_requests', `Too many requests. Try again in ${seconds} s.`, {
			'retry-after': String(seconds),
		});
	checkVersion(operation, request.headers);
	requireScopes(key, operation.scopes);
	const params = request.params as Call['params'];
	const query = request.query as Call['query'] & { limit?: string };
	checkParameters(operation, { path: params, query });
	const body = readBody(
		operation,
		request.body as Buffer | undefined,
		request.headers['content-type'],
	);
	const origin = `${request.protocol}://${request.host}`;
	return {
		params,
		query,
		limit: query.limit === undefined ? undefined : Number(query.limit),
		body,
		key,
		origin,
	};
}

/** Sends an answer, whole or broken, as its `ending` says. */
function send(reply: FastifyReply, wire: WireAnswer): FastifyReply {
	if (wire.ending === 'whole')
		return reply.status(wire.status).headers(wire.headers).send(wire.text);
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
