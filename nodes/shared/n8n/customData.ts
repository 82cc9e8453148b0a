import type { IExecuteFunctions } from 'n8n-workflow';

// The execution's custom data: what people see of an execution in n8n's list, and can search for.

type CustomDataContext = Pick<IExecuteFunctions, 'logger'> & {
	getWorkflowDataProxy(itemIndex: number): unknown;
};

interface CustomData {
	set(key: string, value: string): void;
	getAll(): Record<string, string>;
}
type HasCustomData = { customData?: CustomData };

/** Limits of n8n's custom data and of tracing */
export const MAX_CUSTOM_VALUE_LENGTH = 512;

/** n8n keeps ten keys of custom data for an execution; two belong to each session. */
const SUFFIXES = ['', '_1', '_2', '_3', '_4'];

/** Adds values to the execution's custom data, under their own keys (letters, digits and _) with a suffix that fits what is there. */
export function setCustomData(
	context: CustomDataContext,
	values: Record<string, string | undefined>,
	suffixFor: (taken: Record<string, string>) => string | undefined = () => '',
): void {
	try {
		// `customData` came with 2.16; before that the only way is the one that the Code node's `$execution` goes.
		const { $execution } = context.getWorkflowDataProxy(0) as { $execution?: HasCustomData };
		const customData = (context as HasCustomData).customData ?? $execution?.customData;
		const suffix = customData && suffixFor(customData.getAll());
		if (suffix === undefined) return;
		for (const [key, value] of Object.entries(values))
			if (value) customData!.set(`${key}${suffix}`, value.slice(0, MAX_CUSTOM_VALUE_LENGTH));
	} catch (error) {
		// A convenience that some places do not offer. The work matters more.
		context.logger.debug(`The execution's custom data could not be set: ${String(error)}`);
	}
}

/**
 * Adds a session's id and dashboard URL to the execution's custom data, so that executions can be found by session:
 * `sessionId` and `dashboardUrl` for the first, `sessionId_1`, `dashboardUrl_1`, ... for the next four, whether they belong to
 * other items, other rounds of a loop or other calls of an AI agent.
 */
export const setSessionCustomData = (
	context: CustomDataContext,
	{ sessionId, dashboardUrl }: { sessionId: string; dashboardUrl?: string },
): void =>
	setCustomData(context, { sessionId, dashboardUrl }, (taken) =>
		SUFFIXES.find((each) => [undefined, sessionId].includes(taken[`sessionId${each}`])),
	);
