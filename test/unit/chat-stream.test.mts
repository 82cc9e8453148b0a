// What a chat shows of a node while it runs.
import { test } from '@jest/globals';
import { openChatStream } from '../../nodes/shared/n8n/executionDisplay.ts';

const closed = () => {
	throw new Error('write after end');
};
const rejected = async () => await Promise.reject(new Error('write after end'));

test.each([closed, rejected as never])('a closed chat ends no session: %s', async (sendChunk) => {
	openChatStream({ isStreaming: () => true, sendChunk }, 0)!.end('text');
	await new Promise(setImmediate);
});
