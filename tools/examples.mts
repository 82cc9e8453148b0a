// The workflows of examples/: as people import them, and ready to run against the local mock service.
import { readdirSync, readFileSync } from 'node:fs';
import { byId, type WorkflowFile, type WorkflowNode } from '../n8n-host/workflows.mts';

const folder = new URL('../examples/', import.meta.url);

/** The name of the credential that fills the nodes of this package */
export const credentialName = 'Workspace Automation (local service)';

/** The nodes of this package that talk to the service: all but Try Rules with requests of an earlier item */
const needsCredential = ({ type, parameters }: WorkflowNode): boolean =>
	type.startsWith('n8n-nodes-workspace-automation.') && parameters.requestsFrom !== 'json';

/** The first project of the local mock service */
export const firstProjectId = 'd5397d9d-f2cd-4809-af6a-aae5a39dfb61';

/** A site of it */
const firstSiteId = '7a3150ca-14a5-4c42-aa3a-0cc5bf96c8fc';

/** Scripts for the agent of the local mock service, by example and node */
export const SCRIPTS: Record<string, Record<string, string>> = {
	'approve-in-slack': {
		'Run Agent Session':
			'[work 1s] [ask bash: git push + edit: index.html] [work 1s] [say The landing page is live.]',
	},
	'approve-on-a-page': {
		'Run Agent Session':
			'[work 1s] [ask bash: git push + edit: index.html] [work 1s] [say The landing page is live.]',
	},
	'ask-before-publishing': {
		'Run Agent Session':
			'[work 1s] [question Which headline? {fresh=Fresh coffee, daily=Open daily}] [change texts: Coffee => Fresh coffee] [ask edit: index.html] [ask bash: npm run publish] [say Not published.] [next turn] [ask bash: npm run publish -- --staging] [say Published to the staging site.]',
	},
	'broken-links': {
		'Run Agent Session':
			'[work 2s] [say One link is broken.] [next turn] [work 2s] [say {"output": {"brokenLinks": [{"page": "/about", "url": "https://example.com/team"}, {"page": "/blog", "url": "https://example.com/feed"}]}}]',
	},
	'check-then-hand-over': {
		'Run Agent Session':
			'[work 1s] [change content: => <a href="/abuot">About us</a>] [ask edit: index.html] [say The landing page has a new headline.] [next turn] [change content: => Fresh coffee] [ask edit: index.html] [say The link is repaired.]',
	},
	'create-then-continue': {
		'Create the session':
			'[work 10s] [ask bash: npm run build] [work 5s] [say 48 posts moved. The build passed.]',
	},
	'human-review': {
		'Run Agent Session': '[work 1s] [ask bash: git push] [work 1s] [say The landing page is live.]',
	},
	'plan-then-do': {
		'Write the plan':
			'[work 1s] [say Change the headline in index.html. Then run npm run build and git push.] [next turn] [work 1s] [ask bash: npm run build] [ask bash: git push] [say The landing page is live.]',
	},
	'rules-in-a-table': {
		'Run Agent Session':
			'[work 1s] [ask bash: git push] [work 1s] [say Three links repaired. The site is live.]',
	},
	'run-agent-session': {
		'Run Agent Session':
			'[work 2s] [ask bash: npm run build] [work 2s] [say The build passed. The landing page has a new headline and two compressed images.]',
	},
	'two-approvers': {
		'Run Agent Session': '[work 1s] [ask bash: git push] [work 1s] [say The landing page is live.]',
	},
};

/** Choices in the lists of n8n's own nodes, by the name of the field */
const CHOSEN: Record<string, string> = {
	channelId: 'C012AB3CD',
	dataTableId: 'table-of-n8n',
	databaseId: '1f0e2d3c-4b5a-4697-8877-665544332211',
	documentId: 'sheet-of-prices',
	owner: 'agency',
	projectId: firstProjectId,
	repository: 'site',
	sheetName: '0',
	siteId: firstSiteId,
};

/** The names of all examples */
export const examples = (): string[] =>
	readdirSync(folder)
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.replace('.json', ''))
		.sort();

/** An example as people import it */
export const exampleWorkflow = (name: string): WorkflowFile =>
	JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

/** Returns an example filled in for the local mock service: its credential, first project and site, choices from lists, and directives for its scripted agent. */
export function filledInExample(name: string): WorkflowFile {
	const workflow = exampleWorkflow(name);
	for (const each of workflow.nodes) {
		const { name: node, parameters } = each;
		if (needsCredential(each))
			each.credentials = { workspaceAutomationApi: { id: null, name: credentialName } };
		for (const [field, value] of Object.entries(CHOSEN))
			if (parameters[field] === '') parameters[field] = value;
			else if (parameters[field]?.value === '') parameters[field] = byId(value);
		const page = parameters.options?.preview?.page;
		if (page?.siteId === '') page.siteId = firstSiteId;
		const script = SCRIPTS[name]?.[node];
		if (script) parameters.prompt += `\n\n${script}`;
	}
	return workflow;
}
