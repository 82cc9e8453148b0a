// The approval page in a real n8n, by HTTP and once in a browser: what an answer does, and what decides nothing.
import { describe, expect, test } from '@jest/globals';
import {
	answer,
	answerAfterRestart,
	choose,
	getChoice,
	messages,
	openPage,
	SAVED,
	SAVED_OR_KEPT,
	send,
	untilFormIsGone,
	withPage,
	message,
	MESSAGE,
} from './page.mts';
import {
	around,
	expectSuccess,
	pausing,
	publish,
	untilPaused,
	usePausingStage,
} from './pausing.mts';
import { answerOnPhone } from './phone.mts';
import { answerInRetry } from './retriedMessage.mts';
import { arrived, eventually, NODE, testWith } from './support.mts';

const stage = usePausingStage({ twice: true });

const executions: Record<string, string> = {};

/** Starts an execution of Run Agent Session with one item for each prompt. Each test starts its own: paused executions keep n8n busy, in hurried time all the more. */
async function begin(
	name: string,
	prompts = [asks(name)],
	parameters: Record<string, unknown> = {},
): Promise<void> {
	const { call } = await publish(stage.host, { ...withPage(name, prompts, parameters), name });
	executions[name] = await call();
}

const asks = (name: string, ...patterns: string[]) => {
	const requests = (patterns.length > 0 ? patterns : ['npm publish']).map(
		(each) => `bash: ${each}`,
	);
	return `${name}: [ask ${requests.join(' + ')}] [say Went on.]`;
};

const sessionsOf = async (name: string) =>
	(await stage.service.sessions()).filter(({ prompt }) => prompt.startsWith(`${name}: `));

/** The values that the service has got for the requests of a workflow's sessions */
const decided = async (name: string): Promise<unknown[]> =>
	(await sessionsOf(name)).flatMap(({ interactions }) =>
		interactions.map(({ value }: { value?: unknown }) => value),
	);

/** The number of decisions that were sent for a workflow's sessions */
async function countSent(name: string): Promise<number> {
	const ids = (await sessionsOf(name)).map(({ sessionId }) => sessionId as string);
	return (await stage.service.requests()).filter(
		({ path }) => path.endsWith('/resolve') && ids.some((id) => path.includes(id)),
	).length;
}

const links = async (name: string, count = 1): Promise<string[]> =>
	(await messages(stage, executions[name], count)).map(({ url }) => url);

async function ended(name: string) {
	const execution = await stage.host.waitForExecution(executions[name]);
	expectSuccess(execution);
	return arrived(execution, 'Completed');
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const RACES = range(3).map((n) => `race ${n}`);
const TEAMS = range(3).map((n) => `team ${n}`);
const MANY = range(10);

const team = {
	approvers: { approver: ['Anna', 'Ben'].map((name) => ({ name, contact: name })) },
	approvalsNeeded: 2,
};

describe('nothing is decided', () => {
	test('by opening the link, without the nonce, with another nonce, without a choice, or by another method', async () => {
		await begin('still');
		await begin('other');
		const [url] = await links('still');
		const page = await openPage(url);
		expect(page).toMatchObject({ status: 200, title: 'The agent needs your approval' });
		expect(page.headers.get('cache-control')).toBe('no-store');
		await fetch(url, { method: 'HEAD' });
		const foreign = new URL((await links('other'))[0]).searchParams.get('question')!;
		for (const nonce of ['', 'A'.repeat(22), foreign]) {
			const other = new URL(url);
			other.searchParams.set('question', nonce);
			expect(await openPage(other.href)).toMatchObject({ status: 404 });
			expect(await send(other.href, page, { request0: '0' })).toMatchObject({ status: 404 });
		}
		for (const request0 of ['', '9', 'once'])
			expect(await send(url, page, { request0 })).toMatchObject({ status: 409 });
		for (const shown of ['', 'A'.repeat(22)])
			expect(await send(url, page, { shown, request0: '0' })).toMatchObject({ status: 409 });
		expect(await decided('still')).toEqual([undefined]);
		expect(await choose(url, page, ['Approve once'])).toMatchObject(SAVED);
		expect(await ended('still')).toMatchObject([{ decisions: [{ decision: 'approve' }] }]);
	});
});

describe('an answer', () => {
	test('decides each request of its page, and its comment goes to the agent', async () => {
		await begin('two', [asks('two', 'git push', 'rm -rf build')], {
			approvals: { sendComments: true },
		});
		const [url] = await links('two');
		expect(await answer(url, ['Approve once', 'Deny'], 'Not that folder.')).toMatchObject(SAVED);
		const [item] = await ended('two');
		expect(item.decisions).toMatchObject([
			{
				patterns: ['git push'],
				decision: 'approve',
				decidedBy: 'page',
				comment: 'Not that folder.',
			},
			{ patterns: ['rm -rf build'], decision: 'deny', decidedBy: 'page' },
		]);
		const said = (await stage.service.requests()).filter(({ path }) =>
			path.endsWith(`${item.sessionId}/messages`),
		);
		expect(said.map(({ body }) => JSON.stringify(body))).toEqual([
			expect.stringContaining('Not that folder.'),
		]);
	});

	test('is replaced by another one until it is sent, and a later request has a link of its own', async () => {
		await begin('later', ['later: [ask bash: first] [ask bash: second] [say Went on.]']);
		const [first] = await links('later');
		const page = await openPage(first);
		expect(await choose(first, page, ['Deny'])).toMatchObject(SAVED);
		const { status } = await choose(first, page, ['Approve once']);
		expect([SAVED.status, 409]).toContain(status);
		const [, second] = await links('later', 2);
		expect((await openPage(first)).html).toContain('<bdo dir="ltr">first</bdo>');
		expect(await answer(second, ['Always approve'])).toMatchObject(SAVED);
		await ended('later');
		// n8n may have started the wake of the first answer when it read the execution for the second one.
		const [one, other] = await decided('later');
		expect(status === 409 ? ['reject'] : ['once', 'reject']).toContain(one);
		expect(other).toBe('always');
		// n8n itself answers after the end.
		expect(await openPage(second)).toMatchObject({ status: 409 });
	});

	testWith('Chromium')('is given on a phone, by touch and by keyboard', async () => {
		await begin('phone', ['phone: [ask bash: git push + edit: index.html] [say Went on.]']);
		const [url] = await links('phone');
		// Wakes are frequent in hurried time, and n8n answers links with an error in them.
		await answerOnPhone(url, async () => await untilPaused(stage, executions.phone, 20_000));
		expect(await ended('phone')).toMatchObject([
			{
				decisions: [
					{ decision: 'approve', comment: 'Not that page.' },
					{
						decision: 'deny',
						decidedBy: 'page',
						comment: 'Change the other page.\nNot that page.',
					},
				],
			},
		]);
	});

	test('decides three requests of two sessions with one Send', async () => {
		await begin('several', [
			asks('several', 'first', 'second'),
			'several: [question Which style? {new=Modern, old=Classic}] [say Went on.]',
		]);
		const [url] = await links('several', 2);
		const page = await openPage(url);
		const isFirst = /1 of 3 · Run this command/.test(page.html);
		const choices = isFirst
			? [getChoice(page, 0, 'Approve once'), getChoice(page, 1, 'Deny'), '0']
			: ['0', getChoice(page, 1, 'Approve once'), getChoice(page, 2, 'Deny')];
		const fields = choices.map((value, index) => [`request${index}`, value]);
		expect(await send(url, page, Object.fromEntries(fields))).toMatchObject(SAVED);
		expect(await ended('several')).toHaveLength(2);
		expect((await decided('several')).sort()).toEqual(['new', 'once', 'reject']);
		expect(await countSent('several')).toBe(3);
	});

	test('of one of ten sessions decides only this one', async () => {
		const prompts = MANY.map((n) => asks('many', `deploy ${n}`));
		await begin('many', prompts, { options: { maxConcurrentSessions: 10 } });
		const urls = await links('many', MANY.length);
		expect(new Set(urls).size).toBe(MANY.length);
		for (const url of urls) {
			const page = await openPage(url);
			const [, n] = /<bdo dir="ltr">deploy (\d+)</.exec(page.html)!;
			const label = n.endsWith('3') ? 'Deny' : 'Approve once';
			expect(await choose(url, page, [label])).toMatchObject(SAVED);
		}
		const items = await ended('many');
		const pairs = items.map(({ decisions: [{ patterns, decision }] }) => [patterns[0], decision]);
		expect(Object.fromEntries(pairs)).toEqual(
			Object.fromEntries(
				MANY.map((n) => [`deploy ${n}`, `${n}`.endsWith('3') ? 'deny' : 'approve']),
			),
		);
		expect(await countSent('many')).toBe(MANY.length);
	});
});

describe('the agent', () => {
	test('gets answers to its questions: an option, and a text', async () => {
		await begin('questions', [
			'questions: [question Which style? {new=Modern, old=Classic}] [question Why?] [say Went on.]',
		]);
		const [first] = await links('questions');
		const page = await openPage(first);
		expect(page).toMatchObject({ status: 200, title: 'The agent has a question' });
		expect(await send(first, page, {})).toMatchObject({ status: 409 });
		expect(await send(first, page, { request0: '1' })).toMatchObject(SAVED);
		const [, second] = await links('questions', 2);
		const form = await openPage(second);
		const tooLong = await send(second, form, { answer0: 'x'.repeat(10_001) });
		expect(tooLong).toMatchObject({ status: 409, title: 'Your answer can’t be sent' });
		expect(tooLong.html).toContain('x'.repeat(10_001));
		expect(await send(second, form, { answer0: 'It’s <b>warm</b>' })).toMatchObject(SAVED);
		expect(await ended('questions')).toMatchObject([
			{
				text: 'Went on.',
				decisions: [
					{ decision: 'answer', question: 'Which style?', answer: 'old' },
					{ decision: 'answer', question: 'Why?', answer: 'It’s <b>warm</b>' },
				],
			},
		]);
		expect(await decided('questions')).toEqual(['old', 'It’s <b>warm</b>']);
	});

	test('gets the reason of a denial', async () => {
		await begin('reason', [asks('reason')], { approvals: { sendComments: true } });
		const [url] = await links('reason');
		const page = await openPage(url);
		const request0 = getChoice(page, 0, 'Deny');
		const reason0 = 'Publish a preview first.';
		expect(await send(url, page, { request0, reason0 })).toMatchObject(SAVED);
		const [item] = await ended('reason');
		expect(item.decisions).toMatchObject([{ decision: 'deny', comment: reason0 }]);
		const said = (await stage.service.requests()).filter(({ path }) =>
			path.endsWith(`${item.sessionId}/messages`),
		);
		expect(said.map(({ body }) => JSON.stringify(body))).toEqual([
			expect.stringContaining(reason0),
		]);
	});

	test('makes an edit that an approver has seen', async () => {
		await begin('change', [
			'change: [change texts: Coffee => Fresh coffee] [ask edit: index.html] [say Went on.]',
		]);
		const [url] = await links('change');
		const page = await openPage(url);
		expect(page.html).toMatch(/<tr class="added">.*Fresh coffee/);
		expect(await choose(url, page, ['Approve once'])).toMatchObject(SAVED);
		expect(await ended('change')).toMatchObject([{ decisions: [{ decision: 'approve' }] }]);
	});
});

describe('in the same second', () => {
	test.each(RACES)(
		'two people with one link: one decision, of a page that said so (%s)',
		async (name) => {
			// The other session keeps the execution paused, so that not n8n itself answers the second approver.
			await begin(name, [asks(name), `${name}: [work 5m] [say Done.]`]);
			const [url] = await links(name);
			const page = await openPage(url);
			const labels = ['Approve once', 'Deny'];
			const pages = await Promise.all(
				labels.map(async (label) => await choose(url, page, [label])),
			);
			const [item] = await ended(name);
			const winner = item.decisions[0].decision === 'approve' ? 0 : 1;
			expect(pages[winner]).toMatchObject(SAVED_OR_KEPT);
			// The other one was replaced, or has said that it wasn't saved.
			expect([200, 409]).toContain(pages[1 - winner].status);
			expect(await countSent(name)).toBe(1);
		},
	);

	test.each(TEAMS)('two approvers both count (%s)', async (name) => {
		await begin(name, [asks(name)], { approvals: team });
		const urls = await links(name, 2);
		const pages = await Promise.all(urls.map(async (url) => await openPage(url)));
		const saved = await Promise.all(
			urls.map(async (url, at) => await choose(url, pages[at], ['Approve once'])),
		);
		expect(saved).toMatchObject([SAVED_OR_KEPT, SAVED_OR_KEPT]);
		const [{ decisions }] = await ended(name);
		expect(decisions).toMatchObject([
			{
				decision: 'approve',
				approvers: expect.arrayContaining([
					expect.objectContaining({ name: 'Anna' }),
					expect.objectContaining({ name: 'Ben' }),
				]),
			},
		]);
		expect(await countSent(name)).toBe(1);
	});
});

describe('beside other pauses', () => {
	test('links of two nodes in one execution both work', async () => {
		const second = {
			...pausing({ permissionPolicy: 'ask', prompt: asks('nodes', 'second node') }),
			id: 'second',
			name: 'Second',
		};
		const file = around(
			'nodes',
			[{ prompt: asks('nodes', 'first node') }],
			pausing({ permissionPolicy: 'ask' }),
			{
				outputs: [['Completed'], [MESSAGE]],
				more: [message, second],
				follows: { Items: [[NODE, 'Second']], Second: [['Completed'], [MESSAGE]] },
			},
		);
		executions.nodes = await (await publish(stage.host, file)).call();
		const urls = await links('nodes', 2);
		for (const url of urls) expect(await answer(url, ['Approve once'])).toMatchObject(SAVED);
		expect(await ended('nodes')).toHaveLength(2);
		expect(await decided('nodes')).toEqual(['once', 'once']);
		expect(await countSent('nodes')).toBe(2);
	});
});

test('a message that failed once: the retry asks again, with a link that works', async () => {
	const prompt = 'message: [ask bash: npm publish] [say Went on.]';
	const execution = await answerInRetry(stage.host, prompt);
	expectSuccess(execution);
	expect(arrived(execution, 'Completed')).toMatchObject([{ decisions: [{ decidedBy: 'page' }] }]);
	expect(await decided('message')).toEqual(['once']);
});

// The last, because n8n is killed.
describe('n8n killed with -9', () => {
	/** Starts an execution that asks, and kills n8n in its pause. Returns its ID and its link. */
	async function beginAndKill(name: string): Promise<{ executionId: string; url: string }> {
		await begin(name);
		const executionId = executions[name];
		const [url] = await links(name);
		await untilPaused(stage, executionId, 50_000);
		const { waitTill } = await stage.host.rest.get(`/executions/${executionId}`);
		await stage.kill();
		const isInPause = stage.now() < Date.parse(waitTill);
		await stage.restart();
		// Pauses are short in hurried time, and n8n doesn't resume an execution that is killed in a wake.
		return isInPause ? { executionId, url } : await beginAndKill(`${name} again`);
	}

	test('between the question and the answer: the link still works', async () => {
		const { executionId, url } = await beginAndKill('killed before');
		await answerAfterRestart(stage.host, { executionId, url }, ['Approve once']);
		const execution = await eventually(async () => {
			const found = await stage.host.waitForExecution(executionId);
			return found.status === 'success' ? found : undefined;
		});
		expect(arrived(execution, 'Completed')).toMatchObject([{ decisions: [{ decidedBy: 'page' }] }]);
	});

	test('in the wake of an answer: the retry applies it, and asks again about what has none, with a link of its own', async () => {
		const name = 'killed after';
		await begin(name, [asks(name, 'git push'), asks(name, 'npm publish')]);
		const asked = await messages(stage, executions[name], 2);
		const [push, publishing] = ['git push', 'npm publish'].map(
			(command) => asked.find(({ text }) => text.includes(command))!.url,
		);
		const slow = { operationId: 'getAgentSession', kind: 'latency', ms: 5_000, times: 0 } as const;
		const page = await openPage(push);
		await stage.service.control.addFaults(slow);
		expect(await choose(push, page, ['Deny'])).toMatchObject(SAVED);
		await eventually(async () => (await stage.service.control.faults())[0].struck > 0);
		await stage.kill();
		await stage.service.control.clearFaults();
		await stage.restart();
		const id = executions[name];
		await eventually(
			async () => (await stage.host.rest.get(`/executions/${id}`)).status === 'crashed',
		);
		executions[name] = await stage.host.retry(id);
		const own = await eventually(async () =>
			(await links(name, 3)).find((url) => url.includes(`/${executions[name]}/`)),
		);
		await untilFormIsGone(publishing);
		expect(await answer(own, ['Approve once'])).toMatchObject(SAVED);
		expect(await ended(name)).toMatchObject([
			{ decisions: [{ decision: 'deny', decidedBy: 'page' }] },
			{ decisions: [{ decision: 'approve', decidedBy: 'page' }] },
		]);
		expect((await decided(name)).sort()).toEqual(['once', 'reject']);
	});
});
