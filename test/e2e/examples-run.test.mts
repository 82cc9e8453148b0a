// Examples that need no account beside Slack's, in the real n8n: they run to their end, by what people answer and what a check finds.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { hasEnded, type Execution } from '../../n8n-host/executions.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { examples, exampleWorkflow } from '../../tools/examples.mts';
import { fillExample, importAllCredentials } from './channels/filledIn.mts';
import { fillInAt, openForm } from './channels/people.mts';
import { atHost } from './channels/standIn.mts';
import { useChannels } from './channels/useChannels.mts';
import { getChoice, openPage, send } from './page.mts';
import { expectSuccess, FASTER } from './pausing.mts';
import { byId, eventually, getRecord, NODE, requestsSince } from './support.mts';

const { stage, channels } = useChannels({ clock: { faster: FASTER, origin: Date.now() } });

beforeAll(async () => {
	await importAllCredentials(stage.host);
	await stage.service.control.setSpeed(FASTER);
});

/** Nodes with data of other services, with models, or with other answers than those of the approval page */
const NEEDS_DATA =
	/langchain|dataTable|notion|github|googleSheets|gmail$|httpRequest|(form|chat|error|Automation)Trigger$|HitlTool$|executeWorkflow$|\.wait$/i;

/** Examples that a run by hand takes through all of their nodes */
const runnable = examples().filter((name) => {
	const types = exampleWorkflow(name).nodes.map(({ type }) => type);
	return (
		types.some((type) => type.endsWith('manualTrigger')) &&
		!types.some((type) => NEEDS_DATA.test(type))
	);
});

/** The links of the items that ask approvers */
const approvalUrls = ({ runData }: Execution): string[] =>
	Object.values(runData)
		.flat()
		.flatMap(({ data }) => data?.main.flat() ?? [])
		.flatMap((item) => (item?.json.approvalUrl as string | undefined) ?? []);

/** Approves each request of a page, and chooses the first option of each question. */
async function approvePage(link: string): Promise<void> {
	const page = await openPage(link);
	const names = [...new Set(page.html.match(/(?<=name="request)\d+/g))].map(Number);
	const choices = names.map((n) => {
		const isPermission = new RegExp(`name="request${n}"[^>]*>\\s*<span>Approve once<`).test(
			page.html,
		);
		return [`request${n}`, isPermission ? getChoice(page, n, 'Approve once') : '0'];
	});
	await send(link, page, Object.fromEntries(choices));
}

/** Approves each request, until the execution has ended. */
async function approveAll(executionId: string): Promise<Execution> {
	const { host } = stage;
	const answered = new Set<string>();
	for (;;) {
		const execution = await host.waitForExecution(executionId, { until: 'waiting' });
		if (hasEnded(execution)) return execution;
		for (const url of approvalUrls(execution)) {
			if (answered.has(url)) continue;
			answered.add(url);
			await approvePage(atHost(url, host.url));
		}
		await sleep(250);
	}
}

test.each(runnable)('%s.json runs to its end', async (name) => {
	const { host } = stage;
	const id = await host.importWorkflow(fillExample(name));
	expectSuccess(await approveAll(await host.run(id)));
});

/** The text of the first message to Slack that has this in it */
const slackText = async (part: RegExp): Promise<string> =>
	(await channels.message(({ host, text }) => host === 'slack.com' && part.test(text))).text;

const messagesTo = async (sessionId: unknown): Promise<unknown[]> =>
	(await requestsSince(stage, 0))
		.filter(({ path }) => path === `/agent/sessions/${sessionId}/messages`)
		.map(({ body }) => body.text);

describe('plan-then-do.json', () => {
	/** Returns the link to the form from Slack. n8n 2 answers nothing to who opens it while the execution is running. */
	const formUrl = async (id: string): Promise<string> => {
		await eventually(async () => {
			const execution = await stage.host.waitForExecution(id, { until: 'waiting' });
			return execution.lastNodeExecuted === 'Go, change or stop';
		});
		const text = await slackText(new RegExp(`/form-waiting/${id}\\b`));
		return atHost(/https?:\S+\/form-waiting\/\S+/.exec(text)![0], stage.host.url);
	};
	const prompt =
		'[ask bash: git push] [say <b>The plan</b>.] [next turn] [ask bash: git push] [say Live.]';
	const go = 'Do what the plan says. Then tell me what changed.';
	const change = `Change the plan like this, and then do it:\n\nKeep the logo.\n\nThen tell me what changed.`;

	test.each<[string, string, string, string[], string[]]>([
		['Go', '', 'Result', [go], ['reject', 'once']],
		['Change', 'Keep the logo.', 'Result', [change], ['reject', 'once']],
		['Change', '', 'Stopped', [], ['reject']],
		['Stop', 'Keep the logo.', 'Stopped', [], ['reject']],
	])('%s, and "%s": n8n thanks at once, then %s', async (decision, text, end, messages, values) => {
		const { host } = stage;
		const file = fillExample('plan-then-do', { 'Write the plan': { prompt } });
		const id = await host.run(await host.importWorkflow(file));
		const url = await formUrl(id);
		const form = await openForm(url);
		for (const shown of ['&lt;b&gt;The plan&lt;/b&gt;', 'Thank you.'])
			expect(form).toContain(shown);
		// n8n's answer doesn't wait for what the agent then asks. The form's script shows the thanks.
		expect(JSON.parse(await fillInAt(url, [decision, text]))).toEqual({ status: 200 });
		const execution = await approveAll(id);
		expectSuccess(execution);
		expect(execution.lastNodeExecuted).toBe(end);
		const [{ sessionId }] = execution.items('Write the plan');
		expect(await messagesTo(sessionId)).toEqual(messages);
		const { interactions } = await getRecord(stage, sessionId);
		expect(interactions.map(({ value }: any) => value)).toEqual(values);
	});
});

describe('check-then-hand-over.json', () => {
	const edit = (html: string) => `[change content: => ${html}] [ask edit: index.html] [say Done.]`;
	const broken = '<a href="/abuot">About us</a>';

	test.each<[string, string[], string, number]>([
		['a page without broken links', ['New'], 'Ready: ', 0],
		['a broken link that the agent repairs', [broken, 'New'], 'Ready: ', 1],
		['a broken link that stays', [broken, broken, broken], 'Not ready: Broken link: ', 2],
	])('%s: %p, "%s" after %i messages', async (_, pages, said, count) => {
		const { host } = stage;
		const prompt = pages.map(edit).join(' [next turn] ');
		const file = fillExample('check-then-hand-over', { [NODE]: { prompt } });
		const workflowId = await host.importWorkflow(file);
		await host.activate(workflowId);
		const execution = await approveAll(await host.run(workflowId));
		expectSuccess(execution);
		const [{ sessionId, previewUrl }] = execution.items(NODE);
		expect(previewUrl).toContain('/previews/');
		const messages = await messagesTo(sessionId);
		expect(messages).toHaveLength(count);
		for (const message of messages)
			expect(message).toMatch(/isn't ready: Broken link: \S+\/abuot \(404\)/);
		const last = execution.lastNodeExecuted === 'Hand over' ? previewUrl : 'abuot (404)';
		expect(channels.sent().at(-1)!.text).toContain(said + (said === 'Ready: ' ? last : ''));
	});
});

/** The workflow without its manual trigger: a run by hand starts from the next one. */
const withoutManual = (file: WorkflowFile): WorkflowFile => ({
	...file,
	nodes: file.nodes.map((node) =>
		node.type.endsWith('manualTrigger') ? { ...node, type: 'n8n-nodes-base.noOp' } : node,
	),
});

test('session-register.json has a row for each session, and posts what is open', async () => {
	const { host } = stage;
	const filled = fillExample('session-register');
	// The note says which columns the table has.
	const { content } = filled.nodes[0].parameters as { content: string };
	const columns = ['String', 'Number'].flatMap((type) =>
		[...new RegExp(`${type} columns: ([^.]*)`).exec(content)![1].matchAll(/`(\w+)`/g)].map(
			([, name]) => ({ name, type: type.toLowerCase() }),
		),
	);
	const { id: owner } = await host.rest.get('/projects/personal');
	const tables = `/projects/${owner}/data-tables`;
	const { id: table } = await host.rest.post(tables, { name: 'Sessions', columns });
	for (const { parameters } of filled.nodes)
		if ('dataTableId' in parameters) parameters.dataTableId = byId(table);
	const register = (script: string): WorkflowFile => {
		const file = structuredClone(filled);
		file.nodes.find(({ name }) => name === NODE)!.parameters.prompt = script;
		return file;
	};
	const rows = async () => (await host.rest.get(`${tables}/${table}/rows`)).data;
	const post = async () => {
		const file = withoutManual(filled);
		expectSuccess(await host.waitForExecution(await host.run(await host.importWorkflow(file))));
		return channels.sent().filter(({ text }) => text.includes('have asked an approver'));
	};

	const script = '[ask bash: git push] [say Live.]';
	const id = await host.run(await host.importWorkflow(register(script)));
	const asked = await eventually(async () => (await rows())[0]);
	expect(asked).toMatchObject({ state: 'needs approval', project: 'Juniper Coffee', approvals: 0 });
	expect((await post()).map(({ text }) => text)).toEqual([
		expect.stringMatching(
			/\*Juniper Coffee\* is open since \w+ \d+, \d\d:\d\d \(0 approved, 0 denied\): http/,
		),
	]);
	expectSuccess(await approveAll(id));
	const failing = await host.run(await host.importWorkflow(register('[fail Out of disk]')));
	expectSuccess(await host.waitForExecution(failing));
	const refused = register('Never started.');
	refused.nodes.find(({ name }) => name === NODE)!.parameters.projectId = byId(randomUUID());
	const notStarted = await host.run(await host.importWorkflow(refused));
	expectSuccess(await host.waitForExecution(notStarted));
	const { sessionId } = asked;
	expect(await rows()).toMatchObject([
		{
			sessionId,
			state: 'completed',
			approvals: 1,
			denials: 0,
			preview: expect.stringMatching(/\/previews\//),
		},
		{ state: 'failed', sessionId: expect.stringMatching(/^[\da-f-]{36}$/) },
		{ state: 'failed', sessionId: `not started, execution ${notStarted}` },
	]);
	expect(await post()).toHaveLength(1);
});

test('night.json says the minutes of each project, and the preview of those with a site', async () => {
	const { host, service } = stage;
	const { projects, sites } = await service.control.seed();
	const [{ id: projectId, name }, other] = projects;
	const { id: value } = sites.find((site) => site.projectId === projectId)!;
	const file = fillExample('night', {
		Sites: { assignments: { assignments: [{ id: 'site', name, value, type: 'string' }] } },
		Projects: { returnAll: false, limit: 2 },
		[NODE]: { prompt: '[ask bash: rm -rf tmp] [say Done.]', permissionPolicy: 'deny' },
		'Wait until 7 am': { dateTime: '={{ $now.plus({ seconds: 1 }) }}' },
	});
	expectSuccess(await approveAll(await host.run(await host.importWorkflow(file))));
	const summary = await slackText(/This was the night/);
	expect(summary).toMatch(/: .*\nDenied: bash rm -rf tmp\nPreview: http\S+\/previews\/\S+\nhttp/);
	expect(summary).toContain(`*${name}* (1 min): `);
	expect(summary).toContain(`*${other.name}* (1 min): `);
	expect(summary.match(/Preview: /g)).toHaveLength(1);
});
