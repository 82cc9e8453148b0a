import type { IExecuteFunctions } from 'n8n-workflow';

interface CustomData {
	set(key: string, value: string): void;
	getAll(): Record<string, string>;
}

/** n8n keeps ten keys of custom data for an execution; two belong to each session. */
const SUFFIXES = ['', '_1', '_2', '_3', '_4'];
const LONGEST_VALUE = 512;

function customDataOf(context: IExecuteFunctions): CustomData | undefined {
	// `customData` came with 2.16; before that the only way is the one that the Code node's `$execution` goes.
	const { customData } = context as { customData?: CustomData };
	const { $execution } = context.getWorkflowDataProxy(0) as { $execution?: { customData?: CustomData } };
	return customData ?? $execution?.customData;
}

/**
 * Puts each session's id and dashboard URL into the execution's custom data, so that executions can be found by session:
 * `sessionId` and `dashboardUrl` for the first, `sessionId_1`, `dashboardUrl_1`, ... for the next four, whether they belong to
 * other items, other rounds of a loop or other calls of an AI agent.
 */
export function sessionRecorder(context: IExecuteFunctions): (session: { sessionId: string; dashboardUrl?: string }) => void {
	return (session) => {
		try {
			const customData = customDataOf(context);
			const taken = customData?.getAll() ?? {};
			const suffix = SUFFIXES.find((each) => [undefined, session.sessionId].includes(taken[`sessionId${each}`]));
			if (suffix === undefined) return;
			for (const [key, value] of Object.entries(session)) {
				if (value) customData?.set(`${key}${suffix}`, value.slice(0, LONGEST_VALUE));
			}
		} catch (error) {
			// A convenience that some places do not offer. The session matters more.
			context.logger.debug(`The session could not be put into the execution's custom data: ${String(error)}`);
		}
	};
}
