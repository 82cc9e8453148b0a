import type { IExecuteFunctions } from 'n8n-workflow';

type SetData = (key: string, value: string) => void;

/** n8n keeps ten keys of custom data for an execution; two belong to each session. */
const MOST_SESSIONS = 5;
const LONGEST_VALUE = 512;

function setterOf(context: IExecuteFunctions): SetData | undefined {
	// `customData` came with 2.16; before that the only way is the one that the Code node's `$execution` goes.
	const { customData } = context as { customData?: { set: SetData } };
	if (customData) return (key, value) => customData.set(key, value);
	const { $execution } = context.getWorkflowDataProxy(0) as { $execution?: { customData?: { set: SetData } } };
	const older = $execution?.customData;
	return older && ((key, value) => older.set(key, value));
}

/**
 * Puts each session's id and dashboard URL into the execution's custom data, so that executions can be found by session:
 * `sessionId` and `dashboardUrl` for the first item, `sessionId_1`, `dashboardUrl_1`, ... for those after it.
 */
export function sessionRecorder(context: IExecuteFunctions): (itemIndex: number, session: { sessionId: string; dashboardUrl?: string }) => void {
	return (itemIndex, session) => {
		if (itemIndex >= MOST_SESSIONS) return;
		const suffix = itemIndex === 0 ? '' : `_${itemIndex}`;
		try {
			const set = setterOf(context);
			for (const [key, value] of Object.entries(session)) {
				if (value) set?.(`${key}${suffix}`, value.slice(0, LONGEST_VALUE));
			}
		} catch (error) {
			// A convenience that some places do not offer, a tool's among them. The session matters more.
			context.logger.debug(`The session could not be put into the execution's custom data: ${String(error)}`);
		}
	};
}
