import type { INodeProperties } from 'n8n-workflow';

import { Problem } from '../../../shared/problem';
import { step } from '../../../shared/routed';
import { requireJsonObject } from '../../../shared/validate';

/** The API document shows no field of a product, so they are entered as JSON. */
export const productFields = (show: Record<string, string[]>): INodeProperties => ({
	displayName: 'Fields',
	name: 'fields',
	type: 'json',
	default: '{}',
	required: true,
	placeholder: 'e.g. {"name": "Gift card", "price": 25}',
	description: 'The fields of the product as a JSON object',
	displayOptions: { show },
});

/** Puts the product's fields into the request, beside what is there. */
export const sendProductFields = step(function (request) {
	const fields = requireJsonObject('Fields', this.getNodeParameter('fields'));
	if (Object.keys(fields).length === 0)
		throw new Problem(
			'Fields is empty',
			'Enter the fields of the product, such as {"name": "Gift card"}.',
		);
	return { ...request, body: { ...fields, ...(request.body as object) } };
});
