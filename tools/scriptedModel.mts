// A chat model that says what has been written for it, served as the chat completions of OpenAI. The nodes of n8n do not know the difference.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The used part of n8n's request to the model */
interface ChatRequest {
	messages: Array<{ role: string; content: string }>;
	tools: Array<{ function: { name: string; description: string; parameters: any } }>;
}

interface Call {
	tool: string;
	with: object;
}

/** Turn of the model: a text, which ends its work, or calls of tools, all at once. */
export type Turn = string | Call[];

/** A turn may depend on the last message to the model, such as a tool's result. */
export type Script = Array<Turn | ((told: ChatRequest) => Turn)>;

export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

/** Returns the last message to the model in n8n's form, such as the result of a tool. */
export const lastTold = ({ messages }: ChatRequest): any => JSON.parse(messages.at(-1)!.content);

export async function startScriptedModel() {
	let script: Script = [];
	let requests: ChatRequest[] = [];

	function answer(request: ChatRequest): object {
		const next = script[requests.push(request) - 1];
		const turn = typeof next === 'function' ? next(request) : next;
		if (turn === undefined)
			throw new Error(
				`The script has ${script.length} turns, and this is request ${requests.length}.`,
			);
		const calls = typeof turn === 'string' ? [] : turn;
		const message = {
			role: 'assistant',
			content: typeof turn === 'string' ? turn : null,
			...(calls.length > 0 && {
				tool_calls: calls.map((call, index) => ({
					id: `call_${requests.length}_${index + 1}`,
					type: 'function',
					function: { name: call.tool, arguments: JSON.stringify(call.with) },
				})),
			}),
		};
		return {
			id: `answer_${requests.length}`,
			object: 'chat.completion',
			created: 0,
			model: 'scripted',
			choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}

	const server = createServer(async (request, response) => {
		const send = (status: number, body: object) =>
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		try {
			const text = (await request.toArray()).join('');
			if (!request.url!.endsWith('/chat/completions'))
				throw new Error(`The scripted model has no ${request.method} ${request.url}.`);
			send(200, answer(JSON.parse(text)));
		} catch (error) {
			// Not a 5xx: that would be tried again.
			send(400, { error: { message: (error as Error).message } });
		}
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');

	return {
		/** For the credential */
		baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		/** Begins a script; its first turn answers the next request. */
		play(next: Script): void {
			script = next;
			requests = [];
		},
		/** The requests since the script began, oldest first */
		told: () => requests,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
