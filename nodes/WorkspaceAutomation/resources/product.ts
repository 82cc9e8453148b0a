import { WorkspaceAutomationError } from '../../shared/errors';
import { optionalId, parseJsonObject } from '../../shared/validation';
import { productLocator, projectLocator, returnAllOrLimit } from '../../shared/n8n/commonFields';
import { jsonField } from '../../shared/n8n/fields';
import type { Operation } from '../../shared/n8n/sendOperation';

function requireSomeFields(field: string, value: unknown): Record<string, unknown> {
	const fields = parseJsonObject(field, value);
	if (Object.keys(fields).length > 0) return fields;
	throw new WorkspaceAutomationError(
		`'${field}' is empty`,
		'Enter the fields of the product, such as {"name": "Gift card"}.',
	);
}

/** The API document shows no field of a product, so they are entered as JSON. */
const productFields = jsonField('Fields', 'fields', 'The fields of the product as a JSON object', {
	required: true,
	placeholder: 'e.g. {"name": "Gift card", "price": 25}',
	check: requireSomeFields,
	isExtra: true,
});

export const product: Record<string, Operation> = {
	create: {
		description: 'Create a product in a project',
		request: 'createProduct',
		fields: [projectLocator, productFields],
	},
	getAll: {
		description: 'Get many products of a project',
		request: 'listProducts',
		fields: [projectLocator, ...returnAllOrLimit],
	},
	update: {
		description: 'Change fields of a product',
		request: 'updateProduct',
		fields: [
			{
				...projectLocator,
				required: false,
				description: 'The project of the product. Fills the list of products.',
				check: optionalId,
			},
			productLocator,
			productFields,
		],
	},
};
