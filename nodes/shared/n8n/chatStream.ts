import type { ChunkType, IExecuteFunctions } from 'n8n-workflow';

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
