// What is in a file: read from what callers send, and handed out as text or by a signed URL.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { contentTypeOf, isText } from './content-types.mts';
import { ApiError } from './errors.mts';
import type { FileItem } from './file-store.mts';

/** Bytes: 10 MiB */
export const maxContent = 10 * 1024 * 1024;
/** Text above this many bytes is handed out by URL. */
export const maxText = 256 * 1024;
/** Milliseconds of service time: 15 minutes */
export const urlLifetime = 15 * 60_000;

export interface FileContent {
	content: Buffer;
	contentType: string;
}

/** @throws ApiError `payload_too_large` */
function limited(content: Buffer): Buffer {
	if (content.length > maxContent)
		throw new ApiError('payload_too_large', 'File content is at most 10 MiB.');
	return content;
}

/** @throws ApiError `payload_too_large` */
export const contentOfText = (name: string, text: string): FileContent => ({
	content: limited(Buffer.from(text)),
	contentType: contentTypeOf(name, 'text/plain'),
});

/** @throws ApiError `invalid_request` when it is no base64 or no content type, `payload_too_large` */
export function contentOfBase64(name: string, data: string, contentType?: string): FileContent {
	// Node's decoder skips what it does not know; only what it would write back is base64
	const content = Buffer.from(data, 'base64');
	if (content.toString('base64') !== data)
		throw new ApiError('invalid_request', 'body/source/data must be base64');
	// Downloads send the type back as a header
	if (contentType !== undefined && !/^[\w.+-]+\/[\w.+-]+(;[\x20-\x7e]*)?$/.test(contentType)) {
		throw new ApiError(
			'invalid_request',
			'body/source/contentType must be a content type, for example image/png',
		);
	}
	return { content: limited(content), contentType: contentType ?? contentTypeOf(name) };
}

/** Whether a file is handed out as text: text by its type, by its bytes, and not too much of it. */
export const comesAsText = ({ content, contentType = '' }: FileItem): boolean =>
	isText(contentType) && content.length <= maxText && isUtf8(content);

// A new secret at every start: URLs do not outlive the service
const secret = randomBytes(32);
const signatureOf = (fileId: string, expires: number) =>
	createHmac('sha256', secret).update(`${fileId} ${expires}`).digest('base64url');

/** A URL that needs no token, good until `now` + 15 minutes of service time. */
export function signUrl(origin: string, { id, name }: FileItem, now: number): string {
	const expires = now + urlLifetime;
	return `${origin}/downloads/${id}/${encodeURIComponent(name)}?expires=${expires}&signature=${signatureOf(id, expires)}`;
}

/** Whether a signed URL is ours and still good. */
export function isGoodUrl(
	fileId: string,
	query: { expires?: string; signature?: string },
	now: number,
): boolean {
	const expires = Number(query.expires);
	const expected = Buffer.from(signatureOf(fileId, expires));
	const given = Buffer.from(String(query.signature));
	return given.length === expected.length && timingSafeEqual(given, expected) && now < expires;
}
