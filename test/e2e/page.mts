// The approval page, as a browser without script sees it, and the workflow of a message with its link.
import { expect } from '@jest/globals';
import type { Host } from '../../n8n-host/host.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { around, expectSuccess, pausing } from './pausing.mts';
import { arrived, editFields, eventually } from './support.mts';

export const MESSAGE = 'Message';

/** A message with the link of each item on To Approve */
export const message = editFields(MESSAGE, {
	text: '={{ $json.question }}',
	url: '={{ $json.approvalUrl }}',
	to: "={{ $json.approver?.name ?? '' }}",
	reminder: '={{ $json.reminder ?? 0 }}',
});

/** Items, Run Agent Session that asks, and a message with the link */
export const withPage = (
	name: string,
	prompts: string[],
	parameters: Record<string, unknown> = {},
): WorkflowFile =>
	around(
		name,
		prompts.map((prompt) => ({ prompt })),
		pausing({ permissionPolicy: 'ask', ...parameters }),
		{ outputs: [['Completed'], [MESSAGE]], more: [message] },
	);

/** A page as it came */
interface PageAnswer {
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

/** Asks again while the execution is running, wakes at this moment, or starts for another answer, as the page's script does. */
const whilePaused = async (ask: () => Promise<Response>): Promise<PageAnswer> =>
	await eventually(async () => {
		const page = await read(await ask());
		const isBusy =
			/is running already|problem executing the workflow|Another answer is being sent/.test(
				page.html,
			);
		return isBusy ? undefined : page;
	});

export const openPage = async (url: string): Promise<PageAnswer> =>
	await whilePaused(async () => await fetch(url));

/** Waits until a link shows no form: the page learns of a kill in a wake when the wake is overdue. */
export const untilFormIsGone = async (url: string): Promise<void> =>
	void (await eventually(async () => !(await (await fetch(url)).text()).includes('<form')));

/** Sends the form of a page, with these choices. */
export const send = async (
	url: string,
	{ hidden }: Pick<PageAnswer, 'hidden'>,
	fields: Record<string, string>,
): Promise<PageAnswer> =>
	await whilePaused(
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

/** Sends the choices with these labels, and a comment. */
export async function choose(
	url: string,
	page: PageAnswer,
	labels: string[],
	comment = '',
): Promise<PageAnswer> {
	const choices = labels.map((label, n) => [`request${n}`, getChoice(page, n, label)]);
	return await send(url, page, { ...Object.fromEntries(choices), comment });
}

/** Opens a link, and sends the choices with these labels. */
export const answer = async (url: string, labels: string[], comment?: string) =>
	await choose(url, await openPage(url), labels, comment);

/**
 * Sends an answer after a restart, until a page says that it's saved or the execution has ended. While n8n 2 recovers, it says of a paused
 * execution that it has finished. It refuses an answer in the moment of a wake, which applies it then.
 */
export const answerAfterRestart = async (
	{ rest }: Pick<Host, 'rest'>,
	{ executionId, url }: { executionId: string; url: string },
	labels: string[],
): Promise<void> =>
	void (await eventually(async () => {
		if ((await rest.get(`/executions/${executionId}`)).status === 'success') return true;
		const page = await openPage(url);
		if (page.status !== 200) return false;
		if (page.title !== 'The agent needs your approval') return true;
		return (await choose(url, page, labels)).status === 200;
	}));

export const SAVED = { status: 200, title: 'Your answer was saved' };

/** The page if n8n may refuse the first request with an answer, right after a restart or in another wake. The answer is kept. */
export const SAVED_OR_KEPT = {
	status: 200,
	title: expect.stringMatching(/^Your answer (was saved|is saved|is saved and will be sent)$/),
};

interface Message {
	text: string;
	url: string;
	to: string;
	reminder: string;
}

/** The messages of an execution so far, once it's paused */
export const messages = async (
	{ host }: { host: Pick<Host, 'rest' | 'waitForExecution'> },
	executionId: string,
	count = 1,
): Promise<Message[]> =>
	await eventually(async () => {
		const { status, waitTill } = await host.rest.get(`/executions/${executionId}`);
		if (status === 'error') expectSuccess(await host.waitForExecution(executionId));
		if (status !== 'waiting' || !waitTill) return undefined;
		const execution = await host.waitForExecution(executionId, { until: 'waiting' });
		const sent = arrived(execution, MESSAGE);
		return sent.length < count ? undefined : (sent as Message[]);
	});
