import type { IExecuteFunctions } from 'n8n-workflow';

type CustomDataContext = Pick<IExecuteFunctions, 'logger'> & {
	getWorkflowDataProxy(itemIndex: number): unknown;
};

interface CustomData {
	set(key: string, value: string): void;
	getAll(): Record<string, string>;
}
type HasCustomData = { customData?: CustomData };

/** Limit of n8n's custom data and of tracing */
export const MAX_CUSTOM_VALUE_LENGTH = 512;

/** n8n keeps ten keys per execution, and each session takes two. */
const SUFFIXES = ['', '_1', '_2', '_3', '_4'];

/** Adds values to the execution's custom data, which n8n's list shows and searches. Keys consist of letters, digits and _. */
export function setCustomData(
	context: CustomDataContext,
	values: Record<string, string | undefined>,
	suffixFor: (taken: Record<string, string>) => string | undefined = () => '',
): void {
	try {
		// n8n added `customData` in 2.16. Older versions have it only in the Code node's `$execution`.
		const { $execution } = context.getWorkflowDataProxy(0) as { $execution?: HasCustomData };
		const customData = (context as HasCustomData).customData ?? $execution?.customData;
		const suffix = customData && suffixFor(customData.getAll());
		if (suffix === undefined) return;
		for (const [key, value] of Object.entries(values))
			if (value) customData!.set(`${key}${suffix}`, value.slice(0, MAX_CUSTOM_VALUE_LENGTH));
	} catch (error) {
		// Some contexts don't offer custom data. It's a convenience, so the node continues.
		context.logger.debug(`The execution's custom data could not be set: ${String(error)}`);
	}
}

/** Adds a session's ID and URL, so executions can be found by session. The next four sessions get the suffixes _1 to _4. */
export const setSessionCustomData = (
	context: CustomDataContext,
	{ sessionId, dashboardUrl }: { sessionId: string; dashboardUrl?: string },
): void =>
	setCustomData(context, { sessionId, dashboardUrl }, (taken) =>
		SUFFIXES.find((each) => [undefined, sessionId].includes(taken[`sessionId${each}`])),
	);
