import type { ChunkType, IExecuteFunctions } from 'n8n-workflow';

// What n8n shows of an execution: its custom data, and the text that it streams to a chat.

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

/** n8n keeps ten keys per execution. The first session has two, and these name the others. One is left for other nodes. */
const LIST_KEYS = Array.from({ length: 7 }, (_, index) => `sessionIds_${index + 1}`);

/** Adds values to the execution's custom data, which n8n's list shows and searches. Keys consist of letters, digits and _. */
export function setCustomData(
	context: CustomDataContext,
	values:
		| Record<string, string | undefined>
		| ((customValues: Record<string, string>) => Record<string, string | undefined>),
): void {
	try {
		// n8n added `customData` in 2.16. Older versions have it only in the Code node's `$execution`.
		const { $execution } = context.getWorkflowDataProxy(0) as { $execution?: HasCustomData };
		const customData = (context as HasCustomData).customData ?? $execution?.customData;
		if (!customData) return;
		const added = typeof values === 'function' ? values(customData.getAll()) : values;
		for (const [key, value] of Object.entries(added))
			if (value) customData.set(key, value.slice(0, MAX_CUSTOM_VALUE_LENGTH));
	} catch (error) {
		// Some contexts don't offer custom data. It's a convenience, so the node continues.
		context.logger.debug(`The execution's custom data could not be set: ${String(error)}`);
	}
}

/** Adds a session's ID, so executions can be found by session. The first session also has its URL, and lists name the others. */
export const setSessionCustomData = (
	context: CustomDataContext,
	{ sessionId, dashboardUrl }: { sessionId: string; dashboardUrl?: string },
): void =>
	setCustomData(context, (customValues) => {
		if ([undefined, sessionId].includes(customValues.sessionId)) return { sessionId, dashboardUrl };
		if (LIST_KEYS.some((key) => customValues[key]?.split(',').includes(sessionId))) return {};
		const withSession = (key: string) => [customValues[key], sessionId].filter(Boolean).join();
		const free = LIST_KEYS.find((key) => withSession(key).length <= MAX_CUSTOM_VALUE_LENGTH);
		return free === undefined ? {} : { [free]: withSession(free) };
	});

export interface ChatStream {
	write(text: string): void;
	end(text: string): void;
}

/** Returns an item's chat, or undefined unless n8n streams the response of a chat or a webhook. n8n before 1.99 never does. */
export function openChatStream(
	context: Partial<Pick<IExecuteFunctions, 'isStreaming' | 'sendChunk'>>,
	itemIndex: number,
): ChatStream | undefined {
	if (context.isStreaming?.() !== true || !context.sendChunk) return undefined;
	let isOpen = false;
	const send = (type: ChunkType, content?: string) => {
		// n8n returns a promise. A closed chat must not end the session.
		void (async () => await context.sendChunk!(type, itemIndex, content))().catch(() => {});
	};
	const write = (text: string) => {
		if (!isOpen) send('begin');
		isOpen = true;
		send('item', text);
	};
	return {
		write,
		end(text) {
			write(text);
			send('end');
		},
	};
}
