// The page on which a person answers, as a browser without script sees it, and the workflow of four nodes around it.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Execution } from '../../n8n-host/executions.mts';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { startHost, type OwnHost } from '../../n8n-host/host.mts';
import { hostVersion } from '../../n8n-host/versions.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import type { Stage, StartHost } from '../../tools/demoStage.mts';
import { durable, looped } from './durable.mts';
import { editFields, eventually, NODE } from './support.mts';

/**
 * An n8n that nobody shares, which takes its time: one that resumes paused executions sooner would meet answers that
 * come at the same moment, of which n8n 1 makes two executions.
 */
export const patientHost: StartHost = async ({ packageDir }) =>
	await startHost({ packageDir, env: WITHOUT_EDITOR });
/** The path of `proxiedHost` */
const SUB_PATH = '/automation';

/** Passes requests below the sub-path on to n8n, as a reverse proxy does. */
async function startProxy(): Promise<{ url: string; close(): void; forwardTo(url: string): void }> {
	let target = '';
	const server = createServer((incoming, response) => {
		const path = incoming.url!.slice(SUB_PATH.length);
		const { method, headers } = incoming;
		const outgoing = request(`${target}${path}`, { method, headers }, (answer) => {
			response.writeHead(answer.statusCode!, answer.headers);
			answer.pipe(response);
		});
		incoming.pipe(outgoing);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}${SUB_PATH}/`,
		close: () => void server.close(),
		forwardTo: (url) => void (target = url),
	};
}

/** `patientHost` behind a reverse proxy, below a path. */
export const proxiedHost: StartHost = async ({ packageDir }) => {
	const proxy = await startProxy();
	const webhookUrl = hostVersion() === '1.123' ? 'WEBHOOK_URL' : 'N8N_WEBHOOK_URL';
	const env = { ...WITHOUT_EDITOR, N8N_PATH: `${SUB_PATH}/`, [webhookUrl]: proxy.url };
	const host = await startHost({ packageDir, env: { ...env, N8N_PROXY_HOPS: '1' } });
	proxy.forwardTo(host.url);
	const close = async () => {
		proxy.close();
		await host.close();
	};
	return { ...host, close };
};

/** Returns where n8n itself serves the link. */
export const withoutProxy = (link: string, host: Pick<OwnHost, 'url'>): string =>
	`${host.url}${link.slice(link.indexOf(SUB_PATH) + SUB_PATH.length)}`;

export const MESSAGE = 'Message';

/** Items, Run Agent Session, a message with the link, connected back, and the end */
export const withPage = (
	name: string,
	list: object[],
	parameters: Record<string, unknown> = {},
): WorkflowFile =>
	looped(
		name,
		list,
		durable({ permissionPolicy: 'ask', prompt: '={{ $json.prompt }}', ...parameters }),
		{
			wires: [[NODE], ['Completed'], [MESSAGE]],
			more: [
				{
					...editFields(MESSAGE, {
						text: '={{ $json.question }}\n{{ $json.approvalUrl }}',
						url: '={{ $json.approvalUrl }}',
					}),
					position: [600, 0],
				},
			],
			follows: { [MESSAGE]: [[NODE]] },
		},
	);

/** A page as it came */
export interface PageAnswer {
	status: number;
	headers: Headers;
	html: string;
	/** The heading, or the beginning of what n8n itself answers */
	title: string;
	/** Its form's fields that are not shown */
	hidden: Record<string, string>;
}

async function read(answer: Response): Promise<PageAnswer> {
	const html = await answer.text();
	const hidden = [...html.matchAll(/<input\s+type="hidden"\s+name="(\w+)"\s+value="([^"]*)"/g)];
	return {
		status: answer.status,
		headers: answer.headers,
		html,
		title: /<h1>([^<]*)<\/h1>/.exec(html)?.[1] ?? html.slice(0, 200),
		hidden: Object.fromEntries(hidden.map(([, name, value]) => [name, value])),
	};
}

/** Opens the link again, as the page asks for: while the node checks its sessions, and shortly before. */
async function whileParked(ask: () => Promise<Response>): Promise<PageAnswer> {
	return await eventually(async () => {
		const page = await read(await ask());
		const isBusy =
			page.title === 'The session is being updated' || page.html.includes('is running already');
		return isBusy ? undefined : page;
	});
}

export const openPage = async (url: string, method = 'GET'): Promise<PageAnswer> =>
	await whileParked(async () => await fetch(url, { method }));

/** Sends the form of a page, with these choices. */
export const send = async (
	url: string,
	{ hidden }: Pick<PageAnswer, 'hidden'>,
	fields: Record<string, string>,
): Promise<PageAnswer> =>
	await whileParked(
		async () =>
			await fetch(url, { method: 'POST', body: new URLSearchParams({ ...hidden, ...fields }) }),
	);

/** The value of the choice with this label for a request */
export function getChoice({ html }: PageAnswer, request: number, label: string): string {
	const inputs = html.matchAll(
		/<input\s+type="radio"\s+name="request(\d+)"\s+value="(\d+)"[^>]*>\s*<span\s*>([^<]+)</g,
	);
	for (const [, name, value, text] of inputs)
		if (Number(name) === request && text.trim() === label) return value;
	throw new Error(`The page has no "${label}" for request ${request}: ${html}`);
}

/** Sent messages so far, in order */
export const messages = async (
	{ host }: Stage,
	executionId: string,
	count = 1,
): Promise<Array<{ text: string; url: string }>> =>
	await eventually(async () => {
		const { status, waitTill } = await host.rest.get(`/executions/${executionId}`);
		if (status !== 'waiting' || !waitTill) return undefined;
		const execution = await host.waitForExecution(executionId, { until: 'waiting' });
		const sent = arrived(execution, MESSAGE);
		return sent.length < count ? undefined : (sent as Array<{ text: string; url: string }>);
	});

/** The items that reached a node, over all of its runs */
export const arrived = ({ runData }: Execution, name: string): Array<Record<string, any>> =>
	(runData[name] ?? []).flatMap((run) => run.data?.main[0] ?? []).map(({ json }) => json);
