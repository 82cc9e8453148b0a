import { fingerprint, isRecord, sizeOf } from '../values';

// A request with thousands of fields has a short form, which identifies it: its record, item, question and page have no more. It can only be
// denied there. Rules read the whole request, at the reading that shows it.

/** Fields and entries, at any depth, of a request that isn't large */
const MAX_FIELDS = 2_000;
/** Of those that a short form keeps */
const MAX_KEPT = 1_600;
const MAX_KEPT_OF_PART = 500;
/** With more, an object keeps `KEPT_NAMES` only, and a list nothing. */
const MAX_PARTS = 100;
/** The fields of options are at this depth. */
const MAX_DEPTH = 3;
const KEPT_NAMES = new Set(
	(
		'id type permission patterns command cwd response metadata ' +
		'options value label description instruction scope question text title prompt message'
	).split(' '),
);

/** Key of this package's data in a short form, and in each part that was shortened */
export const LEFT_OUT = 'n8nLeftOut';

interface LeftOut {
	/** Number of fields and entries, in a request with those of all parts */
	fields: number;
	fingerprint?: string;
}

type AnyFields = Record<string, unknown>;

/** The whole request of what a short form leaves out, and the short form of a whole request */
const wholes = new WeakMap<object, AnyFields>();
const shortForms = new WeakMap<object, AnyFields>();

function createShortForm(request: AnyFields): AnyFields {
	let room = MAX_KEPT;
	let total = 0;
	const leaveOut = (fields: number, left: unknown): LeftOut => {
		total += fields;
		return { fields, fingerprint: fingerprint(JSON.stringify(left)) };
	};
	const shortenFields = (fields: AnyFields, depth: number): AnyFields => {
		const { own } = sizeOf(fields);
		const isKept = (name: string) => own <= MAX_PARTS || KEPT_NAMES.has(name);
		const names = own <= MAX_PARTS ? Object.keys(fields) : [...KEPT_NAMES];
		const kept = depth > MAX_DEPTH ? [] : names.filter((name) => Object.hasOwn(fields, name));
		// Unlike an assignment, it takes every name.
		const short = Object.fromEntries(kept.map((name) => [name, shorten(fields[name], depth + 1)]));
		if (kept.length === own) return short;
		const others = kept.length > 0 && Object.keys(fields).filter((name) => !isKept(name));
		const rest = others ? [others, others.map((name) => fields[name])] : fields;
		return { ...short, [LEFT_OUT]: leaveOut(own - kept.length, rest) };
	};
	const shorten = (value: unknown, depth: number): unknown => {
		const { own, all } = sizeOf(value);
		if (all <= Math.min(room, MAX_KEPT_OF_PART)) {
			room -= all;
			return value;
		}
		if (!Array.isArray(value)) return shortenFields(value as AnyFields, depth);
		return own > MAX_PARTS || depth > MAX_DEPTH
			? [{ [LEFT_OUT]: leaveOut(own, value) }]
			: value.map((each) => shorten(each, depth + 1));
	};
	const short = shortenFields(request, 0);
	const leftOut: LeftOut = { ...(short[LEFT_OUT] as LeftOut | undefined), fields: total };
	wholes.set(leftOut, request);
	const form = { ...short, [LEFT_OUT]: leftOut };
	shortForms.set(request, form);
	return form;
}

/**
 * Returns the short form of a request with more than `MAX_FIELDS` fields, any other request itself. Requests with the same content have
 * the same short form, unless their fields are in another order.
 * @param request not nested too deeply
 */
export function shortenRequest<T extends AnyFields>(request: T): T {
	if (sizeOf(request).all <= MAX_FIELDS) return request;
	return (shortForms.get(request) ?? createShortForm(request)) as T;
}

/** Returns the request that a short form is of, or undefined after n8n has saved it. Returns any other request itself. */
export function wholeRequest(request: AnyFields): AnyFields | undefined {
	const leftOut = request[LEFT_OUT];
	return isRecord(leftOut) ? wholes.get(leftOut) : request;
}

/** Returns the number of fields that a short form leaves out: 0 for any other request. */
export function countLeftOut(request: AnyFields): number {
	const { fields } = Object(request[LEFT_OUT]) as Partial<LeftOut>;
	return typeof fields === 'number' ? fields : 0;
}
