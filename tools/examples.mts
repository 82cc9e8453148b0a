// The workflows of examples/: as people import them, and ready to run against the local mock service.
import { readdirSync, readFileSync } from 'node:fs';
import { byId, fromList, type WorkflowFile, type WorkflowNode } from '../n8n-host/workflows.mts';

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

/** Choices in the lists of n8n's own nodes, by the name of the field */
const CHOSEN: Record<string, string> = {
	channelId: 'C012AB3CD',
	dataTableId: 'table-of-n8n',
	databaseId: '1f0e2d3c-4b5a-4697-8877-665544332211',
	documentId: 'sheet-of-prices',
	owner: 'agency',
	repository: 'site',
	sheetName: '0',
	siteId: firstSiteId,
};

/** The first project as the panel shows it, chosen from the list */
const firstProject = { ...fromList(firstProjectId), cachedResultName: 'Juniper Coffee' };

/** The names of all examples */
export const examples = (): string[] =>
	readdirSync(folder)
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.replace('.json', ''))
		.sort();

/** An example as people import it */
export const exampleWorkflow = (name: string): WorkflowFile =>
	JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

/** Returns an example filled in for the local mock service: its credential, first project and site, and choices from lists. */
export function filledInExample(name: string): WorkflowFile {
	const workflow = exampleWorkflow(name);
	for (const each of workflow.nodes) {
		const { parameters } = each;
		if (needsCredential(each))
			each.credentials = { workspaceAutomationApi: { id: null, name: credentialName } };
		for (const [field, value] of Object.entries(CHOSEN))
			if (parameters[field] === '') parameters[field] = value;
			else if (parameters[field]?.value === '') parameters[field] = byId(value);
		if (parameters.projectId?.value === '') parameters.projectId = { ...firstProject };
		const page = parameters.options?.preview?.page;
		if (page?.siteId === '') page.siteId = firstSiteId;
	}
	return workflow;
}
