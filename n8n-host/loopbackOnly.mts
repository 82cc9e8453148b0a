// Loaded into the host's n8n (`node --import`): refuses requests that a browser was tricked into. A page of any web site can have its own
// name resolved to this machine, and then reads what n8n answers; but the name stays in the Host header.
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** Returns whether a Host header names this machine itself. */
export const isLoopback = (host: string | undefined): boolean =>
	host !== undefined && LOOPBACK.test(host);

subscribe('http.server.request.start', (message) => {
	// The channel's message is untyped; its shape is in Node's documentation of node:diagnostics_channel.
	const { request } = message as { request: IncomingMessage };
	if (!isLoopback(request.headers.host)) request.socket.destroy();
});
