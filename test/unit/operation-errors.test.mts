// What an error of an operation says: in the words of what failed, with the service's own, and with the override that helps.
import { describe, expect, test } from '@jest/globals';
import type { OperationId, Values } from '../../nodes/shared/client/operations.ts';
import { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { product } from '../../nodes/WorkspaceAutomation/resources/product.ts';
import { apiWith, type Answer } from '../support/apiWith.mts';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const VALUES: Values = {
	...Object.fromEntries(
		['taskId', 'fileId', 'customDomainId', 'productId', 'sessionId', 'projectId', 'siteId'].map(
			(name) => [name, ID],
		),
	),
	interactionId: 'i1',
	type: 'permission',
	option: 'once',
	answer: 'Blue',
	name: 'x',
	title: 'x',
	prompt: 'x',
};

async function call(operation: OperationId, answer: Answer | Answer[]) {
	const { api, clock, sent } = await apiWith(answer);
	const calling = api.call(operation, VALUES).catch((error: unknown) => error);
	return { result: (await clock.run(calling)) as WorkspaceAutomationError, sent };
}
const textOf = ({ message, description }: WorkspaceAutomationError) => `${message}. ${description}`;

describe('a refused request is explained by what was asked for', () => {
	test.each<[OperationId, number, RegExp]>([
		['resolveInteraction', 409, /^The request doesn't take this now\. It may have been decided/],
		['updateProduct', 413, /Shorten the values in 'Fields'/],
	])('%s, status %d', async (operation, status, says) => {
		const { result } = await call(operation, { status, body: { error: { message: 'No' } } });
		expect(textOf(result)).toMatch(says);
	});

	test.each<[OperationId, string]>([
		['listCustomDomains', 'listCustomDomains'],
		['createAgentSession', 'createAgentSession'],
	])(
		'%s with a version that is refused names the version, not the query or body',
		async (operation) => {
			const error = {
				code: 'unsupported_version',
				message: 'Unknown Service-Api-Version',
				doc_url: 'https://docs.example/versions',
			};
			const { result } = await call(operation, { status: 400, body: { error } });
			expect(result.description).toContain(`{"${operation}": {"version": "YYYY-MM-DD"}}`);
			expect(result.description).not.toMatch(/"(query|body)":/);
		},
	);

	test.each<[OperationId, RegExp, RegExp | undefined]>([
		['listTasks', /with 'Limit'/, undefined],
		['queryAnalytics', /narrower query/, /'Limit'/],
		['getFileContent', /Download the file/, /Limit|query/],
		['getFile', /base URL/, /Limit|query/],
	])('%s with a response that is too large', async (operation, says, not) => {
		const chunk = Buffer.alloc(2 ** 23, ' ');
		const body = (async function* () {
			for (let count = 0; count < 40; count++) yield chunk;
		})();
		const { result } = await call(operation, { body });
		expect(result.message).toBe('The response of the service is too large');
		expect(result.description).toMatch(says);
		if (not) expect(result.description).not.toMatch(not);
	});

	test('product fields that are no JSON may not be left empty', () => {
		const [, fields] = product.create.fields;
		expect(() => fields.check!('Fields', 'x', undefined as never)).toThrow(
			expect.objectContaining({ description: expect.not.stringContaining('leave it empty') }),
		);
	});
});

test('a limit that lasts ends with what the service says: its code, message, link and seconds', async () => {
	const error = { code: 'quota', message: 'Too many today', doc_url: 'https://x.example/quota' };
	const { result, sent } = await call('getTask', {
		status: 429,
		headers: { 'retry-after': '100' },
		body: { error },
	});
	expect(sent.length).toBeGreaterThan(1);
	expect(result).toBeInstanceOf(WorkspaceAutomationError);
	expect(result.description).toContain('It asked to wait 100 seconds.');
	expect(result.description).toContain('The service says: Too many today.');
	expect(result.context).toMatchObject({
		httpStatus: 429,
		code: 'quota',
		docUrl: 'https://x.example/quota',
		retryAfter: 100,
	});
});
