// Checks the README and the pages in docs/ against the code and the tests.
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { INodeProperties } from 'n8n-workflow';
import { hostFolder, hostVersions } from '../../n8n-host/versions.mts';

const require = createRequire(import.meta.url);
const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const readme = read('README.md');
const pageNames = readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md'));
const pages = pageNames.map((name) => read(`docs/${name}`));
const everything = [readme, read('CONTRIBUTING.md'), ...pages].join('\n');

test('the n8n versions that it names are those that the tests run on', () => {
	const pinned = hostVersions.map(
		(version) =>
			JSON.parse(readFileSync(`${hostFolder(version)}/package.json`, 'utf8')).dependencies.n8n,
	);
	const compatibility = readme.slice(readme.indexOf('## Compatibility'));
	for (const [index, version] of hostVersions.entries())
		expect(compatibility).toContain(
			`| [\`${version}\`](n8n-host/${version}/package.json) | ${pinned[index]} |`,
		);
	const named = [...readme.matchAll(/\b(?:1\.1\d\d|2\.\d+)\.\d+\b/g)].map(([version]) => version);
	expect(named.filter((version) => !pinned.includes(version))).toEqual([]);
});

test('every npm script that they name exists', () => {
	const { scripts } = JSON.parse(read('package.json'));
	const named = [...everything.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
	expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

/** Returns the labels in the first column of a table with these headings, without units. */
const firstColumn = (page: string, heading: string): string[] =>
	page
		.split(`| ${heading} | default |`)
		.slice(1)
		.flatMap((table) => table.split('\n\n')[0].match(/^\| (\*\*.+?\*\*) \|/gm) ?? [])
		.flatMap((cell) => cell.match(/(?<=\*\*)[^*|]+(?=\*\*)/g)!)
		.filter((label) => /\w/.test(label));

test('the options page lists every field and every option of Run Agent Session', () => {
	const { RunAgentSession } = require('../../nodes/RunAgentSession/RunAgentSession.node.ts');
	const { properties } = new RunAgentSession().description as {
		properties: INodeProperties[];
	};
	const labels = (fields: INodeProperties[]) => [
		...new Set(
			fields
				.filter(({ type }) => !['notice', 'hidden', 'collection'].includes(type))
				.map(({ displayName }) => displayName.replace(/ \([^)]*\)$/, '')),
		),
	];
	const options = properties
		.filter(({ type }) => type === 'collection')
		.flatMap((collection) => collection.options as INodeProperties[]);
	const page = read('docs/options.md');
	expect(firstColumn(page, 'field').sort()).toEqual(labels(properties).sort());
	expect(firstColumn(page, 'option').sort()).toEqual(labels(options).sort());
});

/** The tests behind each line of "What happens when ...", by a part of the line. */
const PROOFS: Record<string, string[]> = {
	'the connection breaks, or': [
		'%s for two minutes of a running session',
		"%s that doesn't end is reported only at the timeout",
		'the node honors Retry-After',
		'honors Retry-After, limited to the remaining time, so that the last poll is at the end',
	],
	'a poll returns a web page': [
		'%s for three minutes in a row ends the wait, with the session',
		'for three minutes and three wakes in a row, they end the wait with an error that quotes them',
	],
	'a web page comes with any status': [
		'a page proves nothing with any status except 429 and 407, which prove that nothing ran',
		'after a DELETE with a lost response is no proof that it is deleted',
	],
	"a new session isn't found": [
		'a 404 is retried after 1, 2 and 4 seconds',
		'a 404 after the last retry is an error that names both causes and the session',
	],
	'the key is refused (401)': ['%d stops at once and names session and dashboard'],
	'the response to the start is lost': [
		"a start with a response lost to %s isn't repeated, not even by a retry",
		"Retry On Fail doesn't repeat a start that may have happened",
	],
	'at the moment of a start': [
		'a start that a killed n8n recorded counts in the retry: n8n 2 has the same resume token',
		'on n8n 1 before the first pause it counts only in a retry of the execution, at the same run and item',
	],
	'a decision gets 429': ['the node waits after a 429, and polls before the next try'],
	'is gone when its decision is refused': [
		"isn't treated as a new session: it's sent once, and the node polls",
		"a decision is listed if it's refused because an earlier one took effect",
		'a request that another user resolved is skipped, and listed with a note',
	],
	'the try that sent a message fails': [
		"the previous turn isn't the answer, even if a try failed after the message",
		'a message is sent once, even if the node is retried',
	],
	'the item on Still Running returns': [
		'Still Running connected back to the node continues the session, even with another prompt',
		'%s: one session',
	],
	'that item returns to the node that sent': [
		'Still Running sends its message once',
		'Still Running only waits, even if an expression now returns another message',
	],
	"a message can't be sent": [
		"Retry On Fail sends a message that wasn't sent, because %s was refused",
	],
	'**Max Wait** is shorter than': [
		'a Max Wait of %s minutes still leaves a poll interval between two polls',
	],
	"n8n's system clock": [
		'web pages still end the wait after three minutes (%d ms)',
		'a wake still plans the next one in 70 seconds (%d ms)',
	],
	'becomes invalid in a later wake': [
		'a parameter that becomes invalid in a wake fails its own item only, and names its session',
	],
	'**Always Output Data** is on': [
		'starts one session if Still Running is connected back through another node',
		'Always Output Data with Still Running connected to the node itself starts one session, and ends (%s)',
	],
	'the response to a decision is lost, or': [
		"a decision with a response lost to %s after it took effect isn't sent again",
		'a decision that was lost before it took effect is sent again',
	],
	'the response to a decision is still missing': [
		'is a warning, and the next attempt lists it once (%s)',
	],
	'the response to a message is lost': [
		"a message with a lost response isn't repeated if the session shows it",
		"a message that may have arrived isn't sent again, even if the session never shows it",
	],
	'a session shows nothing new after a message': [
		'the node waits for it, even if the session still looks completed',
		'the node waits for it for at most half a minute',
	],
	'**Retry On Fail** is on, and a try fails': [
		'Retry On Fail resumes the running session',
		'Retry On Fail with {{ $now }} in the prompt continues the session of the first attempt',
		'a retry after a failed session starts a new one',
		'a retry after Stop aborted the session starts a new one',
		'Retry On Fail starts no completed session again, and polls it once',
	],
	'you retry a failed execution': [
		'continues the session that the failed execution started',
		'a retry of the execution continues the session if the raw parameters and the input are the same',
		'a retry of the execution with another prompt starts nothing, and names the session and both solutions',
	],
	'two items continue the same session': [
		'two items that continue one session are an error before anything is sent',
	],
	'you select Stop |': [
		'ends the execution at once and aborts the session',
		'aborts every session of the run, even those that already have an outcome',
	],
	'the workflow times out |': ['aborts the session as Stop does'],
	'**Abort on Stop** is off': ['leaves the session running, and the log of n8n says so'],
	'Max Wait has passed |': [
		'route returns the item and leaves the session running',
		'abort ends the session and says so',
	],
	'**Max Wait** is 0': ['starts the session and leaves through Still Running without a poll'],
	'one of many items fails | The others': [
		'Max Concurrent Sessions limits the running sessions, even if one fails, and items keep their order and pairing',
	],
	'no rule covers': [
		'a session goes to Needs Approval after the rules have resolved the decidable requests',
		'a session goes to Needs Approval if the type of a request is unknown',
	],
	'an approver denies a request': ['asks in one message, and continues with the answer: $value'],
	'is invalid |': ['%s is refused before anything is sent'],
	'an AI agent uses the node': ['returns to the model a session that is %s'],
	'a Wait node has paused': [
		'Still Running, a Wait node and a second Run Agent Session continue the session without Wait In the Database',
	],
	'an earlier node created': [
		'a retry of the execution waits for the session that an earlier node created',
	],
	'that it started itself |': ['a retry starts no other session if the node may have started one'],
	'a worker dies that waits for a session': [
		'has an execution that becomes an error without data, and a retry does nothing (%s)',
	],
	'a worker dies under a sub-workflow': [
		'examples/create-then-continue.json: a retry on another worker waits for the same session',
	],
	'for example right after the start': [
		'while one session is polled, and two others are paused or resume',
		'each session was started once, each request decided once, and each outcome arrived',
		'the first run starts the session and pauses before it polls',
	],
	'n8n is stopped during a poll': ['while a decision is sent'],
	'n8n is killed during a poll, which': ['while a decision is sent'],
	'a worker is killed during a poll': ['in the middle of a poll, killed with -9: %s'],
	'one machine, n8n 1 and 2': [
		'n8n marks the execution as crashed, and keeps its saved data',
		'examples/retry-crashed.json continues the same session automatically',
		'n8n runs no error workflow for them',
	],
	'queue mode, n8n 1 |': ['another worker continues the session automatically'],
	'n8n 2, and a worker is killed': [
		'n8n marks it as an error without data, and an error workflow continues the session by its custom data',
	],
	'n8n 2, and the worker and the main': [
		'n8n marks it as crashed, and a retry continues the session',
	],
	'a worker or both are killed': [
		'%s killed while a session is paused: the session resumes automatically, on any worker',
	],
	'you select Stop while the execution is paused': [
		'Stop ends the execution, and leaves the session running, because n8n runs no node (rule 7)',
	],
	'which counts paused time': [
		"the workflow's timeout counts paused time, and leaves the session running (rule 7)",
	],
	'an approver answers on the page': [
		'answers two requests of one message differently',
		'twenty simultaneous sessions have a link each, and an answer decides only one of them',
	],
	'two approvers answer the same question': [
		'two people select Send in the same second, fifty times: one decision each, and the page informs the second person',
	],
	'between the page and **Send**': [
		'by a page that showed other requests: it shows the current requests',
	],
	'killed between the question and the answer': [
		'answered after n8n was killed and started again: the agent continues',
	],
	'nobody answers |': [
		'If Nobody Answers denies the request, and the session continues',
		'If Nobody Answers aborts the session, and says so',
	],
	'refuses a comment': [
		"that the service refuses is a warning: it's sent once, and the session completes",
	],
	'**Give Up After** has passed': [
		'Give Up After: %s',
		'a completed session is a result, even after Give Up After',
	],
	'you change, publish again or deactivate': [
		'continues unchanged if you change the workflow meanwhile (rule 8)',
		'%s: the execution continues unchanged (rule 8)',
	],
	'by hand up to a later node': ['it was run by hand up to a later node'],
	'by hand up to this node': ['run by hand up to the node itself'],
	'another workflow calls the workflow': [
		'a workflow waits for the sub-workflow with the session (rule 8)',
	],
	"Still Running isn't connected": ['%s: an error before anything is started'],
	'one of many items fails | It waits': [
		'the node waits for the other item, and then fails',
		'On Error Continue returns the error on Completed, not on Still Running',
	],
	'and the session fails': [
		'a retry after a failed session starts a new one',
		'Retry On Fail starts a failed session again',
	],
	'Completed is connected back': ['%s: one session'],
};

test('every line of "What happens when ..." has its tests', () => {
	const page = read('docs/reliability.md');
	const section = page.slice(
		page.indexOf('## What happens when'),
		page.indexOf('Errors name the session and its dashboard'),
	);
	const lines = section
		.split('\n')
		.filter((line) => line.startsWith('| ') && !/^\| (\.\.\.|---)/.test(line));
	const files = readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' }).filter(
		(file) => file.endsWith('.test.mts') && !file.endsWith('readme.test.mts'),
	);
	const tests = files.map((file) => readFileSync(new URL(`test/${file}`, root), 'utf8')).join('\n');
	const used = lines.map((line) => Object.keys(PROOFS).filter((part) => line.includes(part)));
	expect(lines.filter((_, index) => used[index].length !== 1)).toEqual([]);
	expect(used.flat().sort()).toEqual(Object.keys(PROOFS).sort());
	expect(
		Object.values(PROOFS)
			.flat()
			.filter((title) => !tests.includes(title)),
	).toEqual([]);
});
