import { Problem } from './problem';
import { requireJsonObject } from './validate';

/**
 * Wire names that the API document does not show, and the ones we assume. A user whose service differs corrects one through
 * the credential's Field Names; `openapi/` marks the same names `x-assumed`.
 */
export const ASSUMED_NAMES = {
	cursor: 'cursor',
	limit: 'limit',
	sessionProject: 'projectId',
	sessionPrompt: 'prompt',
	messageText: 'text',
	decision: 'response',
	filesProject: 'projectId',
	filesParent: 'parentId',
	base64Data: 'data',
	base64ContentType: 'contentType',
	assetId: 'assetId',
	domainsSite: 'siteId',
	productsProject: 'projectId',
} as const;

export type WireNames = Record<keyof typeof ASSUMED_NAMES, string>;

/** The assumed names with the credential's Field Names over them. */
export function wireNames(fieldNames: unknown): WireNames {
	const corrections = requireJsonObject('Field Names', fieldNames);
	for (const [key, name] of Object.entries(corrections)) {
		if (!(key in ASSUMED_NAMES)) {
			throw new Problem(
				`Field Names in the credential has an unknown key "${key}"`,
				`These keys can be corrected: ${Object.keys(ASSUMED_NAMES).join(', ')}.`,
			);
		}
		if (typeof name !== 'string' || name.trim() === '') {
			throw new Problem(
				`Field Names in the credential has no name for "${key}"`,
				`Give "${key}" the name that the service uses as a text, such as {"${key}": "${ASSUMED_NAMES[key as keyof WireNames]}"}.`,
			);
		}
	}
	return { ...ASSUMED_NAMES, ...(corrections as Partial<WireNames>) };
}

type Answer = Record<string, unknown>;

const asRecord = (value: unknown): Answer =>
	typeof value === 'object' && value !== null ? (value as Answer) : {};

/** The session id of the answer to `POST /agent/sessions`, under any of the names it may have. */
export function readSessionId(answer: unknown): string | undefined {
	const { sessionId, id, session } = asRecord(answer);
	return [sessionId, id, asRecord(session).id].find(
		(value): value is string => typeof value === 'string' && value !== '',
	);
}

/** The text of a file, or the URL it can be downloaded from, in the answer to `GET /files/{fileId}/content`. */
export function readFileContent(answer: unknown): { text: string } | { url: string } | undefined {
	const { text, content, url, downloadUrl, download_url: downloadUrlToo } = asRecord(answer);
	const found = [text, content].find((value) => typeof value === 'string');
	if (found !== undefined) return { text: found as string };
	const address = [url, downloadUrl, downloadUrlToo].find(
		(value) => typeof value === 'string' && value !== '',
	);
	return address === undefined ? undefined : { url: address as string };
}
