// A client of n8n's MCP Server Trigger, as far as the tests need one: MCP over Streamable HTTP.
interface Tool {
	name: string;
	inputSchema: { properties: Record<string, unknown> };
}

export interface McpClient {
	tools(): Promise<Tool[]>;
	/** Calls a tool, and returns the one item that it answers with. */
	call(tool: string, args: Record<string, string>): Promise<Record<string, unknown>>;
}

interface Answer {
	result: { tools: Tool[]; content: Array<{ text: string }> };
	error?: { message: string };
}

/** Reads the response: JSON, or a stream of events with one message */
function read(text: string): Answer {
	const message = /^data: (.*)$/m.exec(text)?.[1] ?? text;
	return JSON.parse(message);
}

/** Opens a session with the server at this address. */
export async function connectMcp(url: string): Promise<McpClient> {
	let id = 0;
	let sessionId = '';

	async function send(method: string, params: object): Promise<string> {
		const isNote = method.startsWith('notifications/');
		const answer = await fetch(url, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				...(sessionId && { 'mcp-session-id': sessionId }),
			},
			body: JSON.stringify({ jsonrpc: '2.0', method, params, ...(!isNote && { id: ++id }) }),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method} was answered with ${answer.status}: ${text}`);
		sessionId = answer.headers.get('mcp-session-id') ?? sessionId;
		return text;
	}

	async function ask(method: string, params: object): Promise<Answer['result']> {
		const { result, error } = read(await send(method, params));
		if (error) throw new Error(`${method}: ${error.message}`);
		return result;
	}

	await ask('initialize', {
		protocolVersion: '2025-03-26',
		capabilities: {},
		clientInfo: { name: 'test', version: '1' },
	});
	await send('notifications/initialized', {});
	return {
		tools: async () => (await ask('tools/list', {})).tools,
		async call(tool, args) {
			const { content } = await ask('tools/call', { name: tool, arguments: args });
			const told: unknown = JSON.parse(content[0].text);
			return Array.isArray(told) ? told[0] : told;
		},
	};
}
