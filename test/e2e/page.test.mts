// The page on which a person answers: what it shows, what an answer does, and all that must not decide anything.
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
	arrived,
	choiceOf,
	LOOK_MS,
	messages,
	openPage,
	patientHost,
	send,
	withPage,
} from './page.mts';
import {
	callApi,
	eventually,
	recordOf,
	sessionsFor,
	STAGE_TIMEOUT_MS,
	useOwnStage,
} from './support.mts';

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

beforeAll(async () => {
	for (const [name, prompt] of Object.entries(PROMPTS))
		await begin(name, [prompt], { options: { sendComments: name === 'one' } });
	await begin('many', MANY, { options: { maxConcurrentSessions: 20 } });
}, STAGE_TIMEOUT_MS);

const link = async (name: keyof typeof PROMPTS, nth = 0): Promise<string> =>
	(await messages(stage, executions[name], nth + 1))[nth].url;

async function ended(name: string) {
	const execution = await stage.host.waitForExecution(executions[name], {
		timeoutMs: LOOK_MS,
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

/** Opens a link and sends what a person chooses, by the labels. */
async function answer(url: string, labels: string[], comment = '') {
	const page = await openPage(url);
	const choices = labels.map((label, n) => [`request${n}`, choiceOf(page, n, label)]);
	return await send(url, page, { ...Object.fromEntries(choices), comment });
}

describe('nothing is decided', () => {
	test(
		'by looking, by a scanner, without the nonce, with another, or without a choice',
		async () => {
			const url = await link('still');
			const page = await openPage(url);
			expect(page).toMatchObject({ status: 200, title: 'An agent asks for permission' });
			expect(await openPage(url, 'HEAD')).toMatchObject({ status: 200, html: '' });
			const purpose = { 'Sec-Purpose': 'prefetch', Purpose: 'prefetch' };
			expect((await fetch(url, { headers: purpose })).headers.get('cache-control')).toBe(
				'no-store',
			);
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
			const incomplete = { status: 409, title: 'A request has no choice yet' };
			for (const request0 of ['', '9', 'once'])
				expect(await send(url, page, { request0 })).toMatchObject(incomplete);
			const changed = { status: 409, title: 'The agent asks for something else now' };
			for (const shown of ['', 'A'.repeat(22)])
				expect(await send(url, page, { shown, request0: '0' })).toMatchObject(changed);
			expect(await answered(PROMPTS.still)).toEqual([undefined]);
		},
		LOOK_MS,
	);

	test(
		'by a page that showed something else: it shows what is asked now',
		async () => {
			const url = await link('changing');
			const page = await openPage(url);
			const [{ sessionId }] = await sessionsFor(stage, PROMPTS.changing);
			const { interactions } = await recordOf(stage, sessionId);
			const path = `/agent/sessions/${sessionId}/interactions/${interactions[0].id}/resolve`;
			await callApi(stage, 'POST', path, { type: 'permission', response: 'once' });
			const now = await send(url, page, { request0: '0', request1: '0' });
			expect(now).toMatchObject({ status: 409, title: 'The agent asks for something else now' });
			expect(now.html).toContain('rm -rf build');
			expect(now.html).not.toContain('git push');
			expect(await answered(PROMPTS.changing)).toEqual(['once', undefined]);
		},
		LOOK_MS,
	);

	test(
		'twice, by two people at once: one of them is told so',
		async () => {
			const url = await link('still');
			const page = await openPage(url);
			const both = ['Allow once', 'Deny'].map((label) => choiceOf(page, 0, label));
			const answers = await Promise.all(
				both.map(async (request0) => await send(url, page, { request0 })),
			);
			expect(answers.filter(({ title }) => title === 'Sent')).toHaveLength(1);
			const values = await eventually(async () => {
				const [value] = await answered(PROMPTS.still);
				return value && [value];
			});
			expect(values).toEqual([answers[0].title === 'Sent' ? 'once' : 'reject']);
		},
		LOOK_MS,
	);
});

describe('a person', () => {
	test(
		'answers by a link, with a comment that goes to the agent',
		async () => {
			expect(await answer(await link('one'), ['Allow once'], 'Go ahead.')).toMatchObject({
				status: 200,
				title: 'Sent',
			});
		},
		LOOK_MS,
	);

	test(
		'answers two requests of one question differently',
		async () => {
			expect(await answer(await link('two'), ['Allow once', 'Deny'])).toMatchObject({
				title: 'Sent',
			});
		},
		LOOK_MS,
	);

	test(
		'is asked by a link of its own about what comes later, and the old one says what was decided',
		async () => {
			const first = await link('twice');
			await answer(first, ['Deny']);
			const old = await openPage(first);
			expect(old.title).toBe('Already answered');
			expect(old.html).toMatch(/Denied: <bdi>«bash first»<\/bdi>, on this page, <time/);
			const again = await send(first, { hidden: {} }, { request0: '0' });
			expect(again).toMatchObject({ status: 409, title: 'Already answered' });
			expect(await answered(PROMPTS.twice)).toEqual(['reject', undefined]);
		},
		LOOK_MS,
	);
});

test(
	'twenty sessions that ask at once have a link each, and an answer is for one of them alone',
	async () => {
		const sent = await messages(stage, executions.many, 20);
		expect(new Set(sent.map(({ url }) => url)).size).toBe(20);
		for (const [n, { text, url }] of sent.entries()) {
			const [asked] = /deploy \d+/.exec(text)!;
			expect((await openPage(url)).html).toContain(`«${asked}»`);
			const done = await answer(url, [asked.endsWith('3') ? 'Deny' : 'Allow once']);
			expect(done).toMatchObject({ title: 'Sent' });
			if (n > 0) continue;
			const others = await Promise.all(MANY.map(answered));
			expect(others.flat().filter((value) => value !== undefined).length).toBeLessThan(2);
		}
	},
	2 * LOOK_MS,
);

describe('after that', () => {
	test(
		'the agent goes on, and the item says who decided what',
		async () => {
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
		},
		LOOK_MS,
	);

	test(
		'each of twenty sessions goes on as it was answered, once',
		async () => {
			const items = arrived(await ended('many'), 'Completed');
			const decided = items.map(({ decisions: [{ patterns, decision }] }) => [
				patterns[0],
				decision,
			]);
			expect(Object.fromEntries(decided)).toEqual(
				Object.fromEntries(
					MANY.map((_, n) => [`deploy ${n}`, `${n}`.endsWith('3') ? 'deny' : 'approve']),
				),
			);
			expect(items).toHaveLength(20);
			const all = (await stage.service.sessions()).map(({ prompt }) => prompt);
			expect(all.filter((prompt) => prompt.startsWith('Many '))).toHaveLength(20);
		},
		LOOK_MS,
	);

	test(
		'what is asked later has a link of its own; n8n itself answers when the execution is over',
		async () => {
			const second = await link('twice', 1);
			expect(second).not.toBe(await link('twice'));
			await answer(second, ['Allow from now on']);
			await ended('twice');
			expect(await answered(PROMPTS.twice)).toEqual(['reject', 'always']);
			expect(await openPage(second)).toMatchObject({ status: 409 });
			expect(await send(second, { hidden: {} }, { request0: '0' })).toMatchObject({ status: 409 });
		},
		2 * LOOK_MS,
	);
});
