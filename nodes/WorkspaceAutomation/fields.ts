import type { IDataObject } from 'n8n-workflow';

import {
	optionalId,
	requireId,
	requireOneOf,
	requireString,
	requireText,
} from '../shared/validation';
import {
	choice,
	field,
	fileLocator,
	folderLocator,
	projectLocator,
	siteId as siteIdField,
	type Choices,
} from '../shared/n8n/fields';
import type { Field, Operation } from '../shared/n8n/declarative';

// What several resources have in common.

export const projectField: Field = { ...projectLocator, check: requireId };

export const siteField: Field = { ...siteIdField, check: requireId };

/** Nothing is sent where it is left empty. */
export const parentField: Field = { ...folderLocator, check: optionalId };

/** A file or folder, and the project that fills the list of them; that is not sent. */
export const fileFields: Field[] = [
	{
		...projectLocator,
		required: false,
		description: 'Only fills the list of files; not needed with an ID',
	},
	{ ...fileLocator, check: requireId },
];

/** A text of the request. One that is required may not be empty. */
export const textField = (displayName: string, name: string, more: Partial<Field>): Field => ({
	...field(displayName, name, 'string', '', {}),
	check: more.required ? requireText : requireString,
	...more,
});

/** A choice of the request: one of what it offers, but for what stands for no choice yet. */
export const choiceField = (
	displayName: string,
	name: string,
	value: string,
	description: string,
	choices: Choices,
): Field => ({
	...choice(displayName, name, value, description, choices),
	check: (field, chosen) => requireOneOf(field, chosen, Object.keys(choices).filter(Boolean)),
});

/** With Simplify on, each item as `simple` makes it, without what the service has not said. */
export const simplifyOutput = (simple: (json: IDataObject) => IDataObject): Operation['output'] =>
	function (items) {
		if (this.getNodeParameter('simplify', true) !== true) return items;
		return items.map(({ json }) => {
			const known = Object.entries(simple(json)).filter(([, value]) => value !== undefined);
			return { json: Object.fromEntries(known) as IDataObject };
		});
	};
