import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { connectionOf, CURRENT_VERSION, VERSION_HEADER } from '../nodes/shared/connection';
import { Problem } from '../nodes/shared/problem';

const responseCode = (value: number, message: string) => ({
	type: 'responseCode' as const,
	properties: { value, message },
});

export class WorkspaceAutomationApi implements ICredentialType {
	name = 'workspaceAutomationApi';

	displayName = 'Workspace Automation API';

	icon: Icon = { light: 'file:workspaceAutomation.svg', dark: 'file:workspaceAutomation.dark.svg' };

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
			displayName: 'Access Token',
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
			displayName: 'Field Names',
			name: 'fieldNames',
			type: 'json',
			default: '{}',
			description:
				'Corrects names that the API documentation leaves open, such as {"sessionPrompt": "message"}',
			hint: 'Leave it as it is unless the service refuses requests because it calls a field differently',
		},
	];

	// A function and not a template, because a request's own version header has to win over the credential's and
	// because this is the one place that can keep the token from any other address.
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		const { baseUrl } = connectionOf(credentials);
		const target = new URL(requestOptions.url, requestOptions.baseURL);
		if (target.origin !== new URL(baseUrl).origin) {
			throw new Problem(
				`The access token is not sent to ${target.origin}`,
				`This credential is for ${new URL(baseUrl).origin} only. Use another credential for other addresses.`,
			);
		}
		return {
			...requestOptions,
			headers: {
				[VERSION_HEADER]: String(credentials.apiVersion).trim(),
				...requestOptions.headers,
				Authorization: `Bearer ${String(credentials.accessToken).trim()}`,
			},
		};
	};

	test: ICredentialTestRequest = {
		request: { baseURL: '={{$credentials.baseUrl}}', url: '/projects', qs: { limit: 1 } },
		rules: [
			responseCode(
				401,
				"The access token was refused. Check that it is complete and still exists in the service's settings.",
			),
			responseCode(403, 'The access token does not permit to list projects.'),
			responseCode(404, 'There is no such API at the base URL.'),
		],
	};
}
