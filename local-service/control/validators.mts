// Validators of the control API's bodies, compiled once for all services of the process: tests start many.
import { Ajv, type AnySchemaObject, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';

// ajv-formats is CommonJS: under Node its function is the default of its default.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

// Unknown fields are refused instead of dropped
const ajv = new Ajv({ removeAdditional: false, coerceTypes: false, allowUnionTypes: true });
addFormats(ajv);

const compiled = new WeakMap<object, ValidateFunction>();

/** The validator of a schema; Fastify asks for it when a route is registered. */
export function validatorFor({ schema }: { schema: AnySchemaObject }): ValidateFunction {
	const validate = compiled.get(schema) ?? ajv.compile(schema);
	compiled.set(schema, validate);
	return validate;
}
