// What a chat shows of a node while it runs.
import { describe, test } from '@jest/globals';
import { openChatStream } from '../../nodes/shared/n8n/chatStream.ts';

type Sent = [type: string, itemIndex: number, content?: unknown];

/** An n8n that streams, with what it was given */
function streaming(isStreaming = true) {
	const sent: Sent[] = [];
	const context = {
		isStreaming: () => isStreaming,
		sendChunk: (...chunk: Sent) => void sent.push(chunk),
	};
	return { context, sent };
}

describe('a chat', () => {
	test('that was closed does not end the session', async () => {
		const { context } = streaming();
		const closed = () => {
			throw new Error('write after end');
		};
		const rejected = async () => await Promise.reject(new Error('write after end'));
		for (const sendChunk of [closed, rejected as never])
			openChatStream({ ...context, sendChunk }, 0)!.end('text');
		await new Promise(setImmediate);
	});
});
