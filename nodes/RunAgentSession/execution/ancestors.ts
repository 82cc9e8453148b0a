import type {
	IExecuteFunctions,
	INodeExecutionData,
	IPairedItemData,
	IRunExecutionData,
	ISourceData,
	ITaskData,
} from 'n8n-workflow';

type WithRunData = { runExecutionData?: IRunExecutionData | null };

/** Limit of visited items: an aggregated item may descend from thousands */
const MAX_VISITS = 20_000;

const toPairedItems = (pairedItem: INodeExecutionData['pairedItem']): IPairedItemData[] =>
	[pairedItem ?? []].flat().map((each) => (typeof each === 'number' ? { item: each } : each));

/**
 * Returns the item of an earlier run of this node that an input item descends from, if there is one. Follows paired items. An item without
 * them descends from all items that its node got. n8n's own $getPairedItem throws if an item has several ancestors.
 */
export function findOwnAncestor(
	context: IExecuteFunctions,
	itemIndex: number,
): INodeExecutionData | undefined {
	const runData = (context as WithRunData).runExecutionData?.resultData.runData ?? {};
	const { name } = context.getNode();
	const visited = new Set<string>();
	const read = ({ previousNode, previousNodeRun = 0, previousNodeOutput = 0 }: ISourceData) => {
		const task = runData[previousNode]?.[previousNodeRun] as ITaskData | undefined;
		return { task, items: task?.data?.main?.[previousNodeOutput] ?? [] };
	};
	const listAll = (source: ISourceData | null, input: number): IPairedItemData[] =>
		source ? read(source).items.map((_, item) => ({ item, input })) : [];
	const pending: Array<{ item: INodeExecutionData; sources: Array<ISourceData | null> }> = [
		{
			item: context.getInputData()[itemIndex],
			sources: context.getExecuteData().source?.main ?? [],
		},
	];
	for (let next = pending.pop(); next; next = pending.pop()) {
		const { item, sources } = next;
		const paired = toPairedItems(item.pairedItem);
		for (const origin of paired.length > 0 ? paired : sources.flatMap(listAll)) {
			const source = origin.sourceOverwrite ?? sources[origin.input ?? 0];
			if (!source) continue;
			const { previousNode, previousNodeRun, previousNodeOutput } = source;
			const place = [previousNode, previousNodeRun, previousNodeOutput, origin.item].join(' ');
			if (visited.has(place) || visited.size >= MAX_VISITS) continue;
			visited.add(place);
			const { task, items } = read(source);
			const previous = items[origin.item];
			if (previous && previousNode === name) return previous;
			if (previous) pending.push({ item: previous, sources: task!.source });
		}
	}
	return undefined;
}
