import { fingerprint, isRecord, sizeOf } from '../values';

// A request with thousands of fields has a short form, which identifies it: its record, item, question and page have no more. It can only be
// denied there. Rules read the whole request, at the reading that shows it.

/** Fields and entries, at any depth, of a request that isn't large */
const MAX_FIELDS = 2_000;
/** Of those that a short form keeps */
const MAX_KEPT = 1_600;
const MAX_KEPT_OF_PART = 500;
/** With more, or without room for them, an object keeps `KEPT_NAMES` only, and a list nothing. */
const MAX_PARTS = 100;
/** Room for a part and, if all of it is left out, what says so */
const ROOM_OF_PART = 5;
/** The fields of options are at this depth. */
const MAX_DEPTH = 3;
/** The first have room first: a request without options can't be denied. */
const KEPT_NAMES = (
	'response options value label id type permission patterns command cwd ' +
	'description instruction scope question text title prompt message metadata'
).split(' ');

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
	const takeRoom = (parts: number): boolean => {
		const hasRoom = parts <= MAX_PARTS && parts * ROOM_OF_PART <= room;
		if (hasRoom) room -= parts * ROOM_OF_PART;
		return hasRoom;
	};
	const chooseNames = (fields: AnyFields, own: number): string[] => {
		const known = KEPT_NAMES.filter((name) => Object.hasOwn(fields, name));
		if (!takeRoom(own)) return takeRoom(known.length) ? known : [];
		// The service's own field of this name isn't ours.
		const names = Object.keys(fields).filter((name) => name !== LEFT_OUT);
		return [...new Set([...known, ...names])];
	};
	const shortenFields = (fields: AnyFields, depth: number): AnyFields => {
		const { own } = sizeOf(fields);
		const kept = depth > MAX_DEPTH ? [] : chooseNames(fields, own);
		// Unlike an assignment, it takes every name.
		const short = Object.fromEntries(kept.map((name) => [name, shorten(fields[name], depth + 1)]));
		if (kept.length === own) return short;
		const isKept = new Set(kept);
		const others = kept.length > 0 && Object.keys(fields).filter((name) => !isKept.has(name));
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
		return depth <= MAX_DEPTH && takeRoom(own)
			? value.map((each) => shorten(each, depth + 1))
			: [{ [LEFT_OUT]: leaveOut(own, value) }];
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
	return typeof fields === 'number' && fields > 0 ? fields : 0;
}
