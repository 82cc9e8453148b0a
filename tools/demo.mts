// npm run demo: an agent session in the real n8n, against the local service, without an account.
// With --once it ends after the run; otherwise the editor stays up until Ctrl-C.
import { styleText } from 'node:util';
import type { Execution } from '../n8n-host/executions.mts';
import { stopWhenInterrupted } from '../n8n-host/guarded.mts';
import type { OwnHost } from '../n8n-host/host.mts';
import { watch } from './demoProgress.mts';
import { reportSession, type SessionItem } from './demoReport.mts';
import { setStage, type Stage } from './demoStage.mts';
import { filledInExample } from './examples.mts';

const NODE = 'Run Agent Session';
const RUN_TIMEOUT_MS = 300_000;
const once = process.argv.includes('--once');

const print = (line = '') => console.log(line);
const step = (line: string) => print(styleText('dim', `- ${line}`));
const title = (line: string) => print(`\n${styleText('bold', line)}`);

const isInterrupted = stopWhenInterrupted((signal) =>
	signal === 'SIGINT' && showingEditor ? 0 : 1,
);
/** From then on Ctrl-C is the way to end, not an interruption. */
let showingEditor = false;

async function runExample({ host, service }: Stage): Promise<string> {
	const workflowId = await host.importWorkflow(filledInExample('run-agent-session'));
	title('Running the workflow "Run an agent session"');
	const executionId = await host.run(workflowId);
	const ended = host.waitForExecution(executionId, { timeoutMs: RUN_TIMEOUT_MS });
	const execution = await watch(service, ended, print);
	const report = reportSession(completedItem(execution));
	title('Result');
	for (const line of report) print(line);
	return host.workflowUrl(workflowId);
}

/** The item that left by Completed; anything else is a failed demo. */
function completedItem(execution: Execution): SessionItem {
	if (execution.status !== 'success') {
		const { message, description } = execution.error ?? { message: 'no error was recorded' };
		throw new Error(
			[`The execution ended with "${execution.status}": ${message}`, description]
				.filter(Boolean)
				.join('\n'),
		);
	}
	const [item] = execution.items(NODE);
	if (!item) throw new Error(`No item left ${NODE} by its Completed output.`);
	return item as SessionItem;
}

async function showEditor({ host }: Stage<OwnHost>, workflowUrl: string): Promise<void> {
	const another = await host.importWorkflow(filledInExample('ask-a-human'));
	showingEditor = true;
	title('The editor is up');
	print(`Open       ${workflowUrl}`);
	print(`And        ${host.workflowUrl(another)}  (a human decides)`);
	print(`E-mail     ${host.login.email}`);
	print(`Password   ${host.login.password}`);
	print('\nCtrl-C ends it; nothing is kept.');
	const code = await host.exited;
	throw new Error(`n8n ended with exit code ${code}:\n${host.tail()}`);
}

try {
	title('Setting up');
	const stage = await setStage(step);
	try {
		const workflowUrl = await runExample(stage);
		if (!once) await showEditor(stage, workflowUrl);
	} finally {
		await stage.close();
	}
} catch (error) {
	// After Ctrl-C everything fails, and nobody wants to read how.
	if (!isInterrupted()) {
		console.error(
			`\n${styleText('red', 'The demo failed.', { stream: process.stderr })} ${(error as Error).message}`,
		);
		process.exitCode = 1;
	}
}
