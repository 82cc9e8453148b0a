// The content of files: read from what callers send, and returned as text or through a signed URL.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { getContentType, isText } from './content-types.mts';
import { ApiError } from './errors.mts';
import type { FileItem } from './file-store.mts';

/** Bytes: 10 MiB */
const maxContent = 10 * 1024 * 1024;
/** Text of more bytes than this is returned as a URL. */
const maxText = 256 * 1024;
/** Milliseconds of service time: 15 minutes */
const urlLifetime = 15 * 60_000;

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
	contentType: getContentType(name, 'text/plain'),
});

/** @throws ApiError `invalid_request` for invalid base64 or an invalid content type, `payload_too_large` */
export function contentOfBase64(name: string, data: string, contentType?: string): FileContent {
	// Node's decoder skips invalid characters; only what encodes back to itself is base64
	const content = Buffer.from(data, 'base64');
	if (content.toString('base64') !== data)
		throw new ApiError('invalid_request', 'body/source/data must be base64');
	// The type becomes a header of downloads
	if (contentType !== undefined && !/^[\w.+-]+\/[\w.+-]+(;[\x20-\x7e]*)?$/.test(contentType)) {
		throw new ApiError(
			'invalid_request',
			'body/source/contentType must be a content type, for example image/png',
		);
	}
	return { content: limited(content), contentType: contentType ?? getContentType(name) };
}

/** Returns whether a file is returned as text: its type and its bytes are text, and it is small enough. */
export const comesAsText = ({ content, contentType = '' }: FileItem): boolean =>
	isText(contentType) && content.length <= maxText && isUtf8(content);

// New at every start: URLs do not outlive the service
const secret = randomBytes(32);
const getSignature = (fileId: string, expires: number) =>
	createHmac('sha256', secret).update(`${fileId} ${expires}`).digest('base64url');

/** A URL that needs no token and is valid for 15 minutes of service time from `now`. */
export function signUrl(origin: string, { id, name }: FileItem, now: number): string {
	const expires = now + urlLifetime;
	return `${origin}/downloads/${id}/${encodeURIComponent(name)}?expires=${expires}&signature=${getSignature(id, expires)}`;
}

/** Returns whether a signed URL is genuine and has not expired. */
export function isValidUrl(
	fileId: string,
	query: { expires?: string; signature?: string },
	now: number,
): boolean {
	const expires = Number(query.expires);
	const expected = Buffer.from(getSignature(fileId, expires));
	const given = Buffer.from(String(query.signature));
	return given.length === expected.length && timingSafeEqual(given, expected) && now < expires;
}
