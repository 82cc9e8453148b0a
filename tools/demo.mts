// npm run demo: an agent session without an account, against the local mock service. First Run Agent Session alone, in n8n's own engine, which
// is there already. Then, without `--once`, the editor of the real n8n, where the workflow continues from that result.
import { styleText } from 'node:util';
import type { IRun } from 'n8n-workflow';
import { stopWhenInterrupted } from '../n8n-host/guarded.mts';
import { build } from './build.mts';
import { watch } from './demoProgress.mts';
import { reportSession, type SessionItem } from './demoReport.mts';
import { printMessages } from './demoMessages.mts';
import { startLocalService, type LocalService } from './demoService.mts';
import { setStage } from './demoStage.mts';
import { filledInExample } from './examples.mts';
import { installHost } from './installAdvice.mts';
import { credentialFor } from '../local-service/caller.mts';
import { printFailure, step } from './terminal.mts';

const NODE = 'Run Agent Session';
/** The node after a completed session */
const NEXT = 'Result';
const workflow = filledInExample('run-agent-session');
const once = process.argv.includes('--once');
/** Tests have built the package, and others of them read it. */
const isBuilt = process.argv.includes('--built');

const print = (line = '') => console.log(line);
const title = (line: string) => print(`\n${styleText('bold', line)}`);

// The mock service is on this machine, where no proxy reaches it. npm still uses one.
for (const name of ['no_proxy', 'NO_PROXY'])
	process.env[name] = [process.env[name], '127.0.0.1', 'localhost'].filter(Boolean).join(',');

/** From then on Ctrl-C is the way to end, not an interruption. */
let hasShown = false;
const isInterrupted = stopWhenInterrupted((signal) => (signal === 'SIGINT' && hasShown ? 0 : 1));

/** Runs the example up to the session's end, and shows what it does and what comes of it. */
async function runExample(service: LocalService, building: Promise<void>): Promise<IRun> {
	// Loading n8n-core takes as long as building.
	const { runTo } = await import('../n8n-host/core.mts');
	await building;
	title(`Running the workflow "${workflow.name}"`);
	const run = await watch(service, runTo(workflow, NODE, credentialFor(service)), print);
	const report = reportSession(completedItem(run));
	title('Result');
	for (const line of report) print(line);
	hasShown = true;
	return run;
}

/** The item that left by Completed; anything else is a failed demo. */
function completedItem({ data: { resultData } }: IRun): SessionItem {
	const { error, data } = resultData.runData[NODE]?.at(-1) ?? { error: resultData.error };
	if (error) throw new Error([error.message, error.description].filter(Boolean).join('\n'));
	const [item] = data?.main[0] ?? [];
	if (!item) throw new Error(`No item left ${NODE} by its Completed output.`);
	return item.json as unknown as SessionItem;
}

async function showEditor(service: LocalService, run: IRun): Promise<void> {
	title('The editor comes next, with the same workflow. Press Ctrl-C when you have seen enough.');
	await installHost(step);
	const watching = new AbortController();
	const { host, close } = await setStage(step, { build: false, service });
	try {
		const workflowId = await host.importWorkflow(workflow);
		const executionId = await host.goOn(workflowId, run.data.resultData.runData, NEXT);
		await host.waitForExecution(executionId);
		const another = await host.importWorkflow(filledInExample('approve-on-a-page'));
		const url = host.workflowUrl(workflowId);
		title('The editor is up');
		print(`Open       ${url}`);
		print(`Result     ${url}/executions/${executionId}`);
		print(`And        ${host.workflowUrl(another)}  (a person decides on a page)`);
		print(`Email      ${host.login.email}`);
		print(`Password   ${host.login.password}`);
		print('\nWhen an agent needs an approval, its message and link appear here.');
		print('Ctrl-C ends the demo. Nothing is kept.');
		void printMessages(host, print, watching.signal);
		const code = await host.exited;
		throw new Error(`n8n ended with exit code ${code}:\n${host.tail()}`);
	} finally {
		watching.abort();
		await close();
	}
}

try {
	title('Setting up');
	step(`${isBuilt ? '' : 'building the package and '}starting the local mock service`);
	const building = isBuilt ? Promise.resolve() : build();
	building.catch(() => {}); // waited for below
	const service = await startLocalService(step);
	try {
		const run = await runExample(service, building);
		if (!once) await showEditor(service, run);
	} finally {
		await service.close();
	}
} catch (error) {
	// After Ctrl-C everything fails, and nobody wants to read how.
	if (!isInterrupted()) {
		printFailure(error, 'The demo');
		process.exitCode = 1;
	}
}
