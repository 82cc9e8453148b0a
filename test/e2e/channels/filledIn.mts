// An example as someone has filled it in who has read its note, with the credentials of the channels.
import type { Host } from '../../../n8n-host/host.mts';
import type { WorkflowFile } from '../../../n8n-host/workflows.mts';
import { CREDENTIAL, importCredentials } from './channelNodes.mts';
import { example } from '../support.mts';

const oauth = {
	clientId: 'client',
	clientSecret: 'secret',
	oauthTokenData: { access_token: 'token' },
};

/** The credential of each of n8n's own nodes in the examples */
const TYPES: Record<string, string> = {
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'openAiApi',
	'n8n-nodes-base.slack': 'slackApi',
	'n8n-nodes-base.slackHitlTool': 'slackApi',
	'n8n-nodes-base.gmail': 'gmailOAuth2',
	'n8n-nodes-base.github': 'githubApi',
	'n8n-nodes-base.githubTrigger': 'githubApi',
	'n8n-nodes-base.googleSheets': 'googleSheetsOAuth2Api',
	'n8n-nodes-base.notion': 'notionApi',
	'n8n-nodes-base.httpRequest': 'notionApi',
};

/** Data of these hosts, beside those of the channels */
const MORE: Record<string, object> = {
	openAiApi: { apiKey: 'none' },
	githubApi: { server: 'https://api.github.com', user: 'ada', accessToken: 'token' },
	googleSheetsOAuth2Api: oauth,
	notionApi: { apiKey: 'token' },
};

export async function importAllCredentials(host: Host): Promise<void> {
	await importCredentials(host);
	for (const [type, data] of Object.entries(MORE))
		await host.importCredential({
			name: CREDENTIAL,
			type,
			data: data as Record<string, unknown>,
		});
}

export function fillExample(
	name: string,
	changes: Record<string, Record<string, unknown>> = {},
): WorkflowFile {
	const file = example(name, changes);
	for (const node of file.nodes) {
		const type = TYPES[node.type];
		if (type) node.credentials = { [type]: { id: null, name: CREDENTIAL } };
	}
	return file;
}
