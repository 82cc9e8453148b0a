// Reads the contract: its operations, with a validator for every parameter, body and answer.
import { readFileSync } from 'node:fs';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { parse } from 'yaml';

// ajv-formats is CommonJS: under Node its function is the default of its default.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

export interface Validate {
	(value: unknown): boolean;
	/** Errors of the last value, or null */
	errors?: ErrorObject[] | null;
}

export interface Operation {
	operationId: string;
	/** Upper case */
	method: string;
	/** As in the contract: `/tasks/{taskId}` */
	path: string;
	scopes: string[];
	parameters: Parameter[];
	/** Present if the method and path serve several operations (`x-operations`) */
	serves: Array<{ operationId: string; field: string }>;
	/** Undefined where the operation requires no body */
	validateBody?: Validate;
	/** By status: `'200'`, ..., `'default'` */
	validateAnswer: Record<string, Validate>;
	/** The success response with the contract's example */
	example: { status: number; body: unknown };
}

/** An operation under the name that overrides, faults and dialects use. */
export interface NamedOperation extends Operation {
	/** The field of the body that selects this operation, if a method and path serve several */
	field?: string;
}

export interface Parameter {
	name: string;
	in: 'path' | 'query' | 'header';
	required: boolean;
	validate: Validate;
}

export type Json = Record<string, any>;

export const contractFile = new URL('./workspace-automation.yaml', import.meta.url);
/** Allows other values beside those of an extensible enum. */
const extend = (_key: string, value: any): unknown => {
	const { 'x-extensible': isExtensible, enum: listed, ...schema } = value ?? {};
	return isExtensible ? { ...schema, anyOf: [{ enum: listed }, { type: schema.type }] } : value;
};

export const document = JSON.parse(
	JSON.stringify(parse(readFileSync(contractFile, 'utf8'))),
	extend,
) as Json;

// Texts from a query or a path are validated as the type that their schema names: `limit=100` is the integer 100.
// The document as a whole is no schema, so it is not checked as one.
const options = { strict: false, allErrors: true, validateFormats: true, validateSchema: false };
const ajv = new Ajv2020(options);
const ajvForText = new Ajv2020({ ...options, coerceTypes: true });
for (const instance of [ajv, ajvForText]) {
	addFormats(instance);
	instance.addSchema(document, 'contract');
}

/** Follows `$ref`s to the object that they name; `pointer` says where in the document it is. */
function resolve(pointer: string): { pointer: string; value: Json } {
	const value = pointer
		.split('/')
		.slice(1)
		.reduce((node, key) => node[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
	return typeof value.$ref === 'string' ? resolve(value.$ref) : { pointer, value };
}

/** Returns a part of the contract, or what it refers to. */
export const follow = (part: Json): Json =>
	typeof part.$ref === 'string' ? resolve(part.$ref).value : part;

/** Returns the examples of a schema. */
export const examplesOf = (schema: Json): unknown[] => follow(schema).examples ?? [];

const escape = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** Compiled at its first use: anyone who starts the service needs few of all. */
function validatorAt(pointer: string, by = ajv): Validate {
	const validate: Validate = (value) => {
		const compiled = by.getSchema(`contract${pointer}`) as ValidateFunction;
		const valid = compiled(value);
		validate.errors = compiled.errors;
		return valid;
	};
	return validate;
}

function readParameters(pointer: string, list: unknown[] | undefined): Parameter[] {
	return (list ?? []).map((_, index) => {
		const { pointer: at, value } = resolve(`${pointer}/${index}`);
		return {
			name: value.name,
			in: value.in,
			required: value.required === true,
			validate: validatorAt(`${at}/schema`, ajvForText),
		};
	});
}

const methods = ['get', 'post', 'patch', 'put', 'delete'];

/** Every method and path of the contract, in the file's order. */
export const operations: Operation[] = Object.entries(document.paths as Json).flatMap(
	([path, item]) =>
		methods
			.filter((method) => method in item)
			.map((method) => {
				const at = `#/paths/${escape(path)}/${method}`;
				const operation = item[method] as Json;
				const validateAnswer: Operation['validateAnswer'] = {};
				for (const status of Object.keys(operation.responses)) {
					const { pointer } = resolve(`${at}/responses/${status}`);
					validateAnswer[status] = validatorAt(`${pointer}/content/application~1json/schema`);
				}
				const success = Object.keys(operation.responses).find((status) => status.startsWith('2'))!;
				const { value } = resolve(`${at}/responses/${success}/content/application~1json/schema`);
				return {
					operationId: operation.operationId,
					method: method.toUpperCase(),
					path,
					scopes: operation['x-scopes'] ?? [],
					serves: Object.entries((operation['x-operations'] ?? {}) as Json)
						.filter(([, { field }]) => field !== undefined)
						.map(([operationId, { field }]) => ({ operationId, field })),
					parameters: [
						...readParameters(`#/paths/${escape(path)}/parameters`, item.parameters),
						...readParameters(`${at}/parameters`, operation.parameters),
					],
					validateBody: operation.requestBody?.required
						? validatorAt(`${at}/requestBody/content/application~1json/schema`)
						: undefined,
					validateAnswer,
					example: { status: Number(success), body: examplesOf(value)[0] },
				};
			}),
);

/** Every operation by its own name: `renameFile` and `moveFile` instead of the `updateFile` that serves both. */
export const namedOperations: NamedOperation[] = operations.flatMap((operation) =>
	operation.serves.length === 0
		? [operation]
		: operation.serves.map((named) => ({ ...operation, ...named })),
);

/** Validation errors as a sentence: `body/route must match pattern ...`. */
export function explain(where: string, errors: ErrorObject[] | null | undefined): string {
	return (errors ?? []).map((error) => `${where}${error.instancePath} ${error.message}`).join('; ');
}
