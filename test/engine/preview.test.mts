// The preview of a page, in n8n-core's engine and in simulated time: in the message, on the approval page and in the item.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { answering, createStage, fillIn, NODE, runsOf, type Fill, type Flow } from './flow.mts';
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
	const {
		item: completed,
		asked: [asked],
		pages,
		replies,
	} = await answering(stage, flow, (html) => fillIn(html, 'Approve once'));
	const url = String(asked.previewUrl);
	expect(url).toMatch(/^https:\/\/stage-\d+\.test\/previews\/[\w-]+$/);
	expect(String(asked.message).split('  \n').slice(-2)).toEqual([
		`Preview: ${url}`,
		asked.approvalUrl,
	]);
	expect(asked.question).toContain(`  \nPreview: ${url}  \n`);
	expect(completed.previewUrl).toBe(url);
	expect(completed).not.toHaveProperty('warnings');
	for (const page of [...pages, ...replies])
		expect(page).toContain(
			`<a href="${url}" target="_blank" rel="noopener noreferrer">Open the preview</a>`,
		);
	expect(pages[0]).toContain(`on ${new URL(url).host},`);
	expect(stage.bodies(PREVIEWS)).toEqual([
		{ projectId: stage.project.id, siteId: siteOf(stage), route: '/pricing' },
	]);
});

test.each<[string, string[], IDataObject]>([
	['that ask', ['[ask bash: a] [say 1]', '[ask bash: b] [say 2]'], {}],
	['of a running execution', ['[say 1]', '[say 2]'], { whileWaiting: 'keepRunning' }],
])('sessions %s share one request', async (_, prompts, more) => {
	const stage = createStage();
	const approve: Fill = (html) => fillIn(html, 'Approve once');
	const { run } = await answering(stage, flowOf(stage, prompts, more), approve, approve);
	const urls = runsOf(run, NODE)
		.flat()
		.map(({ previewUrl }) => previewUrl);
	expect(urls).toEqual(prompts.map(() => expect.stringMatching(/^https:/)));
	expect(stage.of('POST', PREVIEWS)).toHaveLength(1);
});

test('each route has a request of its own', async () => {
	const stage = createStage();
	const preview = { page: { siteId: siteOf(stage), route: '={{ $json.route }}' } };
	const items = ['/a', '/b'].map((route) => ({ prompt: '[say Done]', route }));
	await stage.run({ items, parameters: { whileWaiting: 'keepRunning', options: { preview } } });
	const routes = stage.bodies(PREVIEWS).map((body: any) => body.route);
	expect(routes.sort()).toEqual(['/a', '/b']);
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
		['no field', { options: { preview: {} } }, /^'Site ID' is empty$/],
		['a host', withPage({ siteId, route: '//a.b' }), /^'Route' doesn't start with one slash$/],
		['a route that is no text', withPage({ siteId, route: '={{ 7 }}' }), /^'Route' is not a text$/],
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
