// Rules of the API document for single endpoints: the scopes that errors name, the advice after a conflict, and the limits.
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import type { CallOptions, OperationId, Values } from '../../nodes/shared/client/operations.ts';
import { apiWith, type Answer } from '../support/apiWith.mts';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const MIB = 2 ** 20;

/** Values for the path of any operation */
const values: Values = {
	taskId: ID,
	sessionId: ID,
	interactionId: 'i1',
	fileId: ID,
	option: 'once',
	text: 'x',
};

/** Calls an operation once. Returns its request, and the error if it has one. */
async function callOnce(operation: OperationId, answer: Answer) {
	const { api, sent, clock } = await apiWith(answer);
	const options: CallOptions = { singleAttempt: true, maxAttempts: 1, notFoundDelaysMs: [] };
	const called = api.call(operation, values, options).then(
		() => undefined,
		(error: Error & { description: string }) => error,
	);
	return { error: await clock.run(called), request: sent.at(-1)! };
}

const refused = (status: number): Answer => ({
	status,
	body: { error: { code: 'x', message: 'No.', doc_url: 'https://docs.example/x' } },
});

describe('a scope that may be missing is named', () => {
	test.each<[OperationId, string]>([
		['getFileContent', 'files.read'],
		['createFile', 'files.write (and assets.read to copy an asset)'],
		['renameFile', 'files.write'],
		['moveFile', 'files.write'],
	])('by %s: %s', async (operation, scope) => {
		for (const status of [403, 404])
			expect((await callOnce(operation, refused(status))).error?.description).toContain(scope);
	});
});

describe('an error that depends on the operation', () => {
	test.each<[OperationId, number, string]>([
		['createFile', 409, 'Check whether a file or folder with this name exists there.'],
		['createSharedPreview', 409, 'Start an agent session in the project before you share a page'],
		['sendAgentMessage', 409, 'Wait until the session has completed'],
		['createAgentSession', 404, 'Choose the project from the list.'],
		['createAgentSession', 413, 'Shorten the prompt.'],
	])('in %s after %i has its own advice', async (operation, status, advice) => {
		expect((await callOnce(operation, refused(status))).error?.description).toContain(advice);
	});
});

test.each([408, 500, 502])(
	"a start that may have happened doesn't advise to run it again: %i",
	async (status) => {
		const { error } = await callOnce('createAgentSession', refused(status));
		expect(error).toMatchObject({
			message: 'The session may have been started',
			description: expect.stringMatching(/Check the dashboard.*What happened: .*says: No\./),
		});
		expect(error?.description).not.toMatch(/later|Run the node/);
	},
);

test("a start that the service's own 503 refuses wasn't taken", async () => {
	const { error } = await callOnce('createAgentSession', refused(503));
	expect(error?.message).toBe('The service is temporarily unavailable');
});

test('a refused version names the field of the credential', async () => {
	const error = { code: 'unsupported_version', message: 'Use 2027-01-01.', doc_url: 'https://x' };
	const body = { error };
	const { error: raised } = await callOnce('listProjects', { status: 400, body });
	expect(raised?.description).toMatch(/^Check 'API Version' in the credential\./);
});

describe('a response is read up to its limit', () => {
	/** A megabyte at a time, always the same one */
	const megabytes = (count: number) => {
		const chunk = Buffer.alloc(MIB, ' ');
		return Readable.from(Array.from({ length: count }, () => chunk));
	};

	test.each<[OperationId, number]>([
		['getFileContent', 64],
		['queryAnalytics', 256],
	])('of %s: %i MiB', async (operation, most) => {
		const { error } = await callOnce(operation, { body: megabytes(most + 1) });
		expect(`${error?.message} ${error?.description}`).toContain(`${most} MiB`);
	});
});

describe('a request has the time that the service may need', () => {
	test.each<[OperationId, number]>([
		['createAgentSession', 120],
		['getAgentSession', 30],
		['queryAnalytics', 90],
	])('%s: %i seconds', async (operation, seconds) => {
		const { request } = await callOnce(operation, { body: { data: [], sessionId: ID } });
		expect(request.timeoutMs).toBe(seconds * 1_000);
	});
});
