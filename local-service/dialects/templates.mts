// Requests written as their service's own documentation would show them: JSON with placeholders such as `{prompt}` for values.
// Pure: reading values out of a request, writing them into one, and laying one template over another.
import { isObject } from '../json.mts';

/** JSON in which a text that is exactly `{name}` represents a value with its type */
export type Template = string | number | boolean | null | Template[] | { [key: string]: Template };

export type Values = Record<string, unknown>;

/** A request does not look like its template; the message says where. */
export class TemplateMismatch extends Error {}

const placeholder = (template: Template): string | undefined =>
	typeof template === 'string' ? /^\{(\w+)\}$/.exec(template)?.[1] : undefined;

/** The names of all placeholders in a template. */
export function findPlaceholders(template: Template): string[] {
	const own = placeholder(template);
	if (own !== undefined) return [own];
	if (typeof template !== 'object' || template === null) return [];
	return Object.values(template).flatMap(findPlaceholders);
}

/**
 * The values that a request has where the template has placeholders. Missing fields have no value. Other fields are ignored.
 * @param at where we are, for messages: `body/content`
 * @throws TemplateMismatch where the request has another shape
 */
export function readValues(template: Template, value: unknown, at: string): Values {
	const name = placeholder(template);
	if (value === undefined) return {};
	if (name !== undefined) return { [name]: value };
	if (Array.isArray(template)) {
		if (!Array.isArray(value) || value.length !== template.length)
			throw new TemplateMismatch(`${at} must be an array of length ${template.length}`);
		return merged(template.map((item, index) => readValues(item, value[index], `${at}/${index}`)));
	}
	if (typeof template === 'object' && template !== null) {
		if (!isObject(value)) throw new TemplateMismatch(`${at} must be an object`);
		return merged(
			Object.entries(template).map(([key, part]) => {
				if (value[key] === undefined && findPlaceholders(part).length === 0 && !isObject(part))
					throw new TemplateMismatch(`${at}/${key} must be ${JSON.stringify(part)}`);
				return readValues(part, value[key], `${at}/${key}`);
			}),
		);
	}
	if (value !== template) throw new TemplateMismatch(`${at} must be ${JSON.stringify(template)}`);
	return {};
}

const merged = (parts: Values[]): Values => Object.assign({}, ...parts);

/** The request that a template and values make. What has no value is left out, and so is an object that this leaves empty. */
export function writeValues(template: Template, values: Values): unknown {
	const name = placeholder(template);
	if (name !== undefined) return values[name];
	if (Array.isArray(template)) return template.map((item) => writeValues(item, values));
	if (typeof template !== 'object' || template === null) return template;
	const entries = Object.entries(template)
		.map(([key, part]) => [key, writeValues(part, values)] as const)
		.filter(([, value]) => value !== undefined);
	return entries.length === 0 && Object.keys(template).length > 0
		? undefined
		: Object.fromEntries(entries);
}

/** A template without these placeholders; undefined when nothing else is in it. */
function without(template: Template, names: ReadonlySet<string>): Template | undefined {
	const name = placeholder(template);
	if (name !== undefined) return names.has(name) ? undefined : template;
	if (typeof template !== 'object' || template === null || !mentions(template, names))
		return template;
	const kept = Object.entries(template).flatMap(([key, part]) => {
		const rest = without(part, names);
		return rest === undefined ? [] : [[key, rest] as const];
	});
	if (kept.length === 0) return undefined;
	return Array.isArray(template) ? kept.map(([, rest]) => rest) : Object.fromEntries(kept);
}

const mentions = (template: Template, names: ReadonlySet<string>) =>
	findPlaceholders(template).some((name) => names.has(name));

function laidOver(base: Template | undefined, change: Template): Template {
	if (!isObject(base) || !isObject(change)) return change;
	const under = base as Record<string, Template>;
	return Object.entries(change as Record<string, Template>).reduce(
		(sum, [key, part]) => ({ ...sum, [key]: laidOver(sum[key], part) }),
		under,
	);
}

/** A template with the placeholders of `change` moved to where that has them. */
export function mergeTemplates(base: Template | undefined, change: Template): Template {
	const moved = new Set(findPlaceholders(change));
	return laidOver(base === undefined ? undefined : without(base, moved), change);
}

/** Returns the places of a template's placeholders: `[['source', 'data'], ...]`. */
function findPaths(template: Template, at: string[] = []): string[][] {
	if (placeholder(template) !== undefined) return [at];
	if (typeof template !== 'object' || template === null) return [];
	return Object.entries(template).flatMap(([key, part]) => findPaths(part, [...at, key]));
}

const at = (value: unknown, path: string[]): unknown =>
	path.reduce<unknown>(
		(inner, key) =>
			typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
		value,
	);

/** Returns the places where a request has a value of `known` that `template` doesn't have: `source/data`. */
export function strayField(
	template: Template,
	known: Template,
	value: unknown,
): string | undefined {
	return findPaths(known)
		.find((path) => at(value, path) !== undefined && at(template, path) === undefined)
		?.join('/');
}
