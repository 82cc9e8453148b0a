// What the items of a session say about it: the message to send, the project, and how long it took.
import { expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { controlWithin } from '../../local-service/control/client.mts';
import { answering, createStage, fillIn, NODE, runsOf } from './flow.mts';

const projectReads = (stage: ReturnType<typeof createStage>) => stage.of('GET', '/projects');

test('an item for an approver begins with the message, its link and the question, and the link is the last line', async () => {
	const stage = createStage();
	const flow = { items: [{ prompt: '[ask bash: git push] [say Done]' }] };
	const {
		asked: [asked],
		sent,
	} = await answering(stage, flow, (html) => fillIn(html, 'Approve once'));
	expect(Object.keys(asked).slice(0, 3)).toEqual(['message', 'approvalUrl', 'question']);
	expect(String(asked.message).split('  \n')).toEqual([
		'The agent wants to run this command: «git push»',
		expect.stringMatching(/^Project: «Juniper Coffee»$/),
		expect.stringMatching(/^Answer until .+\. After that, the session is aborted\.$/),
		asked.approvalUrl,
	]);
	expect(sent).toHaveLength(1);
});

test.each([
	['http://localhost:5678/webhook-waiting', true],
	['http://192.168.1.4/webhook-waiting', true],
	['https://n8n.example.com/webhook-waiting', false],
])(
	'a link that others cannot open is a warning that names the setting: %s',
	async (base, isPrivate) => {
		const run = await createStage().run({
			items: [{ prompt: '[ask bash: git push] [say Done]' }],
			parameters: { approvals: { ifNobodyAnswers: 'deny', unansweredAfter: 1 } },
			change: (additionalData) => (additionalData.webhookWaitingBaseUrl = base),
		});
		const [asked] = runsOf(run, NODE, 1).flat();
		const warnings = isPrivate
			? [expect.stringMatching(/N8N_WEBHOOK_URL.*WEBHOOK_URL in n8n 1/)]
			: undefined;
		expect(asked.warnings).toEqual(warnings);
		expect(runsOf(run, NODE).flat()[0].warnings).toBeUndefined();
	},
);

test("the project's name costs one request for all sessions of an execution, also over pauses and without an answer", async () => {
	for (const isAllowed of [true, false]) {
		const stage = createStage();
		if (!isAllowed)
			await controlWithin(stage.service.app).addFaults({
				operationId: 'listProjects',
				kind: 'status',
				status: 403,
				times: 0,
			});
		const prompts = ['[work 20m] [say One]', '[ask bash: x] [say Two]', '[work 2h] [say Three]'];
		const run = await stage.run({
			items: prompts.map((prompt) => ({ prompt })),
			parameters: { permissionPolicy: 'approve' },
		});
		const names = runsOf(run, NODE)
			.flat()
			.map(({ projectName }) => projectName);
		const name = isAllowed ? 'Juniper Coffee' : undefined;
		expect(names).toEqual([name, name, name]);
		expect(projectReads(stage)).toHaveLength(1);
	}
});

test('the duration counts from the start to the reading that saw the end, over pauses', async () => {
	const stage = createStage();
	const run = await stage.run({ items: [{ prompt: '[work 3h] [say Done]' }] });
	const [{ startedAt, durationMs }] = runsOf(run, NODE).flat();
	const [start] = stage.of('POST', '/agent/sessions');
	const polls = stage.requests.filter(
		({ method, path }) => method === 'GET' && /sessions/.test(path),
	);
	expect(Math.abs(Number(durationMs) - (polls.at(-1)!.at - start.at))).toBeLessThan(1_000);
	expect(Number(durationMs)).toBeGreaterThan(3 * 3_600_000);
	expect(String(startedAt)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test('a continued session counts from the message', async () => {
	const stage = createStage();
	const first = await stage.run({
		items: [{ prompt: '[say One] [next turn] [work 10m] [say Two]' }],
	});
	const [{ sessionId, startedAt }] = runsOf(first, NODE).flat();
	const again = await stage.run({
		parameters: { operation: 'continue', sessionId, message: 'Go on' },
		items: [{}],
	});
	const [item] = runsOf(again, NODE).flat();
	expect(Date.parse(String(item.startedAt))).toBeGreaterThan(Date.parse(String(startedAt)));
	expect(Number(item.durationMs)).toBeGreaterThanOrEqual(600_000);
	expect(Number(item.durationMs)).toBeLessThan(1_300_000);
});

/** Runs a session, and returns what n8n's log says. */
async function readLog(prompt: string, parameters: IDataObject): Promise<string[]> {
	const stage = createStage();
	const lines: string[] = [];
	const { info } = stage.logs();
	stage.logs().info = (...line) => void lines.push(JSON.stringify(line));
	try {
		await stage.run({ items: [{ prompt }], parameters });
	} finally {
		stage.logs().info = info;
	}
	return lines;
}

test("n8n's log has a line whenever a reading shows another status or tool, and no other", async () => {
	const lines = await readLog('[ask bash: git push]', {
		whileWaiting: 'keepRunning',
		approvals: { ifNobodyAnswers: 'deny', unansweredAfter: 0.1 },
	});
	const states = lines.flatMap((line) => /Agent session is [^"]*/.exec(line)?.[0] ?? []);
	expect(states).toEqual([
		'Agent session is running: git push',
		'Agent session is completed: git push',
	]);
});

test("n8n's log has the message of an approver, without the link", async () => {
	const lines = await readLog('[ask bash: git push] [say Done]', {
		approvals: { ifNobodyAnswers: 'deny', unansweredAfter: 1 },
	});
	const asked = lines.filter((line) => line.includes('An approver is asked'));
	expect(asked).toEqual([
		expect.stringContaining('The agent wants to run this command: «git push»'),
	]);
	expect(lines.join()).not.toMatch(/approval\?|question=/);
});
