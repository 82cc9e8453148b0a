// Loaded into n8n before its own code (`node --import`): all requests of n8n over https go to the mock for the channels instead, on this
// machine. Nothing reaches the internet.
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';

const port = Number(process.env.CHANNELS_PORT);

/** Takes what https.request takes, and sends it to the mock. The host that was meant is in a header. */
function request(...args: any[]): http.ClientRequest {
	const [first, second] = args;
	const isUrl = typeof first === 'string' || first instanceof URL;
	const given = isUrl && typeof second === 'object' ? second : isUrl ? {} : first;
	const url = isUrl ? new URL(first) : undefined;
	const meant = url?.hostname ?? given.hostname ?? given.host;
	const options = {
		method: given.method,
		path: url ? `${url.pathname}${url.search}` : given.path,
		// The header of a real host would be refused by what guards servers of this machine.
		headers: { ...given.headers, host: `127.0.0.1:${port}`, 'x-meant-for': meant },
		host: '127.0.0.1',
		port,
		signal: given.signal,
		timeout: given.timeout,
	};
	return http.request(
		options,
		args.find((arg) => typeof arg === 'function'),
	);
}

https.request = request as typeof https.request;
https.get = ((...args: any[]) => request(...args).end()) as typeof https.get;
syncBuiltinESMExports();
