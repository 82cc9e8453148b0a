// The preview of a page, in n8n-core's engine and in simulated time: in the message, on the approval page and in the item.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { createStage, fillIn, NODE, runsOf, type Flow } from './flow.mts';
import { useRunAgentSession } from './runAgentSession.mts';

/** The stage's projects and sites are the same for each service. */
const siteOf = ({ service, project }: ReturnType<typeof createStage>) =>
	service.seed().sites.find(({ projectId }) => projectId === project.id)!.id;

const PREVIEWS = '/shared-previews';

function flowOf(stage: ReturnType<typeof createStage>, prompts: string[], more: IDataObject = {}) {
	const preview = { page: { siteId: siteOf(stage), route: '/pricing' } };
	const parameters = { permissionPolicy: 'ask', ...more, options: { preview } };
	return { parameters, items: prompts.map((prompt) => ({ prompt })) } satisfies Flow;
}

test('an approver gets the link in the message and on the page, and the page shows it after the answer, too', async () => {
	const stage = createStage();
	const flow = flowOf(stage, [
		'[change content: => New prices] [ask edit: prices.html] [say Done]',
	]);
	const pages: string[] = [];
	let asked: IDataObject = {};
	const shown: string[] = [];
	const show = async (url: unknown) =>
		shown.push((await stage.service.app.inject({ url: String(url) })).body);
	const run = await stage.run(flow, async (paused) => {
		const [item] = runsOf(paused, NODE, 1).flat();
		if (!item || pages.length > 0) return;
		asked = item;
		await show(asked.previewUrl);
		const link = String(asked.approvalUrl);
		pages.push((await stage.open(flow, paused, link)).body);
		const reply = await stage.open(flow, paused, link, fillIn(pages[0], 'Approve once'));
		pages.push(reply.body);
		return reply.data;
	});
	const [completed] = runsOf(run, NODE).flat();
	const url = String(asked.previewUrl);
	expect(url).toMatch(/^https:\/\/stage-\d+\.test\/previews\/[\w-]+$/);
	expect(String(asked.message).split('  \n').slice(-2)).toEqual([
		`Preview: ${url}`,
		asked.approvalUrl,
	]);
	expect(asked.question).toContain(`  \nPreview: ${url}  \n`);
	expect(completed.previewUrl).toBe(url);
	expect(completed).not.toHaveProperty('warnings');
	for (const page of pages)
		expect(page).toContain(
			`<a href="${url}" target="_blank" rel="noopener noreferrer">Open the preview</a>`,
		);
	expect(pages[0]).toContain(`on ${new URL(url).host},`);
	expect(stage.of('POST', PREVIEWS).map(({ body }) => JSON.parse(String(body)))).toEqual([
		{ projectId: stage.project.id, siteId: siteOf(stage), route: '/pricing' },
	]);
	await show(url);
	expect(shown.map((page) => page.includes('New prices'))).toEqual([false, true]);
});

test.each<[string, string[], IDataObject, number]>([
	['that ask', ['[ask bash: a] [say 1]', '[ask bash: b] [say 2]'], {}, 2],
	['that complete', ['[say 1]', '[say 2]'], {}, 2],
	['of a running execution', ['[say 1]', '[say 2]'], { whileWaiting: 'keepRunning' }, 2],
])('sessions %s share one request', async (_, prompts, more, count) => {
	const stage = createStage();
	const flow = flowOf(stage, prompts, more);
	let answered = 0;
	const run = await stage.run(flow, async (paused) => {
		const asked = runsOf(paused, NODE, 1).flat();
		if (asked.length <= answered) return;
		const link = String(asked[answered++].approvalUrl);
		const { body } = await stage.open(flow, paused, link);
		return (await stage.open(flow, paused, link, fillIn(body, 'Approve once'))).data;
	});
	const urls = runsOf(run, NODE)
		.flat()
		.map(({ previewUrl }) => previewUrl);
	expect(urls).toEqual(Array.from({ length: count }, () => expect.stringMatching(/^https:/)));
	expect(stage.of('POST', PREVIEWS)).toHaveLength(1);
});

test('without the option, there is no request for it, and nothing says preview', async () => {
	const stage = createStage();
	const run = await stage.run({ items: [{ prompt: '[say 1]' }], parameters: {} });
	expect(stage.of('POST', PREVIEWS)).toEqual([]);
	expect(JSON.stringify(run.data)).not.toMatch(/preview/i);
});

describe('Preview', () => {
	const { setup, run, requests, of } = useRunAgentSession();
	const siteId = siteOf(createStage());
	const withPage = (page: IDataObject) => ({ options: { preview: { page } } });

	test.each<[string, IDataObject, RegExp]>([
		['a Site ID that is no UUID', withPage({ siteId: 'abc', route: '/' }), /^'Site ID' isn't/],
		['no Site ID', withPage({ route: '/' }), /^'Site ID' is empty$/],
		['no field', { options: { preview: {} } }, /^'Site ID' is empty$/],
		['a query', withPage({ siteId, route: '/a?b=1' }), /^'Route' has a query string or fragment$/],
		['a fragment', withPage({ siteId, route: '/a#b' }), /^'Route' has a query string or fragment$/],
		[
			'a relative route',
			withPage({ siteId, route: 'a' }),
			/^'Route' doesn't start with one slash$/,
		],
		['a host', withPage({ siteId, route: '//a.b' }), /^'Route' doesn't start with one slash$/],
		['no route', withPage({ siteId, route: '' }), /^'Route' is empty$/],
		['a route that is no text', withPage({ siteId, route: '={{ 7 }}' }), /^'Route' is not a text$/],
		['a long route', withPage({ siteId, route: `/${'a'.repeat(2_048)}` }), /^'Route' is too long$/],
	])('with %s is an error before anything is sent', async (_, changes, message) => {
		const { error } = await run(setup(changes));
		expect(error?.message).toMatch(message);
		expect(await requests()).toEqual([]);
	});

	test('of a tool may come from the model, and the model gets the link', async () => {
		const changes = withPage({ siteId: `={{ "${siteId}" }}`, route: '={{ "/a" }}' });
		const { outputs } = await run(setup(changes, { asTool: true }));
		expect(outputs[0][0].json.previewUrl).toMatch(/^https:/);
	});

	test('is not asked for if the session failed', async () => {
		const given = { ...withPage({ siteId, route: '/' }), prompt: '[fail Out of disk]' };
		const { outputs } = await run(setup(given, { asTool: true }));
		expect(outputs[0][0].json).toMatchObject({ status: 'failed' });
		expect(outputs[0][0].json).not.toHaveProperty('previewUrl');
		expect(await of('POST', PREVIEWS)).toEqual([]);
	});
});
