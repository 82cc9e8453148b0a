// What each picture of docs/images/ shows, as a hash: `npm run screenshots` writes it beside the pictures, and a test compares it.
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { INodeTypeDescription } from 'n8n-workflow';
import './packageSources.mts';
import { examples, exampleWorkflow } from './examples.mts';

const { NOW, pageViews } = await import('../test/e2e/pageViews.mts');
const { renderPage } = await import('../nodes/RunAgentSession/page/html.ts');
const { RunAgentSession } = await import('../nodes/RunAgentSession/RunAgentSession.node.ts');
const { WorkspaceAutomation } =
	await import('../nodes/WorkspaceAutomation/WorkspaceAutomation.node.ts');
const { WorkspaceAutomationTrigger } =
	await import('../nodes/WorkspaceAutomationTrigger/WorkspaceAutomationTrigger.node.ts');

const file = new URL('../docs/images/shown.json', import.meta.url);

/** What the canvas shows of an example: its nodes, notes and connections */
function showCanvas(name: string): unknown {
	const { nodes, connections } = exampleWorkflow(name);
	const shown = nodes.map(({ name: node, type, position, parameters, disabled }) => {
		const { content, resource, operation } = parameters;
		return { node, type, position, disabled, content, resource, operation };
	});
	return { shown, connections };
}

/** What a panel shows: the labels, and what is chosen at first */
const showPanel = ({ properties }: INodeTypeDescription): unknown =>
	properties.map(({ displayName, type, default: chosen, displayOptions }) => ({
		displayName,
		type,
		chosen,
		displayOptions,
	}));

type View = keyof ReturnType<typeof pageViews>;
/** The words of the page */
const showPage = (view: View): string[] =>
	renderPage(pageViews()[view], NOW)
		.replaceAll(/<(style|script)>.*?<\/\1>|<[^>]*>/gs, ' ')
		.split(/\s+/);

const SHOWN: Record<string, () => unknown> = {
	'run-agent-session': () => showPanel(new RunAgentSession().description),
	'tool-settings': () => showPanel(new RunAgentSession().description),
	'workspace-automation': () => showPanel(new WorkspaceAutomation().description),
	analytics: () => showPanel(new WorkspaceAutomation().description),
	trigger: () => showPanel(new WorkspaceAutomationTrigger().description),
	'approval-page': () => (['one', 'two', 'sent', 'options', 'change'] as const).map(showPage),
	'approval-page-team': () => showPage('team'),
	'morning-summary': () =>
		exampleWorkflow('night')
			.nodes.filter(({ name }) => ['Summary line', 'Post the summary'].includes(name))
			.map(({ parameters }) => parameters),
	...Object.fromEntries(examples().map((name) => [`examples/${name}`, () => showCanvas(name)])),
};

/** Returns what each picture shows now, as a hash. */
export const shownNow = (): Record<string, string> =>
	Object.fromEntries(
		Object.entries(SHOWN).map(([name, show]) => [
			name,
			hash('sha256', JSON.stringify(show()), 'base64url').slice(0, 12),
		]),
	);

/** Returns what each picture showed when it was taken. */
export const shownWhenTaken = (): Record<string, string> => JSON.parse(readFileSync(file, 'utf8'));

/** Notes that these pictures have been taken now. */
export function noteTaken(isTaken: (name: string) => boolean): void {
	const now = shownNow();
	const noted = { ...shownWhenTaken() };
	for (const name of Object.keys(now)) if (isTaken(name)) noted[name] = now[name];
	writeFileSync(file, `${JSON.stringify(noted, null, '\t')}\n`);
}
