// Effects of each kind of fault on an answer: a table of pure functions.
import { getCode } from './errors.mts';
import type { FaultRule } from './faults.mts';

/** An answer as it is sent. */
export interface WireAnswer {
	/** `half`: the body is cut in the middle; `reset`: the socket is closed without an answer; `never`: the caller waits for ever */
	ending: 'whole' | 'half' | 'reset' | 'never';
	status: number;
	headers: Record<string, string>;
	text: string;
}

const json = { 'content-type': 'application/json; charset=utf-8' };

/** A JSON answer that arrives whole; `text` is the serialized body. */
export const jsonAnswer = (
	status: number,
	body: unknown,
	headers: Record<string, string> = {},
	text = JSON.stringify(body),
): WireAnswer => ({
	ending: 'whole',
	status,
	headers: { ...json, ...headers },
	text,
});

interface Kind {
	/** `request`: applies to any request; `answer`: only where the answer has pending interactions */
	stage: 'request' | 'answer';
	/** True if the service carries the request out, unless the rule says otherwise */
	processes: boolean;
	/**
	 * @param wire the real answer, or an empty one when the request was not carried out
	 */
	apply(wire: WireAnswer, rule: FaultRule, service: FaultyService): WireAnswer;
}

/** Parts of the service that a fault uses. */
export interface FaultyService {
	/** Wall time in milliseconds */
	wallNow: number;
	/** An error as the service writes it */
	refuse(
		status: number,
		code: string,
		message: string,
		headers?: Record<string, string>,
	): WireAnswer;
}

/** The message of an error that a fault makes */
const requested = 'A fault was requested.';

const httpDate = (time: number) => new Date(time).toUTCString();

function statusFault(
	{ status = 503, code = getCode(status), message = requested, retryAfter }: FaultRule,
	{ wallNow, refuse }: FaultyService,
): WireAnswer {
	const after =
		typeof retryAfter === 'object'
			? httpDate(wallNow + retryAfter.date * 1000)
			: retryAfter?.toString();
	return refuse(status, code, message, after === undefined ? {} : { 'retry-after': after });
}

/** Shifts every timestamp in an answer, and its `Date` header. */
function skew(wire: WireAnswer, ms: number, wallNow: number): WireAnswer {
	const text = wire.text.replace(
		/"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"/g,
		(_, moment: string) => JSON.stringify(new Date(Date.parse(moment) + ms).toISOString()),
	);
	return { ...wire, text, headers: { ...wire.headers, date: httpDate(wallNow + ms) } };
}

function changePending(wire: WireAnswer, change: (pending: unknown[]) => unknown[]): WireAnswer {
	const body = JSON.parse(wire.text);
	return {
		...wire,
		text: JSON.stringify({ ...body, pendingInteractions: change(body.pendingInteractions) }),
	};
}

const html =
	'<!doctype html><html><head><title>Sign in</title></head><body><h1>Welcome to the guest network</h1></body></html>';

export const faultKinds = {
	status: {
		stage: 'request',
		processes: false,
		apply: (_, rule, service) => statusFault(rule, service),
	},
	latency: { stage: 'request', processes: true, apply: (wire) => wire },
	reset: { stage: 'request', processes: false, apply: (wire) => ({ ...wire, ending: 'reset' }) },
	'reset-after': {
		stage: 'request',
		processes: true,
		apply: (wire) => ({ ...wire, ending: 'reset' }),
	},
	half: { stage: 'request', processes: true, apply: (wire) => ({ ...wire, ending: 'half' }) },
	html: {
		stage: 'request',
		processes: false,
		apply: () => ({
			ending: 'whole',
			status: 200,
			headers: { 'content-type': 'text/html; charset=utf-8' },
			text: html,
		}),
	},
	redirect: {
		stage: 'request',
		processes: false,
		apply: () => ({
			ending: 'whole',
			status: 302,
			headers: { location: 'https://login.example.com/' },
			text: '',
		}),
	},
	empty: {
		stage: 'request',
		processes: true,
		apply: () => ({ ending: 'whole', status: 200, headers: json, text: '' }),
	},
	hang: { stage: 'request', processes: false, apply: (wire) => ({ ...wire, ending: 'never' }) },
	'content-type': {
		stage: 'request',
		processes: true,
		apply: (wire, { contentType = 'text/plain' }) => ({
			...wire,
			headers: { ...wire.headers, 'content-type': contentType },
		}),
	},
	'not-found': {
		stage: 'request',
		processes: false,
		apply: (_, { message = requested }, { refuse }) => refuse(404, 'not_found', message),
	},
	skew: {
		stage: 'request',
		processes: true,
		apply: (wire, { ms = 0 }, { wallNow }) => skew(wire, ms, wallNow),
	},
	'duplicate-interactions': {
		stage: 'answer',
		processes: true,
		apply: (wire) =>
			changePending(wire, (pending) =>
				pending.flatMap((interaction) => [interaction, interaction]),
			),
	},
	'vanishing-interactions': {
		stage: 'answer',
		processes: true,
		apply: (wire) => changePending(wire, () => []),
	},
} satisfies Record<string, Kind>;

export type FaultKind = keyof typeof faultKinds;
