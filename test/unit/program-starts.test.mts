// Where a rule that denies finds a command that another program runs.
import { expect, test } from '@jest/globals';
import { decide } from '../../nodes/RunAgentSession/policy/rules.ts';
import { policy, request, rule } from './policies.mts';

const verdict = (command: string) => {
	const rules = [rule('bash', 'rm *', 'deny'), rule('bash', '*', 'approve')];
	return decide(request({ patterns: [command] }), policy({ rules }));
};
const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ');

test.each([
	['fd -x rm y', 'deny', 'a finder runs the command after its option'],
	['fdfind -t f --exec rm x', 'deny', 'a command follows --exec, whatever the program is'],
	['env -v rm x', 'deny', 'only `command -v` describes the program'],
	['command -v rm x', 'approve', 'only `command -v` describes the program'],
	['mytool rm x', 'ask', 'a program that is not listed may run its words'],
	['pipenv run rm x', 'ask', 'pipenv runs the words after `run`'],
	['nvm exec 20 rm x', 'ask', 'nvm runs the words after `exec`'],
	['pipenv install rm x', 'approve', 'pipenv runs nothing after another word'],
	[`sudo ${words(50)} rm x`, 'ask', 'only 40 words are read as the beginning of a command'],
	["bash -c 'npm test'", 'approve', 'a shell with a command can be read'],
	['grep -w do rm x', 'approve', '`do` begins a command only in a loop'],
	['echo bash | grep sh', 'approve', 'the name of a shell is no shell in a text'],
	['node cli.js hash x', 'approve', 'an argument of a script may have the name of a builtin'],
	['gh alias list', 'approve', 'a word of another program may have the name of a builtin'],
	[`ls ${words(60)}`, 'approve', 'a program that runs none of its words can have many'],
	[`env ls ${words(38)}`, 'approve', '40 words can be read'],
	[`env ls ${words(39)}`, 'ask', '41 words cannot'],
	['"" x', 'approve', 'an empty name is no program'],
	['unset ps4', 'approve', 'the name of a variable has no value'],
])('%j: %s, because %s', (command, decision) => {
	expect(verdict(command).decision).toBe(decision);
});

test.each([
	['sudo ssh x', 'ssh'],
	['docker exec c ssh x', 'ssh'],
	['docker exec c find . -exec {} ;', 'code for find'],
	['mytool bash', 'bash without a script'],
	['$x ssh y', 'ssh'],
	[`sudo ${words(50)}`, 'more than 40 words after sudo'],
])('%j is sent to an approver, because of %s', (command, doubt) => {
	expect(verdict(command)).toMatchObject({
		decision: 'ask',
		because: `rule 1 can't read it for certain: it contains ${doubt}`,
	});
});
