// npm run rehearse [-- --answer] [-- --fail "Ask in Slack"]: runs examples/night.json once against the local mock service, in ten minutes at
// most. One project fails, one request is yours to answer by its link (or is answered for you), one nobody answers, and n8n is killed in
// between. The terminal shows the messages of the night. A message node can fail, to see that the rehearsal then fails, too.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, styleText } from 'node:util';
import { stopWhenInterrupted } from '../n8n-host/guarded.mts';
import { freeHostPorts, startHost, type OwnHost } from '../n8n-host/host.mts';
import type { Execution } from '../n8n-host/executions.mts';
import type { WorkflowFile, WorkflowNode } from '../n8n-host/workflows.mts';
import type { ControlClient } from '../local-service/control/client.mts';
import { startLocalService } from './demoService.mts';
import { importCredential } from './demoStage.mts';
import { credentialName, filledInExample } from './examples.mts';
import { installHost } from './installAdvice.mts';
import { packedPackage } from './package.mts';
import { printFailure, step } from './terminal.mts';
import { findNightProblems, listDecisions, NIGHT } from './night.mts';

const TIMEOUT_MS = 10 * 60_000;
/** Amount that faster the agents work, and how much sooner n8n resumes a paused execution */
const SERVICE_SPEED = 20;
const N8N_WAITS_FASTER = 4;
/** Time that a request may stay unanswered, in hours, which is what the node's field counts in */
const UNANSWERED_HOURS = 0.05;

const { answer: isAnswered, fail: failing } = parseArgs({
	options: { answer: { type: 'boolean', default: false }, fail: { type: 'string' } },
}).values;

const print = (line = '') => console.log(line);
const title = (line: string) => print(`\n${styleText('bold', line)}`);

/** Receives the messages of the workflow, which its chat nodes would send. */
async function receiveMessages(onMessage: (message: string) => void) {
	const server = createServer(async (request, response) => {
		onMessage(await text(request));
		response.setHeader('content-type', 'application/json').end('{"ok":true}');
	});
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	const { port } = server.address() as { port: number };
	return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/** Returns a node that sends the same text to this computer. */
const messageNode = ({ parameters, ...node }: WorkflowNode, url: string): WorkflowNode => ({
	...node,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	credentials: undefined,
	parameters: {
		method: 'POST',
		url,
		sendBody: true,
		contentType: 'raw',
		rawContentType: 'text/plain',
		body: parameters.text ?? parameters.message,
	},
});

/** Returns the example for one short night: fewer projects, scripted agents, messages to this computer, no wait until morning. */
async function shortNight(control: ControlClient, messagesTo: string): Promise<WorkflowFile> {
	const { projects, sites } = await control.seed();
	const scripts = Object.fromEntries(
		NIGHT.map(({ prompt }, index) => [projects[index].id, prompt]),
	);
	const siteIds = projects.map(({ id, name }) => ({
		id,
		name,
		value: sites.find(({ projectId }) => projectId === id)?.id ?? '',
		type: 'string',
	}));
	const file = filledInExample('night');
	const nodes = file.nodes.map((node) => {
		const kind = node.type.split('.').at(-1);
		const { parameters } = node;
		if (kind === 'slack') return messageNode(node, node.name === failing ? NOWHERE : messagesTo);
		if (kind === 'wait') parameters.dateTime = '={{ $now.plus({ seconds: 1 }) }}';
		if (node.name === 'Sites') parameters.assignments.assignments = siteIds;
		if (parameters.resource === 'project' && parameters.operation === 'getAll')
			Object.assign(parameters, { returnAll: false, limit: NIGHT.length });
		if (kind === 'runAgentSession' && parameters.operation === 'start') {
			const project = /^=\{\{(.*)\}\}$/s.exec(parameters.projectId.value)![1];
			parameters.prompt = `={{ (${JSON.stringify(scripts)})[${project}] }}`;
			parameters.approvals = { ...parameters.approvals, unansweredAfter: UNANSWERED_HOURS };
		}
		if (!node.type.includes('workspace-automation')) return node;
		return { ...node, credentials: { workspaceAutomationApi: { id: null, name: credentialName } } };
	});
	return { ...file, nodes };
}

/** Waits until something is so. Throws if it takes longer than the rehearsal may. */
async function until(otherwise: string, isSo: () => Promise<boolean>, end: number): Promise<void> {
	for (; Date.now() < end; await sleep(500)) if (await isSo()) return;
	throw new Error(`${otherwise} within ten minutes.`);
}

/** Waits for an execution's true end. After a restart, n8n calls one crashed for half a minute that it resumes. */
async function waitForEnd(host: OwnHost, executionId: string, end: number): Promise<Execution> {
	for (;;) {
		const timeoutMs = Math.max(0, end - Date.now());
		const execution = await host.waitForExecution(executionId, { timeoutMs });
		if (execution.status !== 'crashed') return execution;
		if (Date.now() > end) throw new Error('n8n still calls the night crashed after ten minutes.');
		await sleep(1_000);
	}
}

/** Approves the request of a message as its approver does, on the page of its link. */
async function approve(message: string): Promise<void> {
	const [link] = /http:\S+\/approval\?\S+/.exec(message)!;
	for (let isSaved = false; !isSaved; await sleep(1_000)) {
		// While n8n saves the pause, it answers for the node.
		const page = await (await fetch(link)).text();
		const hidden = [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
		if (hidden.length === 0) continue;
		const fields = [...hidden.map(([, name, value]) => [name, value]), ['request0', '0']];
		const body = new URLSearchParams(Object.fromEntries(fields));
		isSaved = (await (await fetch(link, { method: 'POST', body })).text()).includes('was saved');
	}
}

const clockTime = (): string => new Date().toLocaleTimeString('en-US');

const isInterrupted = stopWhenInterrupted(() => 0);
const closing: Array<() => unknown> = [];

try {
	title('Setting up');
	await installHost(step);
	step('building and packing the package');
	const packed = await packedPackage(true);
	closing.push(packed.remove);
	const service = await startLocalService(step);
	closing.push(service.close);
	await service.control.setSpeed(SERVICE_SPEED);

	const messages: string[] = [];
	const receiver = await receiveMessages((message) => {
		messages.push(message);
		title('Message');
		print(message.trim());
		if (message.startsWith('Good morning')) return;
		const isYours = message.includes('git push');
		if (!isYours) print(styleText('dim', 'Nobody answers this one: leave its link.'));
		else if (!isAnswered)
			print(
				styleText('green', 'This one is yours: open the link and answer it within three minutes.'),
			);
	});
	closing.push(receiver.close);

	step('starting n8n');
	// n8n compares the real paths of files.
	const userFolder = realpathSync(mkdtempSync(join(tmpdir(), 'n8n-rehearse-')));
	closing.push(() => rmSync(userFolder, { recursive: true, force: true }));
	const ports = await freeHostPorts();
	const start = async (login?: OwnHost['login']) =>
		await startHost({
			packageDir: packed.folder,
			userFolder,
			ports,
			login,
			waitsFaster: N8N_WAITS_FASTER,
		});
	let host = await start();
	closing.push(async () => await host.close());
	await importCredential(host, service);
	const workflow = await host.importWorkflow(await shortNight(service.control, receiver.url));
	const end = Date.now() + TIMEOUT_MS;
	const executionId = await host.run(workflow);

	title('The night');
	for (const [index, { title: what }] of NIGHT.entries()) print(`Project ${index + 1} ${what}.`);
	print(`Editor     ${host.workflowUrl(workflow)}/executions/${executionId}`);
	print(`Email      ${host.login.email}`);
	print(`Password   ${host.login.password}`);

	const readStatus = async () => (await host.rest.get(`/executions/${executionId}`)).status;
	const hasEnded = async () => ['success', 'error'].includes(await readStatus());
	// Both requests have been sent to someone, and n8n has saved the paused execution.
	await until(
		'Two messages did not come',
		async () => messages.length >= 2 || (await hasEnded()),
		end,
	);
	await until(
		'The night did not pause',
		async () => (await readStatus()) === 'waiting' || (await hasEnded()),
		end,
	);
	const before = await service.sessions();
	const countRunning = before.filter(({ status }) => status === 'running').length;
	title(`n8n is killed at ${clockTime()} (kill -9), with ${countRunning} sessions running`);
	await host.kill();
	const killedAt = clockTime();
	host = await start(host.login);
	step(`n8n is up again at ${clockTime()}, and resumes the execution by itself. Links work again.`);
	const yours = messages.find(
		(message) => message.includes('git push') && message.includes('/approval?'),
	);
	if (isAnswered && yours !== undefined) {
		await approve(yours);
		step('The request for git push is answered for you.');
	}

	const asked = messages.length;
	const execution = await waitForEnd(host, executionId, end);
	title('Summary');
	const sessions = await service.sessions();
	const night = { execution, sessions, messages };
	const problems = findNightProblems(night);
	if (problems.length > 0) throw new Error(problems.join('\n'));
	print(
		`n8n was killed at ${killedAt}, after ${asked} of ${messages.length} messages. The night ended at ${clockTime()}.`,
	);
	print(`${sessions.length} sessions for ${NIGHT.length} projects, none started twice.`);
	for (const { patterns, decision, decidedBy } of listDecisions(night))
		print(`${patterns.join(', ')}: ${decision}, decided by ${decidedBy}`);
} catch (error) {
	// After Ctrl-C everything fails, and nobody wants to read how.
	if (!isInterrupted()) {
		printFailure(error, 'The rehearsal');
		process.exitCode = 1;
	}
} finally {
	for (const close of closing.reverse()) await close();
}
