// The page on which a person answers: what it shows, what an answer does, and all that must not decide anything.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { arrived, getChoice, messages, openPage, patientHost, send, withPage } from './page.mts';
import { callApi, eventually, getRecord, sessionsFor, useOwnStage } from './support.mts';

const stage = useOwnStage(patientHost);

const executions: Record<string, string> = {};
async function begin(name: string, prompts: string[], parameters = {}): Promise<void> {
	const list = prompts.map((prompt) => ({ prompt }));
	const file = withPage(name, list, parameters);
	executions[name] = await stage.host.run(await stage.host.importWorkflow(file));
}

const asksFor = (...patterns: string[]) => patterns.map((each) => `bash: ${each}`).join(' + ');
const PROMPTS = {
	one: 'One [ask bash: npm publish] [say Went on.]',
	two: `Two [ask ${asksFor('git push', 'rm -rf build')}] [say Went on.]`,
	twice: 'Twice [ask bash: first] [ask bash: second] [say Went on.]',
	still: 'Still [ask bash: npm publish] [say Went on.]',
	changing: `Changing [ask ${asksFor('git push', 'rm -rf build')}] [say Went on.]`,
};
const MANY = Array.from({ length: 20 }, (_, n) => `Many ${n} [ask bash: deploy ${n}] [say Done.]`);

/** Fifty rounds, in ten executions */
const RACES = Array.from({ length: 10 }, (_, n) => `race ${n}`);
const ROUNDS = Array.from({ length: 5 }, (_, n) => `round ${n}`);
/** Keeps the execution waiting until the races are over. After its end, n8n itself answers at the links. */
const LAST = 'last';
const racePrompt = (name: string, round: string) =>
	`Race ${name} ${round} [ask bash: ${round}] [say Done.]`;

beforeAll(async () => {
	for (const name of RACES)
		await begin(
			name,
			[...ROUNDS, LAST].map((round) => racePrompt(name, round)),
		);
	for (const [name, prompt] of Object.entries(PROMPTS))
		await begin(name, [prompt], { options: { sendComments: name === 'one' } });
	await begin('many', MANY, { options: { maxConcurrentSessions: 20 } });
});

const link = async (name: keyof typeof PROMPTS, nth = 0): Promise<string> =>
	(await messages(stage, executions[name], nth + 1))[nth].url;

async function ended(name: string) {
	const execution = await stage.host.waitForExecution(executions[name]);
	const { status, error } = execution;
	expect({ status, error: error?.message }).toEqual({ status: 'success' });
	return execution;
}

/** Decisions that the service got for the session with this prompt */
const answered = async (prompt: string): Promise<unknown[]> => {
	const [{ sessionId }] = await sessionsFor(stage, prompt);
	const { interactions } = await getRecord(stage, sessionId);
	return interactions.map(({ value }: { value?: unknown }) => value);
};

/** Opens a link and sends what a person chooses, by the labels. */
async function answer(url: string, labels: string[], comment = '') {
	const page = await openPage(url);
	const choices = labels.map((label, n) => [`request${n}`, getChoice(page, n, label)]);
	return await send(url, page, { ...Object.fromEntries(choices), comment });
}

describe('nothing is decided', () => {
	test('by opening the link, by a scanner, without the nonce, with another nonce, or without a choice', async () => {
		const url = await link('still');
		const page = await openPage(url);
		expect(page).toMatchObject({ status: 200, title: 'The agent needs your approval' });
		expect(await openPage(url, 'HEAD')).toMatchObject({ status: 200, html: '' });
		const purpose = { 'Sec-Purpose': 'prefetch', Purpose: 'prefetch' };
		expect((await fetch(url, { headers: purpose })).headers.get('cache-control')).toBe('no-store');
		const withNonce = (nonce: string) => {
			const other = new URL(url);
			other.searchParams.set('question', nonce);
			return other.href;
		};
		const foreign = new URL(await link('changing')).searchParams.get('question')!;
		for (const nonce of ['', 'A'.repeat(22), foreign]) {
			expect(await openPage(withNonce(nonce))).toMatchObject({ status: 404 });
			const sent = await send(withNonce(nonce), page, { request0: '0' });
			expect(sent).toMatchObject({ status: 404 });
		}
		const incomplete = { status: 409, title: 'A choice is missing' };
		for (const request0 of ['', '9', 'once'])
			expect(await send(url, page, { request0 })).toMatchObject(incomplete);
		const changed = { status: 409, title: 'The request has changed' };
		for (const shown of ['', 'A'.repeat(22)])
			expect(await send(url, page, { shown, request0: '0' })).toMatchObject(changed);
		expect(await answered(PROMPTS.still)).toEqual([undefined]);
	});

	test('by a page that showed other requests: it shows the current requests', async () => {
		const url = await link('changing');
		const page = await openPage(url);
		const [{ sessionId }] = await sessionsFor(stage, PROMPTS.changing);
		const { interactions } = await getRecord(stage, sessionId);
		const path = `/agent/sessions/${sessionId}/interactions/${interactions[0].id}/resolve`;
		await callApi(stage, 'POST', path, { type: 'permission', response: 'once' });
		const now = await send(url, page, { request0: '0', request1: '0' });
		expect(now).toMatchObject({ status: 409, title: 'The request has changed' });
		expect(now.html).toContain('<li><bdo dir="ltr">rm -rf build</bdo>');
		expect(now.html).not.toContain('<li><bdo dir="ltr">git push');
		expect(await answered(PROMPTS.changing)).toEqual(['once', undefined]);
	});
});

/** Two answers on the same page in the same second */
const BOTH = ['Approve once', 'Deny'] as const;

/** Lets two people answer each question of an execution in the same second. */
async function race(name: string): Promise<void> {
	const sent = await messages(stage, executions[name], ROUNDS.length + 1);
	const isLast = ({ text }: { text: string }) => text.includes(LAST);
	for (const { url } of sent.filter((each) => !isLast(each))) {
		const page = await openPage(url);
		const answers = await Promise.all(
			BOTH.map(async (label) => await send(url, page, { request0: getChoice(page, 0, label) })),
		);
		const titles = answers.map(({ title }) => title);
		expect([...titles].sort()).toEqual(['Already answered', 'Your answer was sent']);
		const winner = titles.indexOf('Your answer was sent');
		expect((await openPage(url)).html).toContain(winner === 0 ? 'Approved once' : '>Denied');
		const [, asked] = /<li><bdo dir="ltr">(round \d+)</.exec(page.html)!;
		const value = await eventually(async () => (await answered(racePrompt(name, asked)))[0]);
		expect(value).toBe(winner === 0 ? 'once' : 'reject');
	}
	await answer(sent.find(isLast)!.url, ['Approve once']);
	const items = arrived(await ended(name), 'Completed');
	expect(items.map(({ decisions }) => decisions.length)).toEqual([...ROUNDS, LAST].map(() => 1));
	const resolved = (await stage.service.requests())
		.map(({ path }) => path)
		.filter((path) => path.endsWith('/resolve'))
		.filter((path) => items.some(({ sessionId }) => path.includes(sessionId)));
	expect(resolved).toHaveLength(ROUNDS.length + 1);
}

test('two people select Send in the same second, fifty times: one decision each, and the page informs the second person', async () => {
	await Promise.all(RACES.map(race));
});

describe('an approver', () => {
	test('answers by a link, with a comment that goes to the agent', async () => {
		expect(await answer(await link('one'), ['Approve once'], 'Go ahead.')).toMatchObject({
			status: 200,
			title: 'Your answer was sent',
		});
	});

	test('answers two requests of one message differently', async () => {
		expect(await answer(await link('two'), ['Approve once', 'Deny'])).toMatchObject({
			title: 'Your answer was sent',
		});
	});

	test('gets a new link for a later request, and the old link shows the decision', async () => {
		const first = await link('twice');
		await answer(first, ['Deny']);
		const old = await openPage(first);
		expect(old.title).toBe('Already answered');
		expect(old.html).toMatch(/Sent at <time.*Denied.*<bdo dir="ltr">first<\/bdo>/s);
		const again = await send(first, { hidden: {} }, { request0: '0' });
		expect(again).toMatchObject({ status: 409, title: 'Already answered' });
		expect(await answered(PROMPTS.twice)).toEqual(['reject', undefined]);
	});
});

test('twenty simultaneous sessions have a link each, and an answer decides only one of them', async () => {
	const sent = await messages(stage, executions.many, 20);
	expect(new Set(sent.map(({ url }) => url)).size).toBe(20);
	for (const [n, { text, url }] of sent.entries()) {
		const [asked] = /deploy \d+/.exec(text)!;
		expect((await openPage(url)).html).toContain(`<bdo dir="ltr">${asked}</bdo>`);
		const done = await answer(url, [asked.endsWith('3') ? 'Deny' : 'Approve once']);
		expect(done).toMatchObject({ title: 'Your answer was sent' });
		if (n > 0) continue;
		const others = await Promise.all(MANY.map(answered));
		expect(others.flat().filter((value) => value !== undefined).length).toBeLessThan(2);
	}
});

describe('after the answer', () => {
	test('the agent continues, and the item lists the decisions', async () => {
		const [item] = arrived(await ended('one'), 'Completed');
		expect(item.decisions).toMatchObject([
			{ decision: 'approve', decidedBy: 'page', comment: 'Go ahead.' },
		]);
		const said = (await stage.service.requests()).filter(
			({ path }) => path === `/v1/agent/sessions/${item.sessionId}/messages`,
		);
		expect(said.map(({ body }) => JSON.stringify(body))).toEqual([
			expect.stringContaining('Go ahead.'),
		]);
		const [two] = arrived(await ended('two'), 'Completed');
		expect(two.decisions).toMatchObject([
			{ patterns: ['git push'], decision: 'approve', decidedBy: 'page' },
			{ patterns: ['rm -rf build'], decision: 'deny', decidedBy: 'page' },
		]);
	});

	test('each of twenty sessions continues once, with its own answer', async () => {
		const items = arrived(await ended('many'), 'Completed');
		const decided = items.map(({ decisions: [{ patterns, decision }] }) => [patterns[0], decision]);
		expect(Object.fromEntries(decided)).toEqual(
			Object.fromEntries(
				MANY.map((_, n) => [`deploy ${n}`, `${n}`.endsWith('3') ? 'deny' : 'approve']),
			),
		);
		expect(items).toHaveLength(20);
		const all = (await stage.service.sessions()).map(({ prompt }) => prompt);
		expect(all.filter((prompt) => prompt.startsWith('Many '))).toHaveLength(20);
	});

	test('a later request has its own link, and n8n itself answers after the execution has ended', async () => {
		const second = await link('twice', 1);
		expect(second).not.toBe(await link('twice'));
		await answer(second, ['Always approve']);
		await ended('twice');
		expect(await answered(PROMPTS.twice)).toEqual(['reject', 'always']);
		expect(await openPage(second)).toMatchObject({ status: 409 });
		expect(await send(second, { hidden: {} }, { request0: '0' })).toMatchObject({ status: 409 });
	});
});
