// How marks are kept in n8n's database: under which ID, how many, and what happens if n8n can't keep them.
import { expect, test } from '@jest/globals';
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

test('if n8n cannot keep marks, none counts, and the log says why', async () => {
	const checkProcessedAndRecord = async () => await Promise.reject(new Error('No database'));
	const { marks, logged } = openMarks({ helpers: { checkProcessedAndRecord } });
	expect(await marks.record(STARTS[0])).toBe(false);
	expect(await marks.record(STARTS[0])).toBe(false);
	expect(logged).toHaveLength(2);
	expect(logged[0]).toMatch(/No database$/);
});
