// The limits of the API document that the package has to live with.
import { expect, test } from '@jest/globals';
import { operationRow } from '../../nodes/shared/client/operations.ts';
import { applyOverride, createRequest } from '../../nodes/shared/client/overrides.ts';
import { maxPollInterval, pollInterval } from '../../nodes/RunAgentSession/panel/options.ts';

test("an analytics query has more time than the service's 60 seconds", () => {
	expect(operationRow('queryAnalytics').timeoutMs).toBeGreaterThan(60_000);
});

test('sessions are polled every 5 to 10 seconds by default', () => {
	expect([pollInterval.default, maxPollInterval.default]).toEqual([5, 10]);
});

test('a cursor of 200 characters is returned unchanged', () => {
	const cursor = `${'a/+='.repeat(50)}`;
	for (const id of ['listProjects', 'listTasks'] as const) {
		const { query } = createRequest(applyOverride(id), { cursor, limit: 100 });
		expect(query).toEqual({ cursor, limit: 100 });
	}
});
