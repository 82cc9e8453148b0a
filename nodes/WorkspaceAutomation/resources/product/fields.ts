import { WorkspaceAutomationError } from '../../../shared/base/errors';
import { requireJsonObject } from '../../../shared/base/validation';
import type { Field } from '../../../shared/n8n/operation';

/** The fields of a product, or a refusal of none. */
function requireSomeFields(field: string, value: unknown): Record<string, unknown> {
	const fields = requireJsonObject(field, value);
	if (Object.keys(fields).length > 0) return fields;
	throw new WorkspaceAutomationError(
		`'${field}' is empty`,
		'Enter the fields of the product, such as {"name": "Gift card"}.',
	);
}

/** The API document shows no field of a product, so they are entered as JSON. */
export const productFields: Field = {
	displayName: 'Fields',
	name: 'fields',
	type: 'json',
	default: '{}',
	required: true,
	placeholder: 'e.g. {"name": "Gift card", "price": 25}',
	description: 'The fields of the product as a JSON object',
	check: requireSomeFields,
	isExtra: true,
};
