// Several requests, also of several sessions, on one approval page, in n8n-core's engine and in simulated time.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { byId } from '../../n8n-host/workflows.mts';
import { exampleWorkflow } from '../../tools/examples.mts';
import {
	answering,
	createStage,
	fillIn,
	NODE,
	runsOf,
	type Fill,
	type Flow,
	type Stage,
} from './flow.mts';

const flowOf = (prompts: string[], parameters: IDataObject = {}): Flow => ({
	parameters: { permissionPolicy: 'ask', ...parameters },
	items: prompts.map((prompt) => ({ prompt })),
});

/** Waits for a message for each session, answers the first one's page, and returns it with the page after Send. */
async function answerFirst(
	stage: Stage,
	flow: Flow,
	fill: (html: string) => Record<string, string>,
) {
	const pages: string[] = [];
	const run = await stage.run(flow, async (paused) => {
		const asked = runsOf(paused, NODE, 1).flat();
		if (pages.length > 0 || asked.length < flow.items!.length) return;
		const link = String(asked[0].approvalUrl);
		const { body } = await stage.open(flow, paused, link);
		const reply = await stage.open(flow, paused, link, fill(body));
		pages.push(body, reply.body);
		return reply.data;
	});
	return { run, pages, completed: runsOf(run, NODE).flat() };
}

const optionsOf = (completed: IDataObject[]) =>
	completed.map(({ decisions }) => (decisions as IDataObject[]).map(({ option }) => option));

test('three requests of two sessions are on one page, with one Send', async () => {
	const flow = flowOf(['[ask bash: a + bash: b] [say One.]', '[ask edit: c.html] [say Two.]']);
	const { pages, completed } = await answerFirst(createStage(), flow, (html) => ({
		...fillIn(html, 'Approve once'),
		request1: fillIn(html, 'Deny').request1,
	}));
	expect(pages[0]).toContain('1 request of other sessions is below.');
	expect(pages[0]).toContain('3 of 3 · Edit this file');
	expect(pages[0].match(/type="submit"/g)).toHaveLength(1);
	expect(pages[1].match(/You approved this once/g)).toHaveLength(2);
	expect(optionsOf(completed)).toEqual([['once', 'reject'], ['once']]);
});

test('those that look the same are approved together, and no other', async () => {
	const flow = flowOf(['[ask bash: a] [say 1]', '[ask bash: b] [say 2]', '[ask bash: a] [say 3]']);
	const { pages, completed } = await answerFirst(createStage(), flow, (html) => {
		const { request0, shown, together } = fillIn(html, 'Approve once');
		return { shown, together, request0, request1: fillIn(html, 'Deny').request1, same0: 'on' };
	});
	expect(pages[0]).toContain('Approve all that look the same (1 more request)');
	expect(optionsOf(completed)).toEqual([['once'], ['reject'], ['once']]);
});

test('another session is left for its own link if nothing is chosen for it', async () => {
	const flow = flowOf(['[ask bash: a] [say 1]', '[question Why?] [say 2]']);
	const stage = createStage();
	const { pages } = await answerFirst(stage, flow, (html) => {
		const { request0, shown, together } = fillIn(html, 'Approve once');
		return { shown, together, request0, answer1: ' ' };
	});
	expect(pages[1].match(/You (approved|answered)/g)).toEqual(['You approved']);
	expect(stage.of('POST', '/resolve')).toHaveLength(1);
});

test('if another session has changed since, only the own answers of the link count', async () => {
	const flow = flowOf(['[ask bash: a] [say 1]', '[ask bash: b] [say 2]']);
	const stage = createStage();
	const { pages } = await answerFirst(stage, flow, (html) => ({
		...fillIn(html, 'Approve once'),
		together: 'of another request',
	}));
	expect(pages[1].match(/You approved/g)).toHaveLength(1);
	expect(stage.of('POST', '/resolve')).toHaveLength(1);
});

test('with the approvers of the night example, the requests of all projects are on one page', async () => {
	const stage = createStage();
	const { parameters } = exampleWorkflow('night').nodes.find(
		({ name }) => name === 'Run Agent Session',
	)!;
	const projects = stage.service.seed().projects.slice(0, 2);
	const flow: Flow = {
		parameters: {
			projectId: byId('={{ $json.project }}'),
			approvals: parameters.approvals,
		},
		items: projects.map(({ id }, index) => ({
			project: id,
			prompt: `[ask bash: command ${index}]`,
		})),
	};
	const { pages } = await answerFirst(stage, flow, (html) => fillIn(html, 'Approve once'));
	expect(pages[0]).toContain('1 request of other sessions is below.');
	expect(pages[0]).toContain('command 1');
});

test('what "Approve all that look the same" fills in is sent alone, and the other sections never block Send', async () => {
	const flow = flowOf([
		'[ask bash: a] [say 1]',
		'[ask bash: b + bash: a] [say 2]',
		'[question Why?]',
	]);
	const stage = createStage();
	const { pages } = await answerFirst(stage, flow, (html) => {
		const { request0, shown, together } = fillIn(html, 'Approve once');
		return { shown, together, request0, same0: 'on' };
	});
	expect(pages[0]).toContain('Approve all that look the same (1 more request)');
	expect(pages[0]).toContain('3 requests of other sessions are below.');
	expect(pages[1]).toContain('Your answer was saved');
	const sent = stage.of('POST', '/resolve').map(({ path }) => path.split('/')[3]);
	expect(new Set(sent)).toHaveProperty('size', 2);
	expect(sent).toHaveLength(2);
});

test.each<[count: number, questions: number]>([
	[2, 1],
	[7, 2],
])(
	'%i requests with the same content are each answered, in %i questions',
	async (count, questions) => {
		const requests = Array.from({ length: count }, () => 'bash: npm test').join(' + ');
		const answer: Fill = (html) => ({
			...fillIn(html, 'Approve once'),
			request1: fillIn(html, 'Deny').request1,
		});
		const flow = flowOf([`[ask ${requests}] [say Went on.]`]);
		const { item, asked, sent } = await answering(createStage(), flow, answer, answer);
		expect(asked).toHaveLength(questions);
		const decisions = (item.decisions as IDataObject[]).map(({ decision }) => decision);
		expect(decisions).toHaveLength(count);
		expect(decisions.filter((decision) => decision === 'deny')).toHaveLength(questions);
		expect(sent).toHaveLength(count);
	},
);

describe('approvers whom each item names', () => {
	const flow: Flow = {
		parameters: {
			permissionPolicy: 'ask',
			approvals: { approvers: { list: [{ approvers: '={{ $json.approvers }}' }] } },
		},
		items: [
			{ names: ['Anna'], command: 'a' },
			{ names: ['Ben'], command: 'a' },
			{ names: ['Anna', 'Ben'], command: 'c' },
		].map(({ names, command }, index) => ({
			prompt: `[ask bash: ${command}] [say ${index}]`,
			approvers: names.map((name) => ({ name, contact: `${name}@example.com` })),
		})),
	};
	const nameOf = ({ approver }: IDataObject) => (approver as IDataObject).name;

	test('see and answer only what they were asked', async () => {
		const stage = createStage();
		const pages: Record<string, string> = {};
		const replies: string[] = [];
		let ofBen = '';
		await stage.run(flow, async (paused) => {
			const asked = runsOf(paused, NODE, 1).flat();
			if (replies.length > 0 || asked.length < 4) return;
			ofBen = String(asked[1].sessionId);
			for (const item of asked)
				pages[`${nameOf(item)} ${String(item.sessionId)}`] = (
					await stage.open(flow, paused, String(item.approvalUrl))
				).body;
			const [first] = asked;
			const link = String(first.approvalUrl);
			const form = fillIn(pages[`Anna ${String(first.sessionId)}`], 'Approve once');
			const reply = await stage.open(flow, paused, link, { ...form, request2: '0', same0: 'on' });
			replies.push(reply.body);
			return reply.data;
		});
		const commands = Object.entries(pages).map(([key, html]) => [
			key.split(' ')[0],
			[...html.matchAll(/<ul class="code"><li><bdo dir="ltr">(\w+)</g)].map(([, text]) => text),
		]);
		expect(commands.sort()).toEqual([
			['Anna', ['a', 'c']],
			['Anna', ['c', 'a']],
			['Ben', ['a', 'c']],
			['Ben', ['c', 'a']],
		]);
		expect(replies[0].match(/You approved this once/g)).toHaveLength(2);
		expect(Object.values(pages).join()).not.toContain('look the same');
		const sent = stage.of('POST', '/resolve').map(({ path }) => path);
		expect(sent).toHaveLength(2);
		expect(sent.join()).not.toContain(ofBen);
	});
});

test('an old tab never answers a later request that looks the same', async () => {
	const stage = createStage();
	const deploy = '[ask bash: npm run deploy -- --prod]';
	const approvers = ['Anna', 'Ben'].map((name) => ({ name, contact: `${name}@example.com` }));
	const flow = flowOf([`${deploy} [work 20m] ${deploy} [say Done]`], {
		maxWait: 120,
		onMaxWait: 'letRun',
		approvals: { approvers: { list: [{ approvers }] } },
	});
	const tabs: Array<{ link: string; form: Record<string, string> }> = [];
	let late: { status: number; resumes: boolean } | undefined;
	await stage.run(flow, async (paused) => {
		const asked = runsOf(paused, NODE, 1).flat();
		if (tabs.length === 0 && asked.length === 2) {
			for (const { approvalUrl } of asked) {
				const link = String(approvalUrl);
				const { body } = await stage.open(flow, paused, link);
				tabs.push({ link, form: fillIn(body, 'Approve once') });
			}
			return (await stage.open(flow, paused, tabs[0].link, tabs[0].form)).data;
		}
		if (asked.length === 4) late ??= await stage.open(flow, paused, tabs[1].link, tabs[1].form);
		return undefined;
	});
	expect(late).toMatchObject({ status: 409, resumes: false });
	expect(stage.of('POST', '/resolve')).toHaveLength(1);
});
