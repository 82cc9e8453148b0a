// What a handler is given, and what it gives back.
import type { Key } from '../auth.mts';
import type { World } from '../world.mts';

export interface Call {
	params: Record<string, string>;
	query: Record<string, string> & { cursor?: string };
	/** The query's page size, if one was asked for */
	limit?: number;
	/** Has passed the contract's validation */
	body: any;
	key: Key;
	/** Where the caller reached the service: `http://127.0.0.1:4010` */
	origin: string;
}

export interface Answer {
	status: number;
	body: unknown;
	/** The body as JSON, where its numbers are more than JavaScript can hold */
	text?: string;
}

export type Handler = (call: Call) => Answer | Promise<Answer>;

/** Handlers by operationId, as the contract names the operations */
export type Routes = (world: World) => Record<string, Handler>;

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const okText = (text: string): Answer => ({ status: 200, body: JSON.parse(text), text });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const accepted = (body: unknown): Answer => ({ status: 202, body });
