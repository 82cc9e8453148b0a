// The workflows of examples/: as people import them, and ready to run against the local service.
import { readdirSync, readFileSync } from 'node:fs';
import type { WorkflowFile, WorkflowNode } from '../n8n-host/workflows.mts';

const folder = new URL('../examples/', import.meta.url);

/** The first project of the local service */
export const firstProjectId = 'd5397d9d-f2cd-4809-af6a-aae5a39dfb61';

/** A site of it */
const firstSiteId = '7a3150ca-14a5-4c42-aa3a-0cc5bf96c8fc';

/** What the scripted agent of the local service does with the prompt of a node, by example and node */
const SCRIPTS: Record<string, Record<string, string>> = {
	'approve-by-mail': {
		'Run Agent Session':
			'[work 1s] [ask bash: git push + edit: index.html] [work 1s] [say The landing page is live.]',
	},
	'approve-in-slack': {
		'Run Agent Session':
			'[work 1s] [ask bash: git push + edit: index.html] [work 1s] [say The landing page is live.]',
	},
	'approval-with-deadline': {
		'Run Agent Session':
			'[work 1s] [ask bash: git push + edit: index.html] [work 1s] [say The landing page is live.]',
	},
	'approve-on-a-page': {
		'Run Agent Session':
			'[work 1s] [ask bash: git push + edit: index.html] [work 1s] [say The landing page is live.]',
	},
	'ask-a-human': {
		'Run Agent Session': '[work 1s] [ask bash: git push] [work 1s] [say The landing page is live.]',
	},
	'brief-to-agent': {
		'Work on the brief':
			'[work 20s] [ask bash: npm run build] [say The page is ready. The build passed.]',
	},
	'create-then-continue': {
		'Create the session':
			'[work 10s] [ask bash: npm run build] [work 5s] [say 48 posts moved. The build passed.]',
	},
	'human-review': {
		'Run Agent Session': '[work 1s] [ask bash: git push] [work 1s] [say The landing page is live.]',
	},
	'long-session': {
		'Run Agent Session':
			'[work 4m] [ask bash: npm run build] [work 30s] [say 212 pages checked, 3 links repaired. The build passed.]',
	},
	'nightly-content-check': {
		'Check the content':
			'[work 20s] [ask bash: npm run check-links] [work 10s] [say 42 pages read. /pricing links to a page that is gone; two images on /about have no description.]',
	},
	'run-agent-session': {
		'Run Agent Session':
			'[work 2s] [ask bash: npm run build] [work 2s] [say The build passed. The landing page has a new headline and two compressed images.]',
	},
	'upload-and-use': {
		'Let the agent use it':
			'[work 4s] [ask bash: npm run build] [work 4s] [say The page is as the brief wants it. The build passed.]',
	},
	'weekly-digest': {
		'Write the digest':
			'[work 20s] [say {{ $json.data[0].source }} brought the most sessions: {{ $json.data[0].sessions }}, after {{ $json.data[0].sessions_before }} in the week before.]',
	},
};

/** What else has to be filled in, by example and node */
const PLACES: Record<string, Record<string, WorkflowNode['parameters']>> = {
	'approve-several': {
		Jobs: {
			jsonOutput: JSON.stringify({
				jobs: [
					'Publish the landing page. [work 1s] [ask bash: git push] [say The landing page is live.]',
					'Tidy up the blog. [work 1s] [ask bash: rm -rf drafts] [say The blog is tidy.]',
					'Build the shop. [work 1s] [ask bash: npm run build] [say The shop is built.]',
				],
			}),
		},
	},
	'brief-to-agent': {
		'A brief arrives': {
			projectIds: [firstProjectId],
			parentId: { __rl: true, mode: 'id', value: '7d569d0c-4b41-4d26-ad22-55a5ec1fa73c' },
		},
	},
	'client-mail': {
		'Create the preview': { siteId: firstSiteId },
	},
	'stale-domain-alert': {
		'A domain changes': { siteId: firstSiteId },
	},
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

/** An example filled in for the local service: its first project where none is chosen, what else is to be filled in, and directives for its scripted agent. */
export function filledInExample(name: string): WorkflowFile {
	const workflow = exampleWorkflow(name);
	for (const { name: node, parameters } of workflow.nodes) {
		if (parameters.projectId?.value === '')
			parameters.projectId = { __rl: true, mode: 'id', value: firstProjectId };
		Object.assign(parameters, PLACES[name]?.[node]);
		const script = SCRIPTS[name]?.[node];
		if (script) parameters.prompt += `\n\n${script}`;
	}
	return workflow;
}
