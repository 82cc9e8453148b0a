import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../errors';
import { requireText } from '../validation';
import { isThisMachine } from '../values';
import { readOverrides } from './overrides';

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
			'Enter a date such as 2026-10-05.',
		);
	}
	// n8n evaluates expressions within an object that someone saved by n8n's API, and never within a text.
	if (typeof (credential.overrides ?? '') === 'object') {
		throw new WorkspaceAutomationError(
			"'Overrides' in the credential isn't a text",
			'Save the JSON as text. Within an object, n8n would replace expressions by data of the workflow.',
		);
	}
	const baseUrl = checkBaseUrl(credential.baseUrl);
	return { baseUrl, apiKey, apiVersion, overrides: readOverrides(credential.overrides) };
}

// Removes the API key before anything is shown or logged, because a service may echo it. The service has the key anyway, so encodings in
// encodings aren't searched.

const REDACTED = '[API key]';

/** A shorter piece of base64 could be part of any text. */
const MIN_BASE64_LENGTH = 10;

/** Returns the base64 of the secret at each byte offset, without the characters that it shares with its neighbors. */
function base64Forms(secret: string): string[] {
	const bytes = Buffer.byteLength(secret);
	const forms = [0, 1, 2].map((offset) => {
		const encoded = Buffer.from(`${'\0'.repeat(offset)}${secret}`).toString('base64');
		return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes) * 4) / 3));
	});
	return forms.filter((form) => form.length >= MIN_BASE64_LENGTH);
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const hexPattern = (character: string): string =>
	character
		.charCodeAt(0)
		.toString(16)
		.padStart(2, '0')
		.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** Matches base64 for URLs too, in which two characters differ. */
const base64Pattern = (form: string): string =>
	form.replaceAll('+', '[+-]').replaceAll('/', '[/_]');

export interface Redactor {
	/** Redacts the key as it is, with any of its characters percent-encoded, in base64 and in hex, in linear time */
	redact(text: string): string;
	/** Returns whether a JSON text may have the key. */
	mayBeIn(json: string): boolean;
}

/** @param secret printable ASCII */
export function createRedactor(secret: string): Redactor {
	const characters = [...secret];
	const forms = [
		characters.map((each) => `(?:${escapeRegExp(each)}|%${hexPattern(each)})`).join(''),
		characters.map(hexPattern).join(''),
		...base64Forms(secret).map(base64Pattern),
	].join('|');
	const [every, any] = [new RegExp(forms, 'g'), new RegExp(forms)];
	const hidden = `"\\/`.split('').filter((each) => secret.includes(each));
	const escapes = new RegExp(
		['u00', ...hidden].map((each) => `\\\\${escapeRegExp(each)}`).join('|'),
	);
	return {
		redact: (text) => text.replace(every, REDACTED),
		mayBeIn: (json) => any.test(json) || escapes.test(json),
	};
}

/** Redacts the texts, numbers and names of a JSON value, however deep it is. Changes objects and lists themselves. */
export function redactValue(value: unknown, redact: Redactor['redact']): unknown {
	const clean = (each: unknown): unknown => {
		if (typeof each !== 'string' && typeof each !== 'number') return each;
		const text = redact(String(each));
		return text === String(each) ? each : text;
	};
	const root: Record<string, unknown> = { value };
	const left: Array<Record<string, unknown> | unknown[]> = [root];
	const cleanInside = (each: unknown): unknown => {
		if (typeof each === 'object' && each !== null) left.push(each as typeof root);
		return clean(each);
	};
	for (let inside = left.pop(); inside; inside = left.pop()) {
		if (Array.isArray(inside))
			for (let at = 0; at < inside.length; at++) inside[at] = cleanInside(inside[at]);
		else
			for (const name of Object.keys(inside)) {
				const [cleanName, each] = [redact(name), cleanInside(inside[name])];
				if (cleanName !== name) delete inside[name];
				inside[cleanName] = each;
			}
	}
	return root.value;
}
