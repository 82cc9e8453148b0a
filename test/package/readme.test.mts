// What the README and the pages in docs/ promise is there.
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { hostFolder, hostVersions } from '../../n8n-host/versions.mts';
import { endpoints } from '../../openapi/endpoints.mts';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const readme = read('README.md');
const pageNames = readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md'));
const pages = pageNames.map((name) => read(`docs/${name}`));
const everything = [readme, read('CONTRIBUTING.md'), ...pages].join('\n');

/** As the panel calls it: `sharedPreview` is Shared Preview. */
const labelOf = (value: string) =>
	value === 'getAll'
		? 'Get Many'
		: value.replace(/^./, (first) => first.toUpperCase()).replaceAll(/(?=\B[A-Z])/g, ' ');

test('they have one name for what an agent asks, and one for who decides', () => {
	const texts = {
		'README.md': readme,
		...Object.fromEntries(pageNames.map((name, index) => [name, pages[index]])),
	};
	const others = Object.entries(texts).flatMap(([file, text]) =>
		(text.match(/\b(a|the) human\b|\bpermission requests?\b/gi) ?? []).map(
			(found) => `${file}: ${found}`,
		),
	);
	expect(others).toEqual([]);
});

test('the operation table lists every operation, below a link to the file of its resource', () => {
	let resource = '';
	const listed = [
		...read('docs/operations.md').matchAll(/^\| (?:\[.*\/(\w+)\.ts\))? ?\| (.+?) \|/gm),
	].map(([, link, operation]) => {
		resource = link ?? resource;
		return `${resource}: ${operation}`;
	});
	const all = Object.values(endpoints)
		.flat()
		.map((name) => name.split('.'));
	expect(listed.sort()).toEqual(all.map(([of, value]) => `${of}: ${labelOf(value)}`).sort());
});

test('the README lists every operation by its resource', () => {
	const [, section] = readme.split('| resource | operations |');
	const listed = [...section.split('\n\n')[0].matchAll(/^\| (\w[\w ]*) \| ([\w, ]+)/gm)].flatMap(
		([, resource, operations]) =>
			operations.split(',').map((operation) => `${resource}: ${operation.trim()}`),
	);
	const all = Object.values(endpoints)
		.flat()
		.map((name) => name.split('.').map(labelOf).join(': '));
	expect(listed.sort()).toEqual(all.sort());
});

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

/** The tests behind each line of "What happens when ...", by a part of the line. */
const PROOFS: Record<string, string[]> = {
	'the connection breaks, or': [
		'%s for two minutes of a running session',
		'%s for ever is reported only when the time is over',
		'Retry-After is obeyed',
	],
	'a new session is not found': ['a 404 is asked again after 1, 2 and 4 seconds'],
	'the key is refused (401)': ['%d stops at once and names session and dashboard'],
	'the answer to the start is lost': [
		'a start whose answer was lost to %s is not repeated, not by a retry either',
		'a start that may have happened is not repeated by Retry On Fail',
	],
	'is answered with 429': ['a 429 is waited out, and the session read before the next try'],
	'is gone when its decision is refused': [
		'is no new session: it is sent once, and the session is read',
		'one that is refused because an earlier answer was carried out after all is listed',
		'one that somebody else resolved in between is passed over, and listed with what is not certain about it',
	],
	'the try that sent a message fails': [
		'the turn before is not the answer, although a try failed after the message',
		'a message is sent once, also when the node is tried again',
	],
	'of *Still Running* comes back': [
		'Still Running wired back into the node continues the session, whatever the node would start',
		'%s: one session',
	],
	'comes back to the node that sent': [
		'Still Running sends its message once',
		'Still Running sends another message',
		'Completed sends its message again: another turn',
	],
	'is lost, or it is refused': [
		'an answer lost to %s after it took effect is not sent again',
		'one lost before it took effect is sent again',
	],
	'it is lost until Max Wait is over': [
		'is told of, and listed once by the try that learns of it (%s)',
	],
	'the answer to a message is lost': [
		'a message whose answer was lost is not repeated when the session shows it',
		'a message that may have arrived is not sent again, however long the session shows nothing of it',
	],
	'Retry On Fail is on, and a try': [
		'goes on with the session that the first try started',
		'a session that is known to have failed is started again',
		'Retry On Fail starts nothing again that has completed, and reads it once',
	],
	'a failed execution is retried': ['goes on with the session that the failed execution started'],
	'somebody presses Stop |': ['ends the execution at once and aborts the session'],
	"the workflow's timeout comes |": ['aborts the session as Stop does'],
	'Abort on Stop is off': ['leaves the session running, and the log of n8n says so'],
	'Max Wait is over |': [
		'route hands the session on as it is and leaves it running',
		'abort ends the session and says so',
	],
	'one of many items fails | the others': [
		'is what Max Concurrent Sessions says, whatever happens to one of them, in order and paired',
	],
	'no rule covers': [
		'goes to Needs Approval, with the decidable ones resolved',
		'is also what has a type that nobody has documented',
	],
	'a person says no': ['asks in one message, and goes on with the answer: $value'],
	'a person never answers': [
		'If Nobody Answers denies what was asked, and the session goes on',
		'If Nobody Answers aborts the session, and says so',
	],
	'has a mistake': ['%s is refused before anything is sent'],
	'an AI agent uses the node': ['tells the model of a session that is %s'],
	'a Wait node has parked': [
		'Still Running, a Wait node and a second Run Agent Session: the way without Wait In the Database',
	],
	'an earlier node created': [
		'a session created in a node before is the one that a retry of the execution waits for',
	],
	'dies that waits for a session': [
		'its execution becomes an error without any data, and a retry of it does nothing (%s)',
	],
	'dies under an execution of its own': [
		'examples/create-then-continue.json: a retry on another worker waits for the same session',
	],
	'started itself': [
		'a session started by the node itself is forgotten: a retry starts another, the first goes on',
	],
	'which it is from its start on': [
		'two seconds after the start of one session, while another is parked and a third comes back',
		'each session was started once, each request decided once, and each outcome arrived',
	],
	'looks at the session |': ['while a decision is sent'],
	'looks at the session, which': ['while a decision is sent'],
	'a worker is killed under a look': ['in the middle of a look, killed with -9: %s'],
	'one machine, n8n 1 and 2': [
		'n8n calls the execution crashed and leaves it so; it keeps what it had saved',
		'examples/retry-crashed.json goes on with the same session, and with nobody there',
		'n8n calls no error workflow for them',
	],
	'several machines, n8n 1': ['another worker goes on with the session, by itself'],
	'n8n 2; a worker is killed': [
		'n8n makes it an error without data; an error workflow goes on with the session by its custom data',
	],
	'n8n 2; the worker and the main': ['n8n calls it crashed, and a retry goes on with the session'],
	'a worker or both are killed': [
		'%s killed while one is parked: it goes on by itself, on whatever worker is there',
	],
	'presses Stop while the session is parked': [
		'Stop ends it, and leaves the session running: no code of ours is called (rule 7)',
	],
	'which counts the time that is parked': [
		"the workflow's timeout counts the time that it is parked, and leaves the session running (rule 7)",
	],
	'a person answers on the page': [
		'answers two requests of one question differently',
		'twenty sessions that ask at once have a link each, and an answer is for one of them alone',
	],
	'two people answer the same question': ['twice, by two people at once: one of them is told so'],
	'between the page and *Send*': [
		'by a page that showed something else: it shows what is asked now',
	],
	'killed between the question and the answer': [
		'answered after n8n was killed and started again: the agent goes on',
	],
	'Give Up After is over': ['Give Up After: %s'],
	'changed, published again or switched off': [
		'goes on as it was when the workflow has been changed meanwhile (rule 8)',
		'%s: it goes on as it was (rule 8)',
	],
	'by hand, up to a node further on': ['it was run by hand up to a node further on'],
	'by hand up to this very node': [
		'run by hand up to the node itself: n8n ends with the session at Still Running, and the session goes on (rule 8)',
	],
	'was called by another one': [
		'a workflow that another one calls: the caller waits with it (rule 8)',
	],
	'leads nowhere, or elsewhere': ['%s: refused before anything is started'],
	'one of many items fails | waits': [
		'On Error Continue hands the error on by Completed, not by Still Running',
	],
	'and the session fails': ['Retry On Fail looks again and starts no second session'],
	'leads back into the node that started': ['%s: one session'],
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
