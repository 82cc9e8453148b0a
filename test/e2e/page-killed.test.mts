// n8n killed between the question and the answer, and between the question and the end of the time that people have.
import { beforeAll, expect, test } from '@jest/globals';
import { filledInExample } from '../../tools/examples.mts';
import { outputIndex } from '../../nodes/RunAgentSession/outputs.ts';
import { useKillableStage } from './durable.mts';
import { getChoice, openPage, send, withPage } from './page.mts';
import { answerOnPhone } from './phone.mts';
import { eventually, NODE, testWith } from './support.mts';

const stage = useKillableStage({ waitsFaster: 1 });
const executions: Record<string, string> = {};

/** The example, with its messages deactivated as it is imported: what they would send is what comes in */
const ANSWERED = 'approve-on-a-page.json';
/** Cases without an answer in time */
const DECIDED = ['deny', 'abort'] as const;
const UNANSWERED = [...DECIDED, 'wait'] as const;
const getPrompt = (end: string) => `Unanswered ${end} [ask bash: npm publish] [say Went on.]`;

beforeAll(async () => {
	const { host } = stage;
	const file = filledInExample(ANSWERED.replace('.json', ''));
	executions[ANSWERED] = await host.run(await host.importWorkflow(file));
	for (const end of UNANSWERED) {
		const options = { ifNobodyAnswers: end, unansweredAfter: 0.01 };
		const file = withPage(`unanswered, ${end}`, [{ prompt: getPrompt(end) }], { options });
		executions[end] = await host.run(await host.importWorkflow(file));
	}
});

/** The links that left by Needs Approval, once the execution is paused after that */
const getLink = async (name: string): Promise<string> =>
	await eventually(async () => {
		const { status } = await stage.host.rest.get(`/executions/${executions[name]}`);
		if (status !== 'waiting') return undefined;
		const { runData } = await stage.host.waitForExecution(executions[name], { until: 'waiting' });
		const asked = runData[NODE].flatMap(
			({ data }) => data?.main[outputIndex('needsApproval')] ?? [],
		);
		return asked[0]?.json.approvalUrl as string | undefined;
	});

/** The host's ports are others after a restart, as its address would not be. */
function moved(url: string): string {
	const { pathname, search } = new URL(url);
	return `${stage.host.url}${pathname}${search}`;
}

testWith('Chromium')(
	'answered after n8n was killed and started again: the agent continues',
	async () => {
		const urls = [await getLink(ANSWERED), ...(await Promise.all(UNANSWERED.map(getLink)))];
		expect(new Set(urls).size).toBe(1 + UNANSWERED.length);
		await stage.host.kill();
		await stage.restart();
		const url = moved(urls[0]);
		expect((await openPage(url)).status).toBe(200);
		// n8n has to resume first what is due since it was killed.
		await eventually(async () => {
			const { waitTill } = await stage.host.rest.get(`/executions/${executions[ANSWERED]}`);
			return Date.parse(waitTill) > Date.now() + 30_000;
		});
		await answerOnPhone(url);
		const execution = await stage.host.waitForExecution(executions[ANSWERED]);
		expect(execution.status).toBe('success');
		const [{ decisions }] = execution.items('Result');
		expect(decisions.split('\n')).toEqual([
			'approve: bash git push, by page Not that page.',
			'deny: edit index.html, by page Not that page.',
		]);
	},
);

test('an unanswered request is denied or aborted in time, even after n8n was killed', async () => {
	const [denied, aborted] = await Promise.all(
		DECIDED.map(async (end) => await stage.host.waitForExecution(executions[end])),
	);
	expect(denied.items('Completed')).toMatchObject([
		{ decisions: [{ decision: 'deny', decidedBy: 'policy' }] },
	]);
	expect(aborted.error?.message).toContain('was aborted');
});

test('the node keeps waiting for an unanswered request, even after n8n was killed, and the link still accepts an answer', async () => {
	const url = moved(await getLink('wait'));
	const page = await openPage(url);
	expect(page.title).toBe('The agent needs your approval');
	const request0 = getChoice(page, 0, 'Approve once');
	expect(await send(url, page, { request0 })).toMatchObject({ title: 'Your answer was sent' });
	const execution = await stage.host.waitForExecution(executions.wait);
	expect(execution.items('Completed')).toMatchObject([
		{ decisions: [{ decision: 'approve', decidedBy: 'page' }] },
	]);
});
