// How many ordinary commands go to an approver.
import { expect, test } from '@jest/globals';
import { decideRequest } from '../../nodes/RunAgentSession/requests/decisions.ts';
import type { Rule } from '../../nodes/RunAgentSession/policy/rule.ts';
import { AGENT_COMMANDS } from './agentCommands.mts';
import { policy, request, rule } from './policies.mts';

const getProgram = (part: string) =>
	part
		.trim()
		.replace(/^(?:[A-Z_]+=\S*\s+)+/, '')
		.split(/\s+/)[0];
const programs = AGENT_COMMANDS.flatMap((command) => command.split(/&&|\|\||[;|]/).map(getProgram));
/** The program of each command, with any arguments */
const approvals = [...new Set(programs)]
	.filter((program) => /^[\w./-]+$/.test(program))
	.map((program) => rule('bash', `${program} *`, 'approve'));
const denials = ['rm -rf *', 'git push --force *', 'sudo *'].map((pattern) =>
	rule('bash', pattern, 'deny'),
);
const everything = [rule('bash', '*', 'approve')];

test.each<[name: string, rules: Rule[], most: number]>([
	['without denials', approvals, 39],
	['behind three denials', [...denials, ...approvals], 55],
	['behind three denials, before a rule for everything', [...denials, ...everything], 24],
])('%s: few ordinary commands go to an approver', (name, rules, most) => {
	const by = policy({ rules });
	const asked = AGENT_COMMANDS.filter(
		(command) => decideRequest(request({ patterns: [command] }), by).decision !== 'approve',
	);
	console.log(
		`${name}: ${asked.length} of ${AGENT_COMMANDS.length} ordinary commands:\n${asked.join('\n')}`,
	);
	expect(asked.length).toBeLessThanOrEqual(most);
});

test('the list has at least 389 commands', () => {
	expect(new Set(AGENT_COMMANDS).size).toBeGreaterThanOrEqual(389);
});
