// npm run demo, as someone meets it: a result in the terminal, then the same result in the editor, and workflows that are what the examples are.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startGuarded, type Guarded } from '../../n8n-host/guarded.mts';
import { connectHost, type Host } from '../../n8n-host/host.mts';
import type { WorkflowNode } from '../../n8n-host/workflows.mts';
import type { Login } from '../../n8n-host/rest.mts';
import { launchBrowser } from '../../tools/editor/browser.mts';
import { openPanel } from '../../tools/editor/canvas.mts';
import { openSession } from '../../tools/editor/signIn.mts';
import { filledInExample } from '../../tools/examples.mts';
import { eventually, NODE, testWith } from './support.mts';

const root = `${import.meta.dirname}/../..`;
const printed: string[] = [];
let demo: Guarded;
let url: string;
let login: Login;
let host: Host;

/** Returns the text after a word at the beginning of a line. */
const fact = (name: string) =>
	printed
		.find((line) => line.startsWith(`${name} `))
		?.slice(name.length)
		.trim();

beforeAll(async () => {
	demo = startGuarded(process.execPath, ['tools/demo.mts', '--built'], {
		cwd: root,
		onLine: (line) => printed.push(line),
	});
	const password = await eventually(async () => fact('Password'));
	url = new URL(fact('Result')!).origin;
	login = { email: fact('Email')!, password };
	host = await connectHost({ url, login }, () => '');
});
afterAll(async () => {
	await demo?.stop();
});

test('each workflow that the demo has imported is what its example is, field by field', async () => {
	const list = await host.rest.get('/workflows');
	const saved = await Promise.all(
		list.map(({ id }: { id: string }) => host.rest.get(`/workflows/${id}`)),
	);
	const files = ['run-agent-session', 'approve-on-a-page'].map(filledInExample);
	expect(saved.map(({ name }) => name).sort()).toEqual(files.map(({ name }) => name).sort());
	for (const file of files) {
		const { nodes, connections, settings } = saved.find(({ name }) => name === file.name);
		// n8n gives credentials their ID, and nodes with a page an ID of their own.
		const given = new Set(
			file.nodes.filter((node) => 'webhookId' in node).map((node) => node.name),
		);
		const withoutIds = (each: WorkflowNode[]) =>
			each.map(({ webhookId, credentials, ...node }) => ({
				...node,
				...(given.has(node.name) && { webhookId }),
				credentials: credentials?.workspaceAutomationApi.name,
			}));
		expect(withoutIds(nodes)).toEqual(withoutIds(file.nodes));
		expect(connections).toEqual(file.connections);
		expect(settings).toMatchObject(file.settings ?? {});
	}
});

test('the terminal prints the message of an approval with its link, which opens the page, also for a workflow that someone makes', async () => {
	const list = await host.rest.get('/workflows');
	const { name } = filledInExample('approve-on-a-page');
	const { id } = list.find((each: { name: string }) => each.name === name);
	await host.run(await host.importWorkflow(await host.rest.get(`/workflows/${id}`)));
	const link = await eventually(async () => printed.find((line) => /\/approval\?/.test(line)));
	expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhook-waiting\/\S+$/);
	expect(printed[printed.indexOf(link) - 3]).toMatch(
		/^The agent wants to run this command: «git push»/,
	);
	const page = await fetch(link);
	expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('git push')]);
});

testWith('Chromium')('the editor shows the result that the terminal printed', async () => {
	const [session, agent, result] = ['Session', 'Agent', 'Result'].map((name) => fact(name)!);
	expect(fact('Status')).toBe('completed');
	const browser = await launchBrowser((line) => process.stderr.write(`${line}\n`));
	try {
		const viewport = { width: 1360, height: 1000 };
		const context = await openSession(browser, { url, login }, { viewport });
		const page = await context.newPage();
		await page.goto(result);
		const panel = await openPanel(page, NODE);
		await panel.selectOutputView('json');
		for (const seen of [session, agent, 'completed'])
			await panel.output.getByText(`"${seen}"`).first().waitFor();
	} finally {
		await browser.close();
	}
});
