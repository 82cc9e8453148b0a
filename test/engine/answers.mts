// A service that answers what a test says, over real HTTP: for what no sensible service would say.
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { credentialFor } from '../../local-service/caller.mts';

export interface Asked {
	method: string;
	path: string;
	query: URLSearchParams;
	body: any;
}

/** A text is sent as it is, nothing as status 204, anything else as JSON with status 200. */
type Answer = (asked: Asked) => unknown;

interface Answers {
	/** Replaced by each test */
	answer: Answer;
	requests: Asked[];
	credentials: { baseUrl: string; accessToken: string; apiVersion: string; overrides: string };
}

/** An answer of that status */
export class Status {
	readonly status: number;
	constructor(status: number) {
		this.status = status;
	}
}

/** Returns the port of a server on this machine. */
async function listen(server: Server): Promise<number> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
}

function close(server: Server): void {
	server.closeAllConnections();
	server.close();
}

/** Returns a function that starts a server on this machine for one test, and returns its port. */
export function useServers() {
	const servers: Server[] = [];
	afterEach(() => {
		for (const server of servers.splice(0)) close(server);
	});
	return async (server: Server): Promise<number> => {
		servers.push(server);
		return await listen(server);
	};
}

export function useAnswers(): Answers {
	const answers = { answer: () => ({}), requests: [] } as unknown as Answers;
	let server: Server;
	beforeAll(async () => {
		server = createServer(async (request, response) => {
			let text = '';
			for await (const chunk of request) text += String(chunk);
			const { pathname, searchParams } = new URL(request.url!, 'http://service');
			const asked: Asked = {
				method: request.method!,
				path: pathname.replace(/^\/v1/, ''),
				query: searchParams,
				body: text === '' ? undefined : JSON.parse(text),
			};
			answers.requests.push(asked);
			const answer = answers.answer(asked);
			const isStatus = answer instanceof Status;
			response.statusCode = isStatus ? answer.status : answer === undefined ? 204 : 200;
			response.setHeader('content-type', 'application/json');
			if (isStatus) response.end(JSON.stringify({ error: { code: 'refused', message: 'No.' } }));
			else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
		});
		const baseUrl = `http://127.0.0.1:${await listen(server)}/v1`;
		answers.credentials = credentialFor({ baseUrl, key: 'wa_key' });
	});
	beforeEach(() => {
		answers.requests.splice(0);
	});
	afterAll(() => close(server));
	return answers;
}

/** A whole list */
export const getList = (...data: unknown[]) => ({
	object: 'list',
	data,
	has_more: false,
	next_cursor: null,
});
