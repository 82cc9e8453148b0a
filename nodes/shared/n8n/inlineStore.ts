import type { IExecuteFunctions, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

import { realClock } from '../client/clock';
import type { MarkStore } from './ledger';

// n8n gives declarative nodes no deduplication helper, but they can run a workflow with n8n's Remove Duplicates node, which has it.

/** Not in the type of the context, but there at run time */
type WithWorkflows = IExecuteSingleFunctions & Partial<Pick<IExecuteFunctions, 'executeWorkflow'>>;

/** n8n's node removes no single mark, so a row takes those of 30 days. A retry also asks for those of the 30 days before. */
const ROW_MS = 30 * 24 * 3_600_000;
/** n8n's node throws an error for more, so it's more than a node records in that time. */
const MAX_ROW_MARKS = 1_000_000;

const START = 'Start';

const rememberNode = (id: string) => ({
	id,
	name: id,
	type: 'n8n-nodes-base.removeDuplicates',
	typeVersion: 2,
	position: [200, 0] as [number, number],
	parameters: {
		operation: 'removeItemsSeenInPreviousExecutions',
		logic: 'removeItemsWithAlreadySeenKeyValues',
		dedupeValue: '={{ $json.mark }}',
		options: { scope: 'node', historySize: MAX_ROW_MARKS },
	},
});

/** Returns a workflow that returns the marks that none of the rows has, and records all of them. */
function toWorkflow(rows: string[]) {
	const start = {
		id: START,
		name: START,
		type: 'n8n-nodes-base.executeWorkflowTrigger',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: {},
	};
	const nodes = [start, ...rows.map(rememberNode)];
	const toNext = (index: number) => ({
		main: [[{ node: nodes[index + 1].name, type: 'main' as const, index: 0 }]],
	});
	return {
		name: 'Requests that must not be sent twice',
		nodes,
		connections: Object.fromEntries(rows.map((_, index) => [nodes[index].name, toNext(index)])),
		settings: {
			callerPolicy: 'any' as const,
			executionOrder: 'v1' as const,
			saveDataErrorExecution: 'none' as const,
			saveDataSuccessExecution: 'none' as const,
			saveExecutionProgress: false,
			saveManualExecutions: false,
		},
	};
}

/** Opens the store of a declarative node, or returns undefined if this n8n offers none. */
export function openInlineStore(context: IExecuteSingleFunctions): MarkStore | undefined {
	const { executeWorkflow } = context as WithWorkflows;
	if (typeof executeWorkflow !== 'function') return undefined;
	const { id } = context.getNode();
	const period = Math.floor(realClock.now() / ROW_MS);
	const rows = [period - 1, period].map((each) => `${id} ${each}`);
	const isFirstTry = context.getMode() !== 'retry' && context.getMode() !== 'integrated';
	return {
		row: `${context.getWorkflow().id} ${id}`,
		async record(marks) {
			const code = toWorkflow(isFirstTry ? rows.slice(1) : rows);
			const items = marks.map((mark) => ({ json: { mark } }));
			const { data } = await executeWorkflow.call(context, { code: code as never }, items);
			const [kept] = data as Array<INodeExecutionData[] | null>;
			const recorded = new Set(kept?.map(({ json }) => json.mark));
			return new Set(marks.filter((mark) => !recorded.has(mark)));
		},
	};
}
