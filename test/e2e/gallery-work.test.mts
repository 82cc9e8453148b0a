// The examples that hand work to agents and tell someone what came of it, in the real n8n: Slack, Notion and GitHub are a mock.
import { createHmac } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { controlOver, type ControlClient } from '../../local-service/control/client.mts';
import {
	hasEnded,
	listExecutions,
	readExecution,
	type Execution,
} from '../../n8n-host/executions.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { fillExample, importAllCredentials } from './channels/filledIn.mts';
import { useChannels } from './channels/useChannels.mts';
import { WAITS_FASTER } from './durable.mts';
import { answerForm, eventually, play, POLL_TIMES } from './support.mts';

const { stage, channels } = useChannels({ waitsFaster: WAITS_FASTER });
let control: ControlClient;

beforeAll(async () => await importAllCredentials(stage.host));

let seen = 0;
beforeEach(async () => {
	control = controlOver(stage.service.controlUrl);
	await control.reset();
	await control.setSpeed(20);
	seen = channels.sent().length;
});

const sent = () => channels.sent().slice(seen);
const inSlack = (): string[] =>
	sent()
		.filter(({ host }) => host === 'slack.com')
		.map(({ body }) => String(body.text));

/** Switches a workflow on, has something happen, and returns the execution that it starts of itself, once it has ended. */
async function whenSwitchedOn(
	file: WorkflowFile,
	happen: (workflowId: string) => Promise<unknown>,
): Promise<Execution> {
	const workflowId = await stage.host.importWorkflow(file);
	await stage.host.activate(workflowId);
	await happen(workflowId);
	const { id } = await eventually(async () =>
		(await listExecutions(stage.host.rest, workflowId)).find(hasEnded),
	);
	await stage.host.deactivate(workflowId);
	return await readExecution(stage.host.rest, id);
}

const idOfWebhook = ({ nodes }: WorkflowFile, type: string) =>
	nodes.find((node) => node.type.endsWith(type))!.webhookId!;

describe('one-prompt.json', () => {
	const run = async (prompt: string) => {
		const file = fillExample('one-prompt', { Projects: { limit: 3, returnAll: false } });
		return await whenSwitchedOn(file, async () => {
			const url = `${stage.host.url}/form/${idOfWebhook(file, 'formTrigger')}`;
			await eventually(async () => (await fetch(url)).ok);
			await answerForm(url, [prompt]);
		});
	};

	test('gives every project the prompt, and lists the results in one message', async () => {
		const execution = await run(
			'New year in the footer. [ask bash: npm run build] [ask bash: git push] [say Done.]',
		);
		expect(execution.error).toBeUndefined();
		const sessions = await control.sessions();
		expect(new Set(sessions.map(({ projectId }) => projectId)).size).toBe(3);
		for (const { prompt, interactions } of sessions) {
			expect(prompt).toContain('New year in the footer.');
			expect(interactions).toMatchObject([{ value: 'once' }, { value: 'reject' }]);
		}
		const [text, ...more] = inSlack();
		expect(more).toEqual([]);
		for (const { name } of (await control.seed()).projects.slice(0, 3))
			expect(text).toMatch(new RegExp(`^\\*${name}\\*: Done\\.`, 'm'));
	});

	test('names the failed project, and continues with the others', async () => {
		await control.addFaults({
			operationId: 'createAgentSession',
			kind: 'status',
			status: 403,
			after: 1,
			times: 1,
		});
		await run('New year in the footer. [say Done.]');
		const lines = inSlack()[0].split('\n');
		expect(lines.filter((line) => line.endsWith(': Done.'))).toHaveLength(2);
		expect(lines.filter((line) => /: NOT done\. \S/.test(line))).toHaveLength(1);
	});
});

/** An issue as GitHub tells of it: it signs with the secret that n8n has given it. */
async function labelAnIssue(workflowId: string, label: string, body: string): Promise<void> {
	const hook = await eventually(async () =>
		sent().findLast(({ host, path }) => host === 'api.github.com' && path.endsWith('/hooks')),
	);
	const { url, secret } = hook.body.config;
	const payload = JSON.stringify({
		action: 'labeled',
		label: { name: label },
		issue: { number: 7, title: 'New hours', body },
	});
	const signature = createHmac('sha256', secret).update(payload).digest('hex');
	const deliver = async () =>
		await fetch(String(url).replace(/^https:\/\/n8n\.example/, stage.host.url), {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'x-github-event': 'issues',
				'x-hub-signature-256': `sha256=${signature}`,
			},
			body: payload,
		});
	// Until n8n has saved the secret it refuses every delivery.
	const answer = await eventually(async () => {
		const { status } = await deliver();
		return status === 401 ? undefined : status;
	});
	expect([answer, workflowId]).toEqual([200, workflowId]);
}

describe('issue-to-preview.json', () => {
	beforeAll(() => {
		channels.answer('api.github.com', () => ({ id: 1, active: true }));
	});
	const comments = () =>
		sent()
			.filter(({ path }) => path === '/repos/agency/site/issues/7/comments')
			.map(({ body }) => String(body.body));
	const label = async (body: string) =>
		await whenSwitchedOn(
			fillExample('issue-to-preview'),
			async (id) => await labelAnIssue(id, 'site', body),
		);

	test("runs the issue's prompt, and comments with the preview and the denied requests", async () => {
		const execution = await label(
			'We open at nine. [ask bash: npm run build] [ask bash: git push] [say The hours are new.]',
		);
		expect(execution.error).toBeUndefined();
		const [session] = await control.sessions();
		expect(session.prompt).toContain('New hours\n\nWe open at nine.');
		expect(session.interactions).toMatchObject([{ value: 'once' }, { value: 'reject' }]);
		const [comment, ...more] = comments();
		expect(more).toEqual([]);
		expect(comment).toContain('The hours are new.');
		expect(comment).toContain('Not allowed: `bash git push`');
		const [preview] = /http:\S+\/previews\/\S+/.exec(comment)!;
		expect((await fetch(preview)).status).toBe(200);
	});

	test('reports its failure in the issue', async () => {
		await label('[fail Out of disk]');
		expect(comments()).toEqual([expect.stringMatching(/^Not done: .*Out of disk/)]);
	});
});

describe('product-page.json', () => {
	/** Published, with its trigger polling every two seconds */
	const filled = (prompt: string) =>
		fillExample('product-page', {
			'A product is new': { projectId: undefined, pollTimes: { item: POLL_TIMES } },
			'Run Agent Session': { prompt },
		});

	test('has a page written for a new product, and shows the preview in Slack', async () => {
		const { projectId } = fillExample('product-page').nodes.find(
			({ name }) => name === 'A product is new',
		)!.parameters;
		const file = filled('Write it. [ask bash: npm run build] [say The page is there.]');
		Object.assign(file.nodes.find(({ name }) => name === 'A product is new')!.parameters, {
			projectId,
		});
		const execution = await whenSwitchedOn(file, async () => {
			const polls = async () =>
				(await control.requests()).filter(({ path }) => path.endsWith('/products')).length;
			await eventually(async () => (await polls()) >= 2);
			await control.products.add({ projectId: projectId.value, name: 'Honey Oats', price: 7 });
		});
		expect(execution.error).toBeUndefined();
		const [text, ...more] = inSlack();
		expect(more).toEqual([]);
		expect(text).toMatch(/^\*Honey Oats\* has a page: http\S+\nThe page is there\.$/);
		expect(execution.items('Create the preview')).toHaveLength(1);
	});
});

describe('content-ready.json', () => {
	const ID = '0f1e2d3c-4b5a-4697-8877-665544332211';
	const text = (content: string) => ({
		type: 'rich_text',
		rich_text: [{ type: 'text', plain_text: content, text: { content } }],
	});

	/** A database of Notion with one page, as its API shows it */
	function database(status: string, more: Record<string, string> = {}) {
		const properties: Record<string, any> = {
			Name: {
				type: 'title',
				title: [{ type: 'text', plain_text: 'Spring menu', text: { content: 'Spring menu' } }],
			},
			Status: { type: 'status', status: { name: status } },
			...Object.fromEntries(Object.entries(more).map(([key, value]) => [key, text(value)])),
		};
		const page = () => ({
			object: 'page',
			id: ID,
			url: 'https://www.notion.so/page',
			parent: { type: 'database_id' },
			properties,
		});
		channels.answer('api.notion.com', ({ method, path, body }) => {
			if (path.endsWith('/query')) {
				const wanted = body.filter.or.map((one: any) => one.status.equals);
				return {
					results: wanted.includes(properties.Status.status.name) ? [page()] : [],
					has_more: false,
				};
			}
			if (method === 'PATCH') Object.assign(properties, body.properties);
			return page();
		});
		return {
			status: () => properties.Status.status.name,
			session: () => properties.Session.rich_text[0].text.content,
		};
	}

	const comments = () =>
		sent()
			.filter(({ path }) => path === '/v1/comments')
			.map(({ body }) => body);

	test('writes ready pages, comments with the preview, and publishes on request', async () => {
		const notion = database('Ready', {
			Brief: 'Matcha and lemonade. [ask bash: npm run build] [say It is written.]',
		});
		const writing = await play(stage, fillExample('content-ready'));
		expect(writing.error).toBeUndefined();
		expect(notion.status()).toBe('Review');
		const [session] = await control.sessions();
		expect(session.prompt).toContain('Spring menu\nMatcha and lemonade.');
		expect(notion.session()).toBe(session.sessionId);
		expect(comments()).toMatchObject([{ parent: { page_id: ID } }]);
		expect(comments()[0].rich_text[0].text.content).toMatch(
			/^It is written\.\nhttp\S+\/previews\//,
		);

		// As long as nobody has set it to Publish, nothing happens.
		await play(stage, fillExample('content-ready'));
		expect(await control.sessions()).toHaveLength(1);

		const published = database('Publish', { Brief: '', Session: session.sessionId });
		const message =
			'Publish the page. [ask bash: npm run publish] [ask bash: git push --force] [say It is live.]';
		const publishing = await play(
			stage,
			fillExample('content-ready', { 'Publish the page': { message } }),
		);
		expect(publishing.error).toBeUndefined();
		expect(published.status()).toBe('Published');
		expect((await control.sessions())[0].interactions.slice(1)).toMatchObject([
			{ value: 'once' },
			{ value: 'reject' },
		]);
		expect(inSlack()).toEqual([]);
	});

	test('reports an unwritten page to the channel, and keeps the status At work', async () => {
		const notion = database('Ready', { Brief: '[fail Out of disk]' });
		await play(stage, fillExample('content-ready'));
		expect(notion.status()).toBe('At work');
		expect(inSlack()).toEqual([
			expect.stringMatching(/^\*Spring menu\* is not done: .*Out of disk/),
		]);
	});
});
