import type { IDataObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../shared/errors';
import { fileLocator, projectLocator } from '../shared/n8n/commonFields';
import type { Operation } from '../shared/n8n/sendOperation';
import type { Field } from '../shared/n8n/fields';
import { MAX_FILE_BYTES } from '../shared/limits';
import { formatMib, MIB } from '../shared/values';

export const fileFields: Field[] = [
	{
		...projectLocator,
		required: false,
		description: 'Only fills the list of files. Not needed with an ID.',
		check: undefined,
	},
	fileLocator,
];

/** With Simplify on, applies `simple` to each item and removes undefined fields. */
export const simplifyOutput = (simple: (json: IDataObject) => IDataObject): Operation['output'] =>
	function (items, { simplify }) {
		if (simplify !== true) return items;
		return items.map(({ json }) => {
			const known = Object.entries(simple(json)).filter(([, value]) => value !== undefined);
			return { json: Object.fromEntries(known) as IDataObject };
		});
	};

export function requireFileSize(field: string, bytes: number): void {
	if (bytes <= MAX_FILE_BYTES) return;
	throw new WorkspaceAutomationError(
		`'${field}' is too large`,
		`The service takes at most ${formatMib(MAX_FILE_BYTES)} per file. This file has ${(Math.ceil((bytes / MIB) * 10) / 10).toFixed(1)} MiB.`,
	);
}
