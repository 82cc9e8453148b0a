// The page on which a person answers: what it shows, what an answer does, and all that must not decide anything.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { hurriedHost } from './durable.mts';
import { arrived, choiceOf, messages, openPage, send, withPage } from './page.mts';
import {
	callApi,
	recordOf,
	sessionsFor,
	STAGE_TIMEOUT_MS,
	TEST_TIMEOUT_MS,
	useOwnStage,
} from './support.mts';

const stage = useOwnStage(hurriedHost);

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

beforeAll(async () => {
	for (const [name, prompt] of Object.entries(PROMPTS)) await begin(name, [prompt]);
	await begin('many', MANY, { options: { maxConcurrentSessions: 20 } });
}, STAGE_TIMEOUT_MS);

const link = async (name: keyof typeof PROMPTS, nth = 0): Promise<string> =>
	(await messages(stage, executions[name], nth + 1))[nth].url;

async function ended(name: string) {
	const execution = await stage.host.waitForExecution(executions[name], {
		timeoutMs: TEST_TIMEOUT_MS,
	});
	const { status, error } = execution;
	expect({ status, error: error?.message }).toEqual({ status: 'success' });
	return execution;
}

/** What the service has been told for the session with this prompt */
const answered = async (prompt: string): Promise<unknown[]> => {
	const [{ sessionId }] = await sessionsFor(stage, prompt);
	const { interactions } = await recordOf(stage, sessionId);
	return interactions.map(({ value }: { value?: unknown }) => value);
};

describe('a person', () => {
	test(
		'answers by a link, with a comment, and the agent goes on',
		async () => {
			const url = await link('one');
			const page = await openPage(url);
			expect(page).toMatchObject({ status: 200, title: 'An agent asks for permission' });
			expect(page.html).toContain('npm publish');
			const fields = { request0: choiceOf(page, 0, 'Allow once'), comment: 'Go ahead.' };
			expect(await send(url, page, fields)).toMatchObject({ status: 200, title: 'Sent' });
			const [item] = arrived(await ended('one'), 'Completed');
			expect(item).toMatchObject({
				text: 'Went on.',
				decisions: [{ decision: 'approve', decidedBy: 'page', comment: 'Go ahead.' }],
			});
			// n8n itself answers when the execution is over.
			expect(await openPage(url)).toMatchObject({ status: 409 });
			expect(await send(url, page, { ...fields, request0: '1' })).toMatchObject({ status: 409 });
			expect(await answered(PROMPTS.one)).toEqual(['once']);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'answers two requests of one question differently',
		async () => {
			const url = await link('two');
			const page = await openPage(url);
			const fields = {
				request0: choiceOf(page, 0, 'Allow once'),
				request1: choiceOf(page, 1, 'Deny'),
			};
			expect(await send(url, page, fields)).toMatchObject({ title: 'Sent' });
			const [item] = arrived(await ended('two'), 'Completed');
			expect(item.decisions).toMatchObject([
				{ patterns: ['git push'], decision: 'approve', decidedBy: 'page' },
				{ patterns: ['rm -rf build'], decision: 'deny', decidedBy: 'page' },
			]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'is asked by a link of its own about what comes later, and the old one says what was decided',
		async () => {
			const first = await link('twice');
			const page = await openPage(first);
			await send(first, page, { request0: choiceOf(page, 0, 'Deny') });
			const second = await link('twice', 1);
			expect(second).not.toBe(first);
			const old = await openPage(first);
			expect(old.title).toBe('Already answered');
			expect(old.html).toMatch(/Denied: <bdi>«bash first»<\/bdi>, on this page, <time/);
			expect(await send(first, page, { request0: '0' })).toMatchObject({
				title: 'Already answered',
			});
			expect(await answered(PROMPTS.twice)).toEqual(['reject', undefined]);
			const now = await openPage(second);
			await send(second, now, { request0: choiceOf(now, 0, 'Allow from now on') });
			await ended('twice');
			expect(await answered(PROMPTS.twice)).toEqual(['reject', 'always']);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('nothing is decided', () => {
	test(
		'by looking, by a scanner, without the nonce, with another, or without a choice',
		async () => {
			const url = await link('still');
			const page = await openPage(url);
			expect(await openPage(url, 'HEAD')).toMatchObject({ status: 200, html: '' });
			const purpose = { 'Sec-Purpose': 'prefetch', Purpose: 'prefetch' };
			expect((await fetch(url, { headers: purpose })).headers.get('cache-control')).toBe(
				'no-store',
			);
			const bare = new URL(url);
			bare.searchParams.delete('question');
			const guessed = new URL(url);
			guessed.searchParams.set('question', 'A'.repeat(22));
			const several = `${url}&question=${'A'.repeat(22)}`;
			const foreign = new URL(url);
			foreign.searchParams.set(
				'question',
				new URL(await link('two')).searchParams.get('question')!,
			);
			for (const wrong of [bare.href, guessed.href, several, foreign.href]) {
				expect(await openPage(wrong)).toMatchObject({ status: 404 });
				expect(await send(wrong, page, { request0: '0' })).toMatchObject({ status: 404 });
			}
			const incomplete = { status: 409, title: 'A request has no choice yet' };
			for (const request0 of ['', '9', 'once'])
				expect(await send(url, page, { request0 })).toMatchObject(incomplete);
			const changed = { status: 409, title: 'The agent asks for something else now' };
			for (const shown of ['', 'A'.repeat(22)])
				expect(await send(url, page, { shown, request0: '0' })).toMatchObject(changed);
			expect(await answered(PROMPTS.still)).toEqual([undefined]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'by a page that showed something else: it shows what is asked now',
		async () => {
			const url = await link('changing');
			const page = await openPage(url);
			const [{ sessionId }] = await sessionsFor(stage, PROMPTS.changing);
			const { interactions } = await recordOf(stage, sessionId);
			await callApi(
				stage,
				'POST',
				`/agent/sessions/${sessionId}/interactions/${interactions[0].id}/resolve`,
				{ type: 'permission', response: 'reject' },
			);
			const fields = { request0: '0', request1: '0' };
			const now = await send(url, page, fields);
			expect(now.status).toBe(409);
			expect(now.html).not.toContain('git push');
			expect(await answered(PROMPTS.changing)).toEqual(['reject', undefined]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'twice, by two people at once: one of them is told so',
		async () => {
			const url = await link('still');
			const page = await openPage(url);
			const [allow, deny] = [choiceOf(page, 0, 'Allow once'), choiceOf(page, 0, 'Deny')];
			const answers = await Promise.all(
				[allow, deny].map(async (request0) => await send(url, page, { request0 })),
			);
			const titles = answers.map(({ title }) => title);
			expect(titles.filter((title) => title === 'Sent')).toHaveLength(1);
			const [item] = arrived(await ended('still'), 'Completed');
			const [decision] = item.decisions;
			expect(decision.decision).toBe(titles[0] === 'Sent' ? 'approve' : 'deny');
			expect(item.decisions).toHaveLength(1);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('twenty sessions that ask at once', () => {
	test(
		'have a link each, and an answer is for one of them alone',
		async () => {
			const sent = await messages(stage, executions.many, 20);
			expect(new Set(sent.map(({ url }) => url)).size).toBe(20);
			for (const [n, { text, url }] of sent.entries()) {
				const page = await openPage(url);
				const own = /deploy \d+/.exec(text)![0];
				expect(page.html).toContain(`«${own}»`);
				const label = n % 2 === 0 ? 'Allow once' : 'Deny';
				expect(await send(url, page, { request0: choiceOf(page, 0, label) })).toMatchObject({
					title: 'Sent',
				});
				if (n > 0) continue;
				const others = await Promise.all(MANY.map(answered));
				expect(others.flat().filter((value) => value !== undefined).length).toBeLessThan(2);
			}
			const items = arrived(await ended('many'), 'Completed');
			expect(items).toHaveLength(20);
			for (const { decisions } of items) {
				const n = sent.findIndex(({ text }) => text.includes(`«${decisions[0].patterns[0]}»`));
				expect(decisions).toMatchObject([{ decision: n % 2 === 0 ? 'approve' : 'deny' }]);
			}
			const sessions = (await stage.service.sessions()).filter(({ prompt }) =>
				prompt.startsWith('Many '),
			);
			expect(sessions).toHaveLength(20);
		},
		TEST_TIMEOUT_MS,
	);
});
