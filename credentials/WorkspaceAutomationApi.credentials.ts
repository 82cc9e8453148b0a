import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { CURRENT_VERSION, VERSION_HEADER } from '../nodes/shared/client/apiTypes';
import { loadCode, WorkspaceAutomationError } from '../nodes/shared/errors';

const loadReader = async () =>
	await loadCode(async () => await import('../nodes/shared/client/credential.ts'));

const responseCode = (value: number, message: string) => ({
	type: 'responseCode' as const,
	properties: { value, message },
});

const REDIRECT_MESSAGE =
	"The base URL answers with a redirect. If you trust its target, enter the target as the base URL. Redirects aren't followed, so that the API key goes nowhere else.";

/** Returns an expression, because n8n evaluates the test without our functions. n8n 1.123 can't parse a `catch` without a name. */
const overridden = (field: string, otherwise: string) =>
	`={{ (() => { try { const { listProjects } = JSON.parse($credentials.overrides || '{}'); return ${field} || ${otherwise}; } catch (error) { return ${otherwise}; } })() }}`;

/** Omits the values that a test doesn't have */
const FIXED_QUERY =
	'Object.fromEntries(Object.entries(listProjects.query || {}).filter((entry) => !/[{]/.test(JSON.stringify(entry[1]))))';

/** The names of each of n8n's ways to send a request. Covers the credential's test too. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	sendCredentialsOnCrossOriginRedirect: false,
};

const isSameHeader = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** n8n's HTTP Request node gives the address as `uri`, and its types don't have that. */
type AnyRequest = Pick<IHttpRequestOptions, 'baseURL'> & { url?: string; uri?: string };

/** @throws WorkspaceAutomationError if anything but the service's origin would get the key */
function requireOwnOrigin({ url, uri, baseURL }: AnyRequest, origin: string): void {
	const targets = [url, uri].filter((target) => target !== undefined);
	if (targets.length === 0) targets.push('');
	for (const target of targets) {
		const found = URL.canParse(target, baseURL)
			? new URL(target, baseURL).origin
			: 'an invalid URL';
		if (found === origin) continue;
		throw new WorkspaceAutomationError(
			`The API key isn't sent to ${found}`,
			`This credential is for ${origin} only. Use another credential for other addresses.`,
		);
	}
}

export class WorkspaceAutomationApi implements ICredentialType {
	name = 'workspaceAutomationApi';

	displayName = 'Workspace Automation API';

	icon: Icon = {
		light: 'file:../nodes/WorkspaceAutomation/workspaceAutomation.svg',
		dark: 'file:../nodes/WorkspaceAutomation/workspaceAutomation.dark.svg',
	};

	documentationUrl =
		'https://github.com/workspace-automation/n8n-nodes-workspace-automation#the-credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com/v1',
			description: 'Address of the API, ending in /v1',
		},
		{
			displayName: 'API Key',
			name: 'accessToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'A public API key, created in the settings of the service. It acts with the permissions of the person who created it.',
		},
		{
			displayName: 'API Version',
			name: 'apiVersion',
			type: 'string',
			default: CURRENT_VERSION,
			required: true,
			description:
				'Sent as Service-Api-Version. Operations that need another version send their own.',
		},
		{
			displayName: 'Overrides',
			name: 'overrides',
			type: 'json',
			default: '{}',
			description:
				'Corrections to requests, such as {"createAgentSession": {"body": {"input": "{prompt}"}}}',
			hint: 'Leave it unchanged unless the service refuses a request, or an error names an override',
			// The data of a workflow must not change what a decision says. n8n then evaluates no expression here.
			noDataExpression: true,
		},
	];

	// A function, because a request's own version header has to win, and nothing else can keep the key from other addresses.
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		const { readCredential } = await loadReader();
		const { baseUrl, apiKey, apiVersion } = readCredential(credentials);
		requireOwnOrigin(requestOptions, new URL(baseUrl).origin);
		const others = Object.entries(requestOptions.headers ?? {});
		const hasOwnVersion = others.some(([name]) => isSameHeader(name, VERSION_HEADER));
		return {
			...requestOptions,
			...NO_REDIRECTS,
			headers: {
				...(!hasOwnVersion && { [VERSION_HEADER]: apiVersion }),
				...Object.fromEntries(others.filter(([name]) => !isSameHeader(name, 'Authorization'))),
				Authorization: `Bearer ${apiKey}`,
			},
		};
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl }}',
			method: overridden('listProjects.method', "'GET'") as IHttpRequestMethods,
			url: overridden('listProjects.path', "'/projects'"),
			// Without our parameters, because the API document doesn't name those of this list.
			qs: overridden(FIXED_QUERY, '({})') as unknown as IDataObject,
			headers: { [VERSION_HEADER]: overridden('listProjects.version', '$credentials.apiVersion') },
		},
		rules: [
			...[301, 302, 303, 307, 308].map((status) => responseCode(status, REDIRECT_MESSAGE)),
			// The first character of a web page from a login or a proxy
			{
				type: 'responseSuccessBody',
				properties: {
					key: '0',
					value: '<',
					message:
						"The base URL answers with a web page instead of JSON. Check that it's the API's address, and that there's no proxy or login page in front of it.",
				},
			},
			...[400, 406, 422].map((status) =>
				responseCode(
					status,
					"The service refuses the request. Check 'API Version', and 'listProjects' under 'Overrides'.",
				),
			),
			responseCode(407, 'The proxy refused the connection. Check its user name and password.'),
			responseCode(
				401,
				"The API key was refused. Check that it is complete and still exists in the service's settings.",
			),
			responseCode(403, "The API key is valid, but doesn't allow listing projects."),
			responseCode(
				404,
				"The service answers 404 for the list of projects: either the base URL isn't the API's address, or the API key lacks the scope or the access to list projects. A key that is only meant for other operations may still work.",
			),
			// n8n takes rules of both kinds together, but types them apart.
		] as ICredentialTestRequest['rules'],
	};
}
