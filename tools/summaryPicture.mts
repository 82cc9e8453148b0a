// The summary of a night, as a channel shows it: the example's own text, in a card instead of Slack.
import type { Stage } from './demoStage.mts';
import type { Page } from './editor/browser.mts';
import { filledInExample } from './examples.mts';

export const SUMMARY_WINDOW = { width: 640, height: 400 };

/** Scripts of the agents in the first three projects */
const NIGHT = [
	'[work 1s] [ask bash: npm run build] [say Two broken links repaired. The build passed.]',
	'[work 1s] [ask bash: git push] [say All links work. Nothing is published yet.]',
	'[work 1s] [fail The build ran out of memory.]',
];
const POST = 'Post the summary';

/** Runs the example from its first node to the summary, with a rule that denies, and returns the text for Slack. */
export async function readSummary({ host, service }: Stage): Promise<string> {
	const { projects, sites } = await service.control.seed();
	const workflow = filledInExample('night');
	const find = (name: string) => workflow.nodes.find((each) => each.name === name)!;
	const post = find(POST);
	const { text } = post.parameters;
	Object.assign(find('Every night'), {
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		parameters: {},
	});
	find('Sites').parameters.assignments.assignments = projects.map(({ id, name }) => ({
		id,
		name,
		value: sites.find(({ projectId }) => projectId === id)?.id ?? '',
		type: 'string',
	}));
	Object.assign(find('Projects').parameters, { returnAll: false, limit: NIGHT.length });
	Object.assign(find('Run Agent Session').parameters, {
		prompt: `={{ ${JSON.stringify(NIGHT)}[$itemIndex] }}`,
		defaultDecision: 'deny',
	});
	const { type, typeVersion } = find('Summary line');
	const assignments = [{ id: 'text', name: 'text', type: 'string', value: text }];
	Object.assign(post, { type, typeVersion, parameters: { assignments: { assignments } } });
	workflow.nodes = workflow.nodes.filter(({ name }) => name !== 'Wait until 7 am');
	delete workflow.connections['Wait until 7 am'];
	workflow.connections['Summary line'] = { main: [[{ node: POST, type: 'main', index: 0 }]] };
	const id = await host.run(await host.importWorkflow(workflow));
	const { runData } = await host.waitForExecution(id);
	return String(runData[POST]![0].data!.main[0]![0].json.text);
}

const STYLE = `
	body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: #1d1c1d; background: #fff; }
	main { padding: 16px; } b.name { margin-right: 8px; } small { color: #616061; }
	p { margin: 2px 0; white-space: pre-wrap; overflow-wrap: anywhere; } a { color: #1264a3; text-decoration: none; }
	@media (prefers-color-scheme: dark) {
		body { color: #d1d2d3; background: #1a1d21; } small { color: #ababad; } a { color: #1d9bd1; }
	}`;

/** Shows a text with Slack's signs for bold text. Addresses of the mock service get the name of an example. */
export async function showMessage(page: Page, text: string): Promise<void> {
	const html = text
		.replaceAll(/\*([^*\n]+)\*/g, '<b>$1</b>')
		.replaceAll(/http:\/\/127\.0\.0\.1:\d+(\S*)/g, '<a>https://workspace.example$1</a>');
	await page.setContent(
		`<style>${STYLE}</style><main><b class="name">n8n</b><small>7:00 AM</small><p>${html}</p></main>`,
	);
}
