import type { IDataObject, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

/** With Simplify on, what people look for in a session: how it stands, what was said last, what it waits for. */
export async function simplifySession(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	if (this.getNodeParameter('simplify', true) !== true) return items;
	return items.map(({ json }) => {
		const {
			sessionId,
			dashboardUrl,
			status,
			pendingInteractions,
			error,
			latestMessage,
			lastActivityAt,
		} = json;
		const text = (latestMessage as IDataObject | undefined)?.text;
		// Not `error`: n8n takes an item that has one for a failure.
		const simple = {
			sessionId,
			dashboardUrl,
			status,
			text,
			pendingInteractions,
			failure: error,
			lastActivityAt,
		};
		return {
			json: Object.fromEntries(
				Object.entries(simple).filter(([, value]) => value !== undefined),
			) as IDataObject,
		};
	});
}
