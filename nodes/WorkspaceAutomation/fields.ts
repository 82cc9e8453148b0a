import type { IDataObject } from 'n8n-workflow';

import { requireId, requireString, requireText } from '../shared/base/validation';
import { projectLocator, siteId as siteIdField } from '../shared/n8n/descriptions';
import type { Field, Operation } from '../shared/n8n/operation';

// What several resources have in common.

export const projectId: Field = { ...projectLocator, check: requireId };

export const siteId: Field = { ...siteIdField, check: requireId };

/** A text of the request. One that is required may not be empty. */
export const textField = (displayName: string, name: string, more: Partial<Field>): Field => ({
	displayName,
	name,
	type: 'string',
	default: '',
	check: more.required ? requireText : requireString,
	...more,
});

/** With Simplify on, each item as `simple` makes it, without what the service has not said. */
export const simplified = (simple: (json: IDataObject) => IDataObject): Operation['output'] =>
	function (items) {
		if (this.getNodeParameter('simplify', true) !== true) return items;
		return items.map(({ json }) => {
			const known = Object.entries(simple(json)).filter(([, value]) => value !== undefined);
			return { json: Object.fromEntries(known) as IDataObject };
		});
	};
