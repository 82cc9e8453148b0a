import type { IExecuteSingleFunctions } from 'n8n-workflow';

import type { Values } from '../../../shared/api/types';
import { WorkspaceAutomationError } from '../../../shared/base/errors';
import { requireString } from '../../../shared/base/validation';
import { inMib, MIB } from '../../../shared/base/values';
import { Base64 } from '../../../shared/transport/httpRequest';

/** The limit on file content (API document, Limits) */
const LARGEST_BYTES = 10 * MIB;

function refuseTooLarge(field: string, bytes: number): void {
	if (bytes <= LARGEST_BYTES) return;
	throw new WorkspaceAutomationError(
		`'${field}' is too large`,
		`The service takes at most ${inMib(LARGEST_BYTES)} a file; this is ${(bytes / MIB).toFixed(1)} MiB.`,
	);
}

/** A text that a file can hold. */
export function requireContent(field: string, value: unknown): string {
	const text = requireString(field, value);
	refuseTooLarge(field, Buffer.byteLength(text));
	return text;
}

/** The values of a file that comes from a binary field of the item, its own name among them. */
export async function binaryContent(
	context: IExecuteSingleFunctions,
	name: string,
): Promise<Values> {
	const { binary = {} } = context.getInputData();
	if (!(name in binary)) {
		const there = Object.keys(binary);
		throw new WorkspaceAutomationError(
			`'Input Binary Field' names "${name}", which is not in the input`,
			there.length > 0
				? `The item has these binary fields: ${there.join(', ')}.`
				: 'The item has no binary data. Put a node before this one that reads or downloads a file.',
		);
	}
	const buffer = await context.helpers.getBinaryDataBuffer(name);
	refuseTooLarge('Input Binary Field', buffer.length);
	const { mimeType, fileName } = binary[name];
	return { data: new Base64(buffer), contentType: mimeType || undefined, name: fileName };
}
