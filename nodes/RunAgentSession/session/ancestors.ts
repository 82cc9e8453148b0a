import type {
	IExecuteFunctions,
	INodeExecutionData,
	IPairedItemData,
	IRunExecutionData,
	ISourceData,
} from 'n8n-workflow';

// Follows paired items back to earlier runs of this node. n8n's own $getPairedItem throws if an item has several ancestors.

type WithRunData = { runExecutionData?: IRunExecutionData | null };

/** Limit of visited items: an aggregated item may descend from thousands */
const MAX_VISITS = 20_000;

type PairedItem = INodeExecutionData['pairedItem'];

const toPairedItems = (pairedItem: PairedItem): IPairedItemData[] =>
	[pairedItem ?? []].flat().map((each) => (typeof each === 'number' ? { item: each } : each));

/** Returns the items of earlier runs of this node that an input item descends from. */
export function listAncestors(context: IExecuteFunctions, itemIndex: number): INodeExecutionData[] {
	const runData = (context as WithRunData).runExecutionData?.resultData.runData ?? {};
	const { name } = context.getNode();
	const found = new Set<INodeExecutionData>();
	const visited = new Set<string>();
	const visit = (source: ISourceData | null | undefined, item: number): void => {
		if (!source) return;
		const { previousNode, previousNodeRun = 0, previousNodeOutput = 0 } = source;
		const place = `${previousNode} ${previousNodeRun} ${previousNodeOutput} ${item}`;
		if (visited.has(place) || visited.size >= MAX_VISITS) return;
		visited.add(place);
		const task = runData[previousNode]?.[previousNodeRun];
		const previous = task?.data?.main?.[previousNodeOutput]?.[item];
		if (!previous) return;
		if (previousNode === name) return void found.add(previous);
		for (const paired of toPairedItems(previous.pairedItem))
			visit(paired.sourceOverwrite ?? task.source[paired.input ?? 0], paired.item);
	};
	const sources = context.getExecuteData().source?.main ?? [];
	for (const paired of toPairedItems(context.getInputData()[itemIndex]?.pairedItem))
		visit(paired.sourceOverwrite ?? sources[paired.input ?? 0], paired.item);
	return [...found];
}

const readSource = (context: IExecuteFunctions) => context.getExecuteData().source?.main?.[0];

export const isFromItself = (context: IExecuteFunctions): boolean =>
	readSource(context)?.previousNode === context.getNode().name;

/** Returns whether the items come straight from this node's Still Running output. */
export const isFromOwnOutput = (context: IExecuteFunctions): boolean =>
	isFromItself(context) && !readSource(context)?.previousNodeOutput;
