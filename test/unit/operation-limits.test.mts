// The limits of the API document that the package has to live with.
import { expect, test } from '@jest/globals';
import { apiWith } from '../support/apiWith.mts';
import { OPERATIONS } from '../../nodes/shared/client/operationTable.ts';
import { applyOverride, createRequest } from '../../nodes/shared/client/overrides.ts';

test("an analytics query has more time than the service's 60 seconds", () => {
	expect(OPERATIONS.queryAnalytics.timeoutMs).toBeGreaterThan(60_000);
});

test('a cursor of 200 characters is returned unchanged', () => {
	const cursor = `${'a/+='.repeat(50)}`;
	for (const id of ['listProjects', 'listTasks'] as const) {
		const { query } = createRequest(applyOverride(id), { cursor, limit: 100 });
		expect(query).toEqual({ cursor, limit: 100 });
	}
});

test('a query that fails is sent twice, and any other read five times', async () => {
	const attempts = async (operation: 'queryAnalytics' | 'listTasks') => {
		const { api, sent, clock } = await apiWith({ status: 500, body: { error: {} } });
		const calling = api.call(operation, { query: 'SELECT 1' }).catch((error: Error) => error);
		expect(await clock.run(calling)).toMatchObject({ message: 'The service failed' });
		return sent.length;
	};
	expect([await attempts('queryAnalytics'), await attempts('listTasks')]).toEqual([2, 5]);
});
