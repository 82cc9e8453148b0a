import type { IDataObject, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

import { responseOverride } from '../shared/client/overrides';
import { shapeError } from '../shared/client/responses';
import type { ApiClient, Values } from '../shared/client/operations';
import {
	CanceledError,
	resultOrError,
	throwIfAborted,
	WorkspaceAutomationError,
} from '../shared/errors';
import {
	excerpt,
	formatMib,
	formatSeconds,
	isRecord,
	isThisMachine,
	nonEmptyText,
} from '../shared/values';
import { MAX_DOWNLOAD_BYTES } from '../shared/limits';
import { TIMED_OUT, withTimeout } from '../shared/client/clock';
import { isPrivateHost } from '../shared/client/hosts';
import { isRejection, nextAction, NO_ATTEMPTS } from '../shared/client/retryPolicy';
import { decode, readCharset, toFailedAttempt } from '../shared/client/httpRequest';
import type { Attempt, Headers } from '../shared/client/apiTypes';

type Stream = Exclude<
	Parameters<IExecuteSingleFunctions['helpers']['prepareBinaryData']>[0],
	Buffer
>;

/** Returns the reason not to follow a URL. An external service must not make n8n reach addresses in n8n's own network. */
function findUrlProblem(url: string, baseUrl: string): string | undefined {
	if (!URL.canParse(url)) return "It isn't a URL.";
	const { protocol, hostname, username, password } = new URL(url);
	const { hostname: service } = new URL(baseUrl);
	if (protocol !== 'https:' && !(protocol === 'http:' && isThisMachine(service)))
		return "It doesn't use https.";
	if (username || password) return 'It has a user name or password in it.';
	if (isPrivateHost(hostname) && !isPrivateHost(service))
		return 'It leads into the network that n8n is in.';
	return undefined;
}

function requireSafeUrl(url: string, baseUrl: string): void {
	const problem = findUrlProblem(url, baseUrl);
	if (problem === undefined) return;
	throw new WorkspaceAutomationError(
		"The service returned a download URL that isn't followed",
		`${problem} Nothing was downloaded.`,
	);
}

interface DownloadResponse {
	statusCode: number;
	headers: Headers;
	body: Stream;
}

const MAX_REDIRECTS = 5;

async function followRedirects(
	url: string,
	baseUrl: string,
	send: (url: string) => Promise<DownloadResponse>,
): Promise<DownloadResponse> {
	let response = await send(url);
	for (let [at, count] = [url, 0]; count < MAX_REDIRECTS; count++) {
		const location = nonEmptyText(response.headers.location);
		if (![301, 302, 303, 307, 308].includes(response.statusCode) || !location) break;
		response.body.destroy();
		at = URL.canParse(location, at) ? new URL(location, at).href : location;
		requireSafeUrl(at, baseUrl);
		response = await send(at);
	}
	return response;
}

function downloadFailedError(attempt: Attempt): WorkspaceAutomationError {
	const isResponse = attempt.kind === 'response';
	const reason = isResponse ? `its host answered with status ${attempt.status}` : 'no connection';
	// n8n replaces a title that has the code of a failed connection.
	const facts = isResponse ? '' : ` The connection failed with ${attempt.code}.`;
	return new WorkspaceAutomationError(
		`The file couldn't be downloaded: ${reason}`,
		`Run the node again for a new download URL, which is valid for 15 minutes.${facts}`,
		isResponse ? { httpStatus: attempt.status } : {},
	);
}

/** Limit on all attempts. A longer download would soon outlast its URL. */
const MAX_DOWNLOAD_MS = 300_000;
const MAX_DOWNLOAD_ATTEMPTS = 4;
const GET = { method: 'GET', effect: 'read' } as const;

const downloadError = (what: string, limit: string) =>
	new WorkspaceAutomationError(`The file ${what} to download`, `${limit}.`);
const downloadTooLarge = () =>
	downloadError('is too large', `It has more than ${formatMib(MAX_DOWNLOAD_BYTES)}`);

/** Ends a stream that is too large. Every reader passes `emit`, and counting there neither starts the stream nor buffers it. */
function limitBytes(body: Stream): void {
	const emit = body.emit.bind(body);
	let bytes = 0;
	body.emit = (event: string | symbol, ...args: unknown[]) => {
		if (event === 'data') {
			bytes += (args[0] as Uint8Array).length;
			if (bytes > MAX_DOWNLOAD_BYTES) body.destroy(downloadTooLarge());
		}
		return emit(event, ...args);
	};
}

async function fetchContent<T>(
	{ helpers }: IExecuteSingleFunctions,
	baseUrl: string,
	{ url, ...request }: { url: string; timeout: number; abortSignal: AbortSignal },
	consume: (body: Stream, headers: Headers) => Promise<T>,
): Promise<Attempt> {
	const response = await followRedirects(url, baseUrl, async (at) => {
		const answered: unknown = await helpers.httpRequest({
			...request,
			url: at,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		});
		return answered as DownloadResponse;
	});
	const { statusCode: status, headers, body } = response;
	if (status !== 200) {
		body.destroy();
		const attempt: Attempt = { kind: 'response', status, headers, body: undefined };
		// A redirect would only redirect again, and a part of a file isn't the file.
		if (status < 400) throw downloadFailedError(attempt);
		return attempt;
	}
	if (Number(headers['content-length'] ?? 0) > MAX_DOWNLOAD_BYTES) throw downloadTooLarge();
	limitBytes(body);
	return { kind: 'response', status, headers, body: await consume(body, headers) };
}

/** Streams a download into `consume`, with retries. The URL is signed, so requests are sent without the credential. */
export async function download<T>(
	context: IExecuteSingleFunctions,
	{ clock, baseUrl, signal }: ApiClient,
	url: string,
	consume: (body: Stream, headers: Headers) => Promise<T>,
): Promise<T> {
	requireSafeUrl(url, baseUrl);
	const deadline = clock.monotonicMs() + MAX_DOWNLOAD_MS;
	const limits = { deadline, maxAttempts: MAX_DOWNLOAD_ATTEMPTS };
	const fetchOnce = async (): Promise<Attempt> => {
		throwIfAborted(signal);
		const timeout = deadline - clock.monotonicMs();
		const fetching = withTimeout(
			signal,
			timeout,
			async (abortSignal) =>
				await fetchContent(context, baseUrl, { url, timeout, abortSignal }, consume),
		);
		return await fetching.catch((error: unknown) => {
			if (error === TIMED_OUT)
				throw downloadError(
					'takes too long',
					`It took longer than ${formatSeconds(MAX_DOWNLOAD_MS)}`,
				);
			if (error instanceof WorkspaceAutomationError || error instanceof CanceledError) throw error;
			return toFailedAttempt(error);
		});
	};
	for (let state = NO_ATTEMPTS; ;) {
		const attempt = await fetchOnce();
		const now = { monotonicMs: clock.monotonicMs(), wallMs: clock.now() };
		const next = nextAction(state, attempt, GET, limits, now, Math.random());
		if (next.type === 'return' && attempt.kind === 'response') return attempt.body as T;
		if (next.type !== 'retry') throw downloadFailedError(attempt);
		state = next.state;
		await clock.sleep(next.delayMs ?? 0, signal);
	}
}

type FileContent = { text: string } | { url: string };

/** Reads the text or its download URL, which wins over an empty text. */
function readFileContent(body: unknown, api: ApiClient): FileContent {
	const [text, url] = ['text', 'url'].map((name) => api.readField('getFileContent', name, body));
	if (nonEmptyText(url) && !nonEmptyText(text)) return { url: String(url) };
	if (typeof text === 'string') return { text };
	throw shapeError(
		'text',
		'a text',
		isRecord(body) ? text : body,
		responseOverride('getFileContent', 'text'),
	);
}

/** UTF-16 by its byte order mark, and the mark of UTF-8, which wins over another charset */
const BYTE_ORDER_MARKS: Array<[mark: number[], charset: string]> = [
	[[0xff, 0xfe], 'utf-16le'],
	[[0xfe, 0xff], 'utf-16be'],
	[[0xef, 0xbb, 0xbf], 'utf-8'],
];

/** @throws WorkspaceAutomationError for bytes that aren't text in the file's charset */
function decodeFile(bytes: Buffer, headers: Headers): string {
	const [, marked] =
		BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? [];
	const charset = marked ?? readCharset(headers);
	const text = decode(bytes, charset);
	// No text has this character, but UTF-16 without a byte order mark and most binary files have it.
	if (text !== undefined && !text.includes('\0')) return text;
	throw new WorkspaceAutomationError(
		"The file isn't text that the node can read",
		`Set 'Output As' to Binary Data, and decode the file in another node. Its bytes aren't text in the charset ${excerpt(charset, 30)}.`,
	);
}

/** Fetches the name and type, which the content lacks. The endpoint is in beta, so its errors are ignored. */
async function fetchMetadata(api: ApiClient, fileId: string): Promise<IDataObject> {
	const options = { maxAttempts: 2, timeoutMs: 30_000 };
	const response = await resultOrError(api.call('getFile', { fileId }, options));
	const isReadable = !(response instanceof WorkspaceAutomationError) && isRecord(response.body);
	return isReadable ? (response.body as IDataObject) : {};
}

/** @throws WorkspaceAutomationError for the web page of a login or a proxy, but not for a file that is a web page */
async function requireNoPage(api: ApiClient, fileId: string, headers: Headers): Promise<void> {
	if (!/html/i.test(String(headers['content-type'] ?? ''))) return;
	const { name, contentType } = await fetchMetadata(api, fileId);
	if (/html/i.test(String(contentType ?? '')) || /\.x?html?$/i.test(String(name ?? ''))) return;
	throw new WorkspaceAutomationError(
		'A web page came instead of the file',
		'Check for a proxy or a login page between n8n and the host of the files. Then run the node again.',
	);
}

/** Downloads a file. If its URL has expired, it's asked for once more. */
async function downloadFile<T>(
	context: IExecuteSingleFunctions,
	api: ApiClient,
	url: string,
	fileId: string,
	consume: (body: Stream, headers: Headers) => Promise<T>,
): Promise<T> {
	const from = async (at: string) =>
		await download(context, api, at, async (body, headers) => {
			await requireNoPage(api, fileId, headers).catch((error: unknown) => {
				body.destroy();
				throw error;
			});
			return await consume(body, headers);
		});
	const first = await resultOrError(from(url));
	if (!(first instanceof WorkspaceAutomationError)) return first;
	if (!isRejection(first.context.httpStatus ?? 0)) throw first;
	const { body } = await api.call('getFileContent', { fileId });
	const again = readFileContent(body, api);
	if (!('url' in again)) throw first;
	return await from(again.url);
}

async function readBinaryItem(
	context: IExecuteSingleFunctions,
	content: FileContent,
	fileId: string,
	field: string,
	api: ApiClient,
): Promise<INodeExecutionData> {
	const { helpers } = context;
	const metadata = await fetchMetadata(api, fileId);
	const name = nonEmptyText(metadata.name) ?? fileId;
	const sizeBytes = typeof metadata.sizeBytes === 'number' ? metadata.sizeBytes : undefined;
	const keep = async (data: Buffer | Stream, type: string | undefined) =>
		await helpers.prepareBinaryData(data, name, nonEmptyText(metadata.contentType) ?? type);
	const data =
		'text' in content
			? await keep(Buffer.from(content.text), 'text/plain')
			: await downloadFile(
					context,
					api,
					content.url,
					fileId,
					async (stream, headers) => await keep(stream, nonEmptyText(headers['content-type'])),
				);
	return {
		json: {
			fileId,
			name,
			contentType: nonEmptyText(metadata.contentType) ?? data.mimeType,
			sizeBytes,
		},
		binary: { [field]: data },
	};
}

export async function readContentItem(
	context: IExecuteSingleFunctions,
	body: unknown,
	values: Values,
	api: ApiClient,
): Promise<INodeExecutionData> {
	const content = readFileContent(body, api);
	const fileId = String(values.fileId);
	if (values.outputAs === 'binary')
		return await readBinaryItem(context, content, fileId, String(values.binaryPropertyName), api);
	if (values.outputAs === 'text') {
		const read = async (stream: Stream, headers: Headers) =>
			decodeFile(await context.helpers.binaryToBuffer(stream), headers);
		const text =
			'text' in content
				? content.text
				: await downloadFile(context, api, content.url, fileId, read);
		return { json: { fileId, text } };
	}
	const url = nonEmptyText(api.readField('getFileContent', 'url', body));
	if (url !== undefined) return { json: { fileId, url } };
	throw new WorkspaceAutomationError(
		'The service returned text instead of a download URL',
		"Set 'Output As' to Text or Binary Data.",
	);
}
