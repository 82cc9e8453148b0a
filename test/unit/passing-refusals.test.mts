import { expect, test } from '@jest/globals';
import { attemptError } from '../../nodes/shared/client/attemptError.ts';
import { isPassingRefusal } from '../../nodes/shared/client/retryPolicy.ts';
import type { Attempt } from '../../nodes/shared/client/types.ts';
import { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';

const refused = (status: number, text = 'no') => {
	const attempt: Attempt = { kind: 'response', status, headers: {}, body: undefined, text };
	return attemptError(attempt, {}, 0);
};

test.each<[what: string, error: unknown, isPassing: boolean, isPassingLater: boolean]>([
	['409', refused(409), true, true],
	['423', refused(423), true, true],
	['425', refused(425), true, true],
	['499', refused(499), true, true],
	['401', refused(401), false, true],
	['403', refused(403), false, true],
	['400', refused(400), false, false],
	['404', refused(404), false, false],
	['410', refused(410), false, false],
	['422', refused(422), false, false],
	['429, which is no refusal', refused(429), false, false],
	['500', refused(500), false, false],
	['a page of a proxy with 403', refused(403, '<html>Log in'), false, false],
	['a lost response', attemptError({ kind: 'lost', code: 'ECONNRESET' }, {}, 0), false, false],
	['an error that knows no response', new WorkspaceAutomationError('x', 'y'), false, false],
	['a bug', new TypeError('x'), false, false],
])('%s passes before any good response: %j %j, and after one: %j', (_, error, before, after) => {
	expect([isPassingRefusal(error), isPassingRefusal(error, true)]).toEqual([before, after]);
});
