import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../errors';
import { requireText } from '../validation';
import { isThisMachine } from './privateHosts';

export const CREDENTIAL = 'workspaceAutomationApi';

/** The version of the API document. Two endpoints allow only an older one (API document, Versioning). */
export const CURRENT_VERSION = '2026-10-05';
export const VERSION_HEADER = 'Service-Api-Version';

/** Returns the URL without trailing slashes. @throws WorkspaceAutomationError if it's invalid */
export function checkBaseUrl(value: unknown): string {
	const text = requireText('Base URL', value)
		.trim()
		.replace(/(?<!\/)\/+$/, '');
	const refuse = (what: string, description: string) =>
		new WorkspaceAutomationError(`'Base URL' in the credential ${what}`, description);
	let url: URL;
	try {
		url = new URL(text);
	} catch {
		throw refuse('is not a URL', 'Enter it in full, such as https://api.example.com/v1.');
	}
	if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url.hostname))) {
		throw refuse(
			"doesn't use https",
			'Use https://, because the API key would be unprotected. Only for a service on this machine (localhost), you can use http://.',
		);
	}
	// `?` and `#` with nothing after them leave no trace in `search` and `hash`.
	if (url.username || url.password || /[?#]/.test(text)) {
		throw refuse(
			'has more than a host and a path',
			'Remove the user name, query string or fragment from it.',
		);
	}
	if (!url.pathname.endsWith('/v1')) {
		throw refuse(
			"doesn't end in /v1",
			'Add the major version of the API to the path, such as https://api.example.com/v1.',
		);
	}
	return text;
}

/** Finds every error of a credential, before anything is sent. */
export function readCredential(credential: ICredentialDataDecryptedObject) {
	const apiKey = requireText('API Key', credential.accessToken).trim();
	if (/[^\x21-\x7e]/.test(apiKey)) {
		throw new WorkspaceAutomationError(
			"'API Key' in the credential has invalid characters",
			'Copy the API key again. It has spaces, line breaks or special characters.',
		);
	}
	const apiVersion = requireText('API Version', credential.apiVersion).trim();
	if (!/^\d{4}-\d{2}-\d{2}$/.test(apiVersion)) {
		throw new WorkspaceAutomationError(
			"'API Version' in the credential isn't a date",
			`Enter a date such as ${CURRENT_VERSION}.`,
		);
	}
	// n8n evaluates expressions within an object that someone saved by n8n's API, and never within a text.
	if (typeof (credential.overrides ?? '') === 'object') {
		throw new WorkspaceAutomationError(
			"'Overrides' in the credential isn't a text",
			'Save the JSON as text. Within an object, n8n would replace expressions by data of the workflow.',
		);
	}
	return { baseUrl: checkBaseUrl(credential.baseUrl), apiKey, apiVersion };
}
