import { describe, expect, test } from '@jest/globals';
import { Readable } from 'node:stream';
import type { IExecuteSingleFunctions, ILoadOptionsFunctions } from 'n8n-workflow';
import { listSearch } from '../../nodes/shared/n8n/commonFields.ts';
import { download } from '../../nodes/WorkspaceAutomation/fileContent.ts';
import type { ApiClient } from '../../nodes/shared/client/operations.ts';
import { realClock } from '../../nodes/shared/client/clock.ts';
import { apiWith } from '../support/apiWith.mts';
import { createVirtualClock, type VirtualClock } from '../support/virtualClock.mts';

test.each([
	{ proxy: { host: 'proxy.example.com', port: 8080 } },
	{ skipSslCertificateValidation: true },
])('a connection that hides the key is used: %j', async (options) => {
	const { api, sent, clock } = await apiWith({ body: { data: [] } });
	await clock.run(api.withConnection(options).call('listProjects', {}));
	expect(sent).toHaveLength(1);
});

/** Runs code that takes its time and timers from the globals. */
async function runByGlobals(work: (clock: VirtualClock) => Promise<void>): Promise<void> {
	const clock = createVirtualClock();
	const { setTimeout, clearTimeout, performance } = globalThis;
	const { now } = performance;
	Object.assign(globalThis, clock.timers);
	performance.now = clock.monotonicMs;
	try {
		await clock.run(work(clock));
	} finally {
		Object.assign(globalThis, { setTimeout, clearTimeout });
		performance.now = now;
	}
}

describe('a download', () => {
	const context = (body: () => AsyncIterable<Uint8Array>) => {
		const urls: string[] = [];
		const httpRequest = async ({ url, abortSignal }: any) => {
			urls.push(url);
			const stream = Readable.from(body());
			abortSignal.addEventListener('abort', () => stream.destroy(new Error('closed')));
			return { statusCode: 200, headers: {}, body: stream };
		};
		return { urls, context: { helpers: { httpRequest } } as unknown as IExecuteSingleFunctions };
	};
	const getClient = (baseUrl: string) => ({ baseUrl, clock: realClock }) as unknown as ApiClient;
	const read = async (stream: AsyncIterable<Uint8Array>) => {
		let bytes = 0;
		for await (const chunk of stream) bytes += chunk.length;
		return bytes;
	};
	test('that drips ends at its total timeout, in one error that names the timeout', async () => {
		const { urls, context: within } = context(async function* () {
			for (;;) {
				yield Buffer.from('x');
				await new Promise((resolve) => setTimeout(resolve, 1_000));
			}
		});
		const client = getClient('https://api.example.com/v1');
		await runByGlobals(
			async () =>
				await expect(
					download(within, client, 'https://files.example.com/x', read),
				).rejects.toMatchObject({
					message: 'The file takes too long to download',
					description: expect.stringContaining('300 seconds'),
				}),
		);
		expect(urls).toHaveLength(1);
	});
});

describe('a picker', () => {
	test.each([
		['projects', listSearch.getProjects],
		['files', listSearch.getFiles],
	])('of %s times out with its dropdown', async (_, search) => {
		let looks = 0;
		const getContext = (clock: VirtualClock) => ({
			getNode: () => ({ name: 'Any' }),
			getCurrentNodeParameter: () => ({ value: '123e4567-e89b-42d3-a456-426614174000' }),
			getCredentials: async () => ({
				baseUrl: 'https://api.example.com/v1',
				accessToken: 'wa_live_key',
				apiVersion: '2026-10-05',
			}),
			helpers: {
				httpRequestWithAuthentication: async () => {
					looks++;
					clock.advance(5_000);
					const data = [{ id: `p${looks}`, name: 'P' }];
					const body = JSON.stringify({ data, has_more: true, next_cursor: String(looks) });
					return { statusCode: 200, headers: {}, body };
				},
			},
		});
		await runByGlobals(
			async (clock) =>
				await expect(
					search.call(getContext(clock) as unknown as ILoadOptionsFunctions, 'none'),
				).rejects.toMatchObject({
					message: 'Reading the list timed out',
					description: expect.stringContaining('By ID'),
				}),
		);
		expect(looks).toBe(5);
	});
});
