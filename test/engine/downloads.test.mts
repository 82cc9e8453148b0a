// The content of a file over real HTTP, in n8n's engine: what a host sends is the whole file in its own characters, or an error.
import { expect, test } from '@jest/globals';
import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { useServers } from './answers.mts';
import { operation, run } from './engine.mts';
import { byId } from '../../n8n-host/workflows.mts';
import { credentialFor } from '../../local-service/caller.mts';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const listen = useServers();

/** What the file's host answers to a URL, by the number of the URL that the service has given */
type Download = (response: ServerResponse, url: number) => unknown;

/** A service that gives a new download URL each time, and the host of its files */
async function getContent(download: Download, { outputAs = 'text', name = 'report.csv' } = {}) {
	let urls = 0;
	const host = createServer((request, response) =>
		download(response, Number(request.url!.slice(1))),
	);
	const at = `http://127.0.0.1:${await listen(host)}`;
	const service = createServer((request, response) => {
		response.setHeader('content-type', 'application/json');
		const file = { object: 'file', id: ID, name, kind: 'file' };
		const isContent = request.url!.endsWith('/content');
		response.end(JSON.stringify(isContent ? { url: `${at}/${++urls}` } : file));
	});
	const baseUrl = `http://127.0.0.1:${await listen(service)}/v1`;
	const parameters = { fileId: byId(ID), outputAs };
	const credentials = credentialFor({ baseUrl, key: 'wa_key' });
	const { outputs, error } = await run(operation('file.getContent', parameters, credentials));
	return { item: outputs[0]?.[0], error, urls };
}

const sends =
	(bytes: Buffer, headers: Record<string, string> = {}, status = 200): Download =>
	(response) =>
		response.writeHead(status, headers).end(bytes);
const csv = 'Straße;Größe\n';

test.each<[string, Download]>([
	['in UTF-8', sends(Buffer.from(csv))],
	['in UTF-8 with a byte order mark', sends(Buffer.from(`\ufeff${csv}`))],
	['in UTF-16 with a byte order mark', sends(Buffer.from(`\ufeff${csv}`, 'utf16le'))],
	[
		'in big-endian UTF-16 with a byte order mark',
		sends(Buffer.from(`\ufeff${csv}`, 'utf16le').swap16(), { 'content-type': 'text/csv' }),
	],
	[
		'in latin-1, as its Content-Type says',
		sends(Buffer.from(csv, 'latin1'), { 'content-type': 'text/csv; charset=iso-8859-1' }),
	],
])('a file %s is its text', async (_, download) => {
	expect((await getContent(download)).item.json).toEqual({ fileId: ID, text: csv });
});

test.each<[string, Download]>([
	['in latin-1 without a charset', sends(Buffer.from(csv, 'latin1'))],
	['in UTF-16 without a byte order mark', sends(Buffer.from('a;b', 'utf16le'))],
	['that is packed', sends(gzipSync(csv), { 'content-type': 'application/gzip' })],
	['in an unknown charset', sends(Buffer.from(csv), { 'content-type': 'text/csv; charset=x-1' })],
])('a file %s is an error that says to get it as binary data', async (_, download) => {
	const { error } = await getContent(download);
	expect(error).toMatchObject({
		message: "The file isn't text that the node can read",
		description: expect.stringMatching(/^Set 'Output As' to Binary Data/),
	});
	const { item } = await getContent(download, { outputAs: 'binary' });
	expect(item).toHaveProperty('binary');
});

test('a download that is cut off is an error with our own title', async () => {
	const { error } = await getContent((response) => response.destroy());
	expect(error?.message).toBe("The file couldn't be downloaded: no connection");
	expect(error?.description).toMatch(
		/^Run the node again .* The connection failed with ECONNRESET\.$/,
	);
});

test('a part of a file is an error', async () => {
	const part = sends(Buffer.from('Stra'), { 'content-range': 'bytes 0-3/100' }, 206);
	for (const outputAs of ['text', 'binary'])
		expect((await getContent(part, { outputAs })).error?.message).toMatch(/with status 206$/);
});

const page = sends(Buffer.from('<!doctype html><p>Sign in'), {
	'content-type': 'text/html; charset=utf-8',
});

test.each(['text', 'binary'])('a web page instead of a file is an error: %s', async (outputAs) => {
	const { error } = await getContent(page, { outputAs });
	expect(error?.message).toBe('A web page came instead of the file');
});

test('a file that is a web page is its text', async () => {
	const { item } = await getContent(page, { name: 'index.html' });
	expect(item.json.text).toBe('<!doctype html><p>Sign in');
});

test.each([403, 404, 410])('a URL that has expired (%d) is asked for once more', async (status) => {
	const expired: Download = (response, url) =>
		url === 1 ? response.writeHead(status).end() : response.end(csv);
	expect((await getContent(expired)).item.json.text).toBe(csv);
	const always: Download = (response) => response.writeHead(status).end();
	const { error, urls } = await getContent(always);
	expect([error?.message, urls]).toEqual([expect.stringMatching(`with status ${status}$`), 2]);
});
