import { MAX_REQUEST_BYTES } from '../limits';
import { canBeId } from '../validation';
import { isRecord, isString, quote, toText } from '../values';
import { quoteVisible } from './visibleText';

// A pending request that isn't as the API document shows it, or that is too large. Nobody decides it here.

/** Key of this package's mark on what is left of a request that is too large */
const TOO_LARGE = 'n8nTooLarge';
const MAX_PERMISSION_CHARACTERS = 200;

type AnyFields = Record<string, unknown>;

/** Returns a request as it is. Of one that is too large, only what it is called is left. */
export function limitRequest<T extends AnyFields & { id: string; type: string }>(
	request: T,
): AnyFields & { id: string; type: string } {
	const bytes = Buffer.byteLength(JSON.stringify(request));
	if (bytes <= MAX_REQUEST_BYTES) return request;
	const { id, type, permission } = request;
	const isNamed = typeof permission === 'string';
	return {
		id,
		type: type.slice(0, MAX_PERMISSION_CHARACTERS),
		...(isNamed && { permission: permission.slice(0, MAX_PERMISSION_CHARACTERS) }),
		[TOO_LARGE]: bytes,
	};
}

const isListedOption = (value: unknown): boolean =>
	isRecord(value) && isString(value.value) && isString(value.label);
const isListOf = (value: unknown, isRight: (each: unknown) => boolean): boolean =>
	Array.isArray(value) && value.every(isRight);

const optionsOf = ({ response }: AnyFields): unknown =>
	isRecord(response) ? response.options : undefined;

/** What the API document shows of a permission */
const PERMISSION_SHAPE: ReadonlyArray<
	[
		field: string,
		read: (request: AnyFields) => unknown,
		isRight: (value: unknown) => boolean,
		is: string,
	]
> = [
	[
		'permission',
		({ permission }) => permission,
		(value) => isString(value) && value.length <= MAX_PERMISSION_CHARACTERS,
		`a text of at most ${MAX_PERMISSION_CHARACTERS} characters`,
	],
	['patterns', ({ patterns }) => patterns, (value) => isListOf(value, isString), 'a list of texts'],
	[
		'response.options',
		optionsOf,
		(value) => isListOf(value, isListedOption),
		'a list of options with a value and a label',
	],
	[
		'metadata',
		({ metadata }) => metadata,
		(value) => value === undefined || isRecord(value),
		'an object',
	],
];

/** Returns what keeps everybody from deciding a request here, or undefined. */
export function findShapeProblem(request: AnyFields): string | undefined {
	if (TOO_LARGE in request) return 'it is too large';
	if (request.type !== 'permission') return undefined;
	const wrong = PERMISSION_SHAPE.find(([, readField, isRight]) => !isRight(readField(request)));
	if (!wrong) return undefined;
	const [field, readField, , is] = wrong;
	const verb = field.endsWith('s') ? "aren't" : "isn't";
	return `its ${field} ${verb} ${is}: ${quote(readField(request), 100)}`;
}

/** Returns why nobody can answer a pending request, or undefined. */
export const findUnanswerable = ({ id }: Record<string, unknown>): string | undefined =>
	typeof id === 'string' && canBeId(id) ? undefined : 'it has no ID to answer to';

/** Returns the reason why a pending request can't be decided, or undefined. */
export function findObstacle(interaction: unknown): string | undefined {
	if (!isRecord(interaction)) return "it isn't an object";
	const { type } = interaction;
	return (
		findUnanswerable(interaction) ??
		(type === 'permission'
			? undefined
			: `its type ${quoteVisible(toText(type), 60)} isn't a permission request`)
	);
}
