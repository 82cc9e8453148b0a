// Why an answer doesn't count: the message names the fields of a request that changed.
import { expect, test } from '@jest/globals';
import { addOrigin, findMismatch } from '../../nodes/RunAgentSession/approval/request.ts';

const asked = {
	id: 'i1',
	type: 'permission',
	permission: 'bash',
	patterns: ['git push'],
	metadata: { tool: 'bash' },
	response: { options: [{ value: 'once' }] },
};
const shown = addOrigin([asked], { sessionId: 's1' });

test.each<[object, string]>([
	[{ permission: 'edit' }, 'permission'],
	[{ patterns: ['git tag'] }, 'patterns'],
	[{ response: undefined }, 'response'],
	[{ metadata: {} }, 'metadata'],
	[{ permission: 'edit', patterns: ['a.md'] }, 'permission and patterns'],
	[{ patterns: [], response: {}, cwd: '/srv' }, 'patterns and response'],
	[{ cwd: '/srv' }, 'content'],
	[{ type: 'question' }, 'content'],
])('an answer to a changed request names the changed fields: %j', (changes, names) => {
	expect(findMismatch({ asked: shown, sessionId: 's1' }, { ...asked, ...changes })).toBe(
		`it isn't the request shown: its ${names} changed`,
	);
});
