// Information of Run Agent Session for n8n beside its items: hints in the editor, and attributes for n8n's tracing, where n8n has them.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { hostVersion } from '../../n8n-host/versions.mts';
import type { NodeRun } from '../../n8n-host/executions.mts';
import { durable, looped } from './durable.mts';
import { agentSession, NODE, play, sessionsFor, useStage } from './support.mts';

const stage = useStage();

beforeAll(async () => await stage.service.control.setSpeed(20));

/** Runs sessions with these connections, until they have ended or are paused, and returns the run of the node. */
async function runWith(
	prompts: string[],
	wires: string[][],
	session = agentSession({ permissionPolicy: 'approve' }),
): Promise<NodeRun> {
	session.parameters.prompt = '={{ $json.prompt }}';
	const list = prompts.map((prompt) => ({ prompt }));
	const execution = await play(stage, looped('Told', list, session, { wires }), 'waiting');
	return execution.runData[NODE][0];
}

describe('a hint in the editor', () => {
	const ask = () => agentSession({ permissionPolicy: 'ask' });

	test('names the output that has items but no connection', async () => {
		const { hints } = await runWith(['[ask bash: x] [say 1.]'], [[], ['Completed'], []], ask());
		expect(hints).toMatchObject([{ message: expect.stringContaining("'Needs Approval'") }]);
	});

	test("isn't shown if the output is connected or has no items", async () => {
		const wired = [[], ['Completed'], ['Approval']];
		expect((await runWith(['[ask bash: x] [say 2.]'], wired, ask())).hints ?? []).toEqual([]);
		const completed = [[], ['Completed'], []];
		expect((await runWith(['[say 3.]'], completed)).hints ?? []).toEqual([]);
	});
});

describe("n8n's tracing", () => {
	// n8n 1 has none, and would save the metadata with the execution.
	const expectTold = ({ metadata }: NodeRun, tracing: object) =>
		expect(metadata?.tracing).toEqual(hostVersion() === '1.123' ? undefined : tracing);

	test('gets the sessions, their statuses and the number of decisions', async () => {
		const prompts = ['Traced. [ask bash: x] [say One.]', 'Traced. [work 1s] [say Two.]'];
		const run = await runWith(prompts, [[], ['Completed'], ['Approval']]);
		const sessions = await Promise.all(
			prompts.map(async (prompt) => (await sessionsFor(stage, prompt))[0].sessionId),
		);
		expectTold(run, {
			'workspaceAutomation.sessions': sessions.join(),
			'workspaceAutomation.statuses': 'completed,completed',
			'workspaceAutomation.decisions': 1,
		});
	});

	test('also gets the session of a paused execution', async () => {
		const prompt = 'Traced and parked. [work 10h]';
		const run = await runWith([prompt], [[NODE], ['Completed'], []], durable({}));
		const [{ sessionId }] = await sessionsFor(stage, prompt);
		expectTold(run, {
			'workspaceAutomation.sessions': sessionId,
			'workspaceAutomation.statuses': expect.stringMatching(/starting|running/),
			'workspaceAutomation.decisions': 0,
		});
	});
});
