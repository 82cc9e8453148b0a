// How marks are kept in n8n's database: under which ID, how many, and what happens if n8n can't keep them.
import { describe, expect, test } from '@jest/globals';
import { createMarks } from '../../nodes/RunAgentSession/execution/marks.ts';

interface World {
	/** What n8n says of the execution */
	execution?: object;
	nodeContext?: { state?: object };
	/** Takes the place of n8n's helpers */
	helpers?: object;
	mode?: string;
}

function openMarks({ execution, nodeContext = {}, helpers, mode = 'trigger' }: World = {}) {
	const calls: unknown[][] = [];
	const logged: string[] = [];
	const database = new Set<string>();
	const marks = createMarks({
		getContext: (type: string) => (type === 'node' ? nodeContext : {}),
		getExecutionId: () => '7',
		getMode: () => mode,
		getNode: () => ({ id: 'node' }),
		getWorkflowDataProxy: () => ({ $execution: execution }),
		logger: { debug: (message: string) => void logged.push(message) },
		helpers: {
			async checkProcessedAndRecord(...call: unknown[]) {
				calls.push(['record', ...call]);
				const keys = call[0] as string[];
				const processed = keys.filter((key) => database.has(key));
				for (const key of keys) database.add(key);
				return { processed };
			},
			async removeProcessed(...call: unknown[]) {
				calls.push(['remove', ...call]);
			},
			...helpers,
		},
	} as never);
	return { marks, calls, logged, nodeContext: nodeContext as { state: any } };
}
const STARTS = ['0.0 start 0', '0.1 start 0'];
const token = (signature: string) => ({
	resumeUrl: `https://n8n.example.com/webhook-waiting/7?x=1&signature=${signature}`,
});

describe('marks are kept', () => {
	test.each<[string, World, string[]]>([
		["under n8n 2's resume token", { execution: token('abc') }, ['abc']],
		[
			"under the first execution's ID after a pause, also with a token",
			{ execution: token('abc'), nodeContext: { state: { origin: '3' } } },
			['3'],
		],
		['under the ID of the execution and an open one on n8n 1', { execution: {} }, ['7', 'open']],
		['the same without a token', { execution: { resumeUrl: 'https://x.test/7' } }, ['7', 'open']],
		['the same without a URL', { execution: { resumeUrl: 'none' } }, ['7', 'open']],
		['the same without an execution', {}, ['7', 'open']],
	])('%s', async (_, world, scopes) => {
		const { marks, calls } = openMarks(world);
		await marks.record(STARTS[0]);
		expect(calls[0][1]).toEqual(scopes.map((scope) => `${scope} node ${STARTS[0]}`));
	});

	test('for this node, 10,000 of them, and all that come at once in one call', async () => {
		const { marks, calls, nodeContext } = openMarks({ execution: token('abc') });
		const seen = await Promise.all(STARTS.map(async (start) => await marks.record(start)));
		expect(seen).toEqual([false, false]);
		const all = STARTS.map((start) => `abc node ${start}`);
		const options = { mode: 'entries', maxEntries: 10_000 };
		expect(calls).toEqual([['record', all, 'node', options]]);
		expect(nodeContext.state.marks).toEqual(all);
		expect(await marks.record('0.0 start 1')).toBe(false);
		expect(calls).toHaveLength(2);
	});
});

test('if n8n cannot keep marks, none counts, and the log says why', async () => {
	const checkProcessedAndRecord = async () => await Promise.reject(new Error('No database'));
	const { marks, logged } = openMarks({ helpers: { checkProcessedAndRecord } });
	expect(await marks.record(STARTS[0])).toBe(false);
	expect(await marks.record(STARTS[0])).toBe(false);
	expect(logged).toHaveLength(2);
	expect(logged[0]).toMatch(/No database$/);
});
