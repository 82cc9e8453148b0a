// What the rehearsal of a night calls a night that went well.
import { expect, test } from '@jest/globals';
import { findNightProblems, NIGHT, type Night, type NightDecision } from '../../tools/night.mts';

const decided = (changes: Partial<NightDecision>): NightDecision => ({
	patterns: ['git push'],
	decision: 'approve',
	decidedBy: 'page',
	state: 'confirmed',
	...changes,
});
const DENIED = decided({ patterns: ['rm -rf tmp'], decision: 'deny', decidedBy: 'timeout' });

const run = (...items: object[]) => [
	{ executionStatus: 'success', data: { main: [items.map((json) => ({ json }))] } },
];

const night = (decisions: NightDecision[], changes: Partial<Night> = {}): Night => ({
	execution: {
		status: 'success',
		runData: { 'Run Agent Session': run({ decisions }), 'Ask in Slack': run({ ok: true }) },
	},
	sessions: NIGHT.map(({ prompt, ends }) => ({ prompt, status: ends })),
	messages: ['A request', `Good morning!\n${NIGHT.map(({ line }) => line).join('\n')}`],
	...changes,
});
const good = night([decided({}), DENIED]);

test('a night with all decisions and the message of the morning has no problem', () => {
	expect(findNightProblems(good)).toEqual([]);
});

test.each<[string, Night, string]>([
	[
		'an execution that failed',
		{
			...good,
			execution: {
				...good.execution,
				status: 'error',
				lastNodeExecuted: 'Post the summary',
				error: { message: 'The service refused the connection' },
			},
		},
		'The night ended with error in the node "Post the summary": The service refused the connection',
	],
	[
		'a message node that failed and continued',
		{
			...good,
			execution: {
				...good.execution,
				runData: {
					...good.execution.runData,
					'Ask in Slack': run({ error: { message: 'The connection was refused' } }),
				},
			},
		},
		'The node "Ask in Slack" failed: The connection was refused',
	],
	[
		'no message in the morning',
		{ ...good, messages: ['A request'] },
		"The morning's message came 0 times.",
	],
	[
		'a project that the message lacks',
		{ ...good, messages: good.messages.map((text) => text.replace('OPEN. ', '')) },
		"The morning's message lacks the project that fails.",
	],
	[
		'a session that was started twice',
		{ ...good, sessions: [...good.sessions, good.sessions[2]] },
		'The project that fails: 2 sessions were started.',
	],
	[
		'a session that has not ended',
		{
			...good,
			sessions: good.sessions.map((each, at) => (at === 3 ? { ...each, status: 'running' } : each)),
		},
		'The project that works for a long time: its session is running.',
	],
	['a missing decision', night([DENIED]), 'The decision about git push is wrong: there is none.'],
	[
		'a decision that the service did not confirm',
		night([decided({ state: 'unconfirmed' }), DENIED]),
		'The decision about git push is wrong: approve, unconfirmed.',
	],
	[
		'an approval of what nobody answered',
		night([decided({}), { ...DENIED, decision: 'approve' }]),
		'The decision about rm -rf tmp is wrong: approve, confirmed.',
	],
])('%s is a problem', (_, bad, problem) => {
	expect(findNightProblems(bad)).toEqual([problem]);
});
