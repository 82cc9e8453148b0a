import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { Problem } from './problem';
import { requireText } from './validate';
import { wireNames, type WireNames } from './wireNames';

export const CREDENTIAL = 'workspaceAutomationApi';

/** The version of the API document; two endpoints allow only the older one (API document, Versioning). */
export const CURRENT_VERSION = '2026-10-05';
export const OLDER_VERSION = '2026-08-21';
export const VERSION_HEADER = 'Service-Api-Version';

/** What the nodes need to know of a credential. The token is not among it: only the credential's own `authenticate` touches it. */
export interface Connection {
	/** Ends in `/v1`, without a slash after it */
	baseUrl: string;
	names: WireNames;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The base URL without trailing slashes, or a `Problem` that says what is wrong with it. */
export function checkBaseUrl(value: unknown): string {
	const text = requireText('Base URL', value).trim().replace(/\/+$/, '');
	const refuse = (what: string, wayOut: string) =>
		new Problem(`Base URL in the credential ${what}`, wayOut);
	let url: URL;
	try {
		url = new URL(text);
	} catch {
		throw refuse('is not a URL', 'Enter it in full, such as https://api.example.com/v1.');
	}
	if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname))) {
		throw refuse(
			'does not use https',
			'The access token would travel unprotected. Use https://; http:// is for a service on this machine only (localhost).',
		);
	}
	if (url.username || url.password || url.search || url.hash) {
		throw refuse(
			'has more than an address and a path',
			'Remove the user name, query string or fragment from it.',
		);
	}
	if (!url.pathname.endsWith('/v1')) {
		throw refuse(
			'does not end in /v1',
			'The path carries the major version of the API, such as https://api.example.com/v1.',
		);
	}
	return text;
}

/** The checked values of a credential. Every one of its mistakes is found here, before anything is sent. */
export function connectionOf(credentials: ICredentialDataDecryptedObject): Connection {
	const token = requireText('Access Token', credentials.accessToken);
	if (/[^\x21-\x7e]/.test(token.trim())) {
		throw new Problem(
			'Access Token in the credential has characters that no token has',
			'Copy the access token again: spaces, line breaks or special characters came along.',
		);
	}
	const version = requireText('API Version', credentials.apiVersion).trim();
	if (!/^\d{4}-\d{2}-\d{2}$/.test(version)) {
		throw new Problem(
			'API Version in the credential is not a date',
			`Enter a date such as ${CURRENT_VERSION}.`,
		);
	}
	return { baseUrl: checkBaseUrl(credentials.baseUrl), names: wireNames(credentials.fieldNames) };
}
