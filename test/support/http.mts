// What takes the place of the network below n8n's HTTP helper: no socket is opened.
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';

const require = createRequire(import.meta.url);

/** The used part of the request that n8n's HTTP helper passes to axios */
interface AxiosConfig {
	method: string;
	headers: { toJSON(): Record<string, string> };
	data?: string | Buffer;
	responseType?: string;
	validateStatus?: (status: number) => boolean;
}

interface Axios {
	defaults: { adapter: unknown };
	getUri(config: AxiosConfig): string;
}

export interface SentRequest {
	method: string;
	url: URL;
	headers: Record<string, string>;
	body?: string | Buffer;
}

export interface ReceivedResponse {
	status: number;
	headers: Record<string, unknown>;
	body: Buffer;
}

let found: Axios[] = [];
let searched = 0;

/** Returns every loaded axios: n8n-core has its own. */
function loadedAxios(): Axios[] {
	const files = Object.keys(require.cache);
	if (files.length !== searched)
		found = files
			.filter((file) => /axios[\\/]dist[\\/]node[\\/]axios\.cjs$/.test(file))
			.map((file) => require.cache[file]!.exports as Axios);
	searched = files.length;
	return found;
}

/** Answers all requests of n8n. Returns a function that brings the network back. */
export function replaceNetwork(
	answer: (request: SentRequest) => Promise<ReceivedResponse>,
): () => void {
	const adapterFor = (axios: Axios) => async (config: AxiosConfig) => {
		const { status, headers, body } = await answer({
			method: config.method.toUpperCase(),
			url: new URL(axios.getUri(config)),
			headers: config.headers.toJSON(),
			body: config.data,
		});
		const { responseType } = config;
		const data =
			responseType === 'stream'
				? Readable.from([body])
				: responseType === 'arraybuffer'
					? body
					: body.toString();
		const response = { data, status, statusText: '', headers, config, request: {} };
		if (config.validateStatus?.(status) ?? true) return response;
		throw Object.assign(new Error(`Status ${status}`), { response, config });
	};
	const adapters = loadedAxios().map((axios) => ({ axios, was: axios.defaults.adapter }));
	for (const { axios } of adapters) axios.defaults.adapter = adapterFor(axios);
	return () => {
		for (const { axios, was } of adapters) axios.defaults.adapter = was;
	};
}
