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

/** The tests behind each line of the first tables of docs/reliability.md, by a part of the line. */
const PROOFS: Record<string, string[]> = {
	'refuses a poll after a good one': [
		'one %d between good polls ends nothing',
		'%d for three minutes in a row ends the wait, and names session and dashboard',
	],
	'refuses a decision for now': [
		'is sent again after a poll that still shows the request: %d',
		'for three minutes ends the wait: %d',
	],
	'the connection fails, or': [
		'%s for two minutes of a running session',
		'a Retry-After %s silences a session for 10 minutes, paused or not',
		"Retry-After never extends the wait beyond the user's timeout",
	],
	'a poll returns a web page': [
		'web pages still end the wait after three minutes (%d ms)',
		'for three minutes and three wakes in a row, they end the wait with an error that quotes them',
	],
	'a web page comes with any status': [
		'a page proves nothing with any status except 429 and 407, which prove that nothing ran',
		'after a DELETE with a lost response is no proof that it is deleted',
	],
	"a new session isn't found": [
		'a 404 is retried after 1, 2 and 4 seconds',
		'a 404 after the last retry is an error that says that the session was started',
	],
	'the key is refused (401)': ['%d before the first good poll ends the wait at once'],
	'takes no new session (429 or 503)': [
		"a start that isn't taken for half an hour says so once in the log",
		'a Retry-After %s counts as none',
	],
	'takes no new session before the end': [
		"is an error at once after %s, with the service's code, message and doc_url",
	],
	'the response to the start is lost': [
		"a start with a response lost to %s isn't repeated, not even by a retry",
	],
	'at the moment of a start': [
		'of %s, a start that was requested may have happened',
		'$name: a retry starts no second session, and says so',
	],
	'creates products, files or sessions': [
		'Workspace Automation runs again as every node: what may have been created blocks nothing',
	],
	'one product of many may have been created': [
		'a product that may have been created is reported, not repeated',
		'a retry asks for something else after a request that had no effect',
	],
	"can't record a start": ['is an error that says that nothing was sent'],
	'the response to a decision is lost, or': [
		'one of two decisions with a lost response is not sent again before a poll lists it, and is listed',
		'a decision that was lost before it took effect is sent again',
	],
	'is gone when its decision is refused': [
		"isn't treated as a new session: it's sent once, and the node polls",
		'a request that another user resolved is skipped, and listed as gone',
	],
	'the response to a message is lost': [
		"a message with a lost response isn't repeated if the session shows it",
		"a message that may have arrived isn't sent again, even if the session never shows it",
	],
	'the response to another change is lost': [
		'of %s is a success if the resource shows it',
		'of %s may have happened if nothing shows it: %j',
	],
	'a session shows nothing new after a message': [
		'the node waits for it, even if the session still looks completed',
		'the node waits for it for at most half a minute',
	],
	'**Retry On Fail** is on, and a try fails': [
		'Retry On Fail with {{ $now }} in the prompt continues the session of the first attempt',
		'as the first item, with Retry On Fail, runs only its own session again',
		'a retry after Stop aborted the session starts a new one',
	],
	'you retry a failed execution': [
		'before the first reading of a started session is followed by a retry that continues it: %s',
		'a retry with another prompt starts nothing, and names the session and both ways out',
	],
	'you select Stop, or the workflow times out': [
		'aborts every session of the run that has not completed',
		'aborts the session of an execution that keeps running, as Stop does',
	],
	'one of many items fails': [
		'waits until the other sessions have ended, and names them',
		'becomes an item with On Error, together with the others',
	],
	'another node of the execution fails': [
		'of another node ends the execution, and a retry continues the sessions',
	],
	'a parameter or the credential is invalid': [
		'bad input is an error before anything is sent',
		'of one item stops the start of the others, unless On Error continues',
	],
	'(`kill -9`) or stopped': ['$name: the execution resumes by itself'],
	'n8n is killed during a poll, which': [
		'$name: n8n calls the execution crashed, with its sessions, which run on',
		'$name: the retry continues the same sessions, and decides each request once',
	],
	'between the question and the answer': [
		'between the question and the answer: the link still works',
	],
	'n8n resumes a pause twice': [
		'have one effect, and an answer that only the second has is not lost',
	],
	'a worker or both are killed': ['a paused execution resumes by itself, and its link works'],
	'you select Stop while the execution is paused': [
		'Stop of a paused execution leaves the session running, because n8n runs no node',
	],
	'which counts paused time': [
		'counts paused time, and leaves the session running, because n8n runs no node',
	],
	'two approvers answer in the same second': ['two approvers both count (%s)'],
	'you change or deactivate': [
		'an execution continues unchanged if its workflow is changed and deactivated',
	],
	'you update the package': ['starts nothing, and the error names the session'],
	'Merge is behind the node': ['Merge behind the node runs once'],
	'Loop Over Items is around the node': [
		'Loop Over Items around the node, %d at a time: done once, with all items',
	],
	'two branches are connected': ['two branches into one node have sessions of their own'],
	'in a chain, or in parallel': [
		'two Run Agent Session nodes in a chain',
		'two Run Agent Session nodes in parallel branches',
	],
	'a Wait node is behind': [
		'behind the node passes each item on once',
		'behind To Approve waits for an answer elsewhere, which is applied, and the session continues',
	],
	'another workflow calls the workflow': [
		'a workflow gets the items of its sub-workflow with the node, all of them',
	],
	'**Always Output Data** is on': [
		'with Always Output Data makes no items of runs that return none',
	],
	'**On Error** is set': [
		'becomes an item with On Error, together with the others',
		'a failure leaves through the error output with its work, and with the other item',
	],
	'execution order v0': ['execution order v0 runs what is behind the node, too'],
	'Execute step': [
		'Execute step runs the node to its end, also after a pause, and no node behind it',
	],
	'pinned data': ['pinned data takes the place of sessions'],
	'an output is connected back': ['from %s starts nothing, and the error names the session'],
	"this n8n can't pause": ['keeps the execution running, and says so'],
};

test('every line of the first tables of docs/reliability.md has its tests', () => {
	const page = read('docs/reliability.md');
	const section = page.slice(
		page.indexOf('## What happens when'),
		page.indexOf('## After "The session may have been started"'),
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
