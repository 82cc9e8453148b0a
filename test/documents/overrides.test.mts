// The page on overrides lists every operation with its placeholders, as the code has them.
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { operationRow, type OperationId } from '../../nodes/shared/client/operations.ts';
import { OPERATIONS } from '../../nodes/shared/client/operationTable.ts';
import { readOverrides } from '../../nodes/shared/client/overrides.ts';
import {
	assumedAnswer,
	assumedRequests,
	type RequestTemplate,
} from '../../local-service/dialects/assumed-requests.mts';

const page = readFileSync(new URL('../../docs/overrides.md', import.meta.url), 'utf8');
const operations = Object.keys(OPERATIONS) as OperationId[];

test('every example is accepted', () => {
	const examples = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text]) => text);
	expect(examples.length).toBeGreaterThan(0);
	for (const example of examples) expect(() => readOverrides(example)).not.toThrow();
});

test('the nodes and the local service assume the same requests', () => {
	for (const operation of operations) {
		const { method, path, query = {}, body = {} } = operationRow(operation);
		// One that sends nothing but its path needs no entry there.
		const { resolveInteraction } = assumedRequests;
		const others: Partial<Record<string, RequestTemplate>> = {
			...assumedRequests,
			answerQuestion: { ...resolveInteraction, body: assumedAnswer },
		};
		const other = others[operation] ?? { method, path };
		expect([operation, { method, path, query, body }]).toEqual([
			operation,
			{ method: other.method, path: other.path, query: other.query ?? {}, body: other.body ?? {} },
		]);
	}
});
