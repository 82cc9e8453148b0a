// Types of a handler.
import type { Key } from '../auth.mts';
import type { ServiceState } from '../state.mts';

export interface Call {
	params: Record<string, string>;
	query: Record<string, string> & { cursor?: string };
	/** The page size, if one was requested */
	limit?: number;
	/** Valid according to the contract */
	body: any;
	key: Key;
	/** The origin under which the caller reached the service: `http://127.0.0.1:4010` */
	origin: string;
}

export interface Answer {
	status: number;
	body: unknown;
	/** The body as JSON, where it has numbers that JavaScript cannot represent */
	text?: string;
}

export type Handler = (call: Call) => Answer | Promise<Answer>;

/** Handlers by the contract's operationId */
export type Routes = (state: ServiceState) => Record<string, Handler>;

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const okText = (text: string): Answer => ({ status: 200, body: JSON.parse(text), text });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const accepted = (body: unknown): Answer => ({ status: 202, body });
