// npm run queue: n8n in queue mode on this machine, a main and two workers with the package, against the local mock service.
import { styleText } from 'node:util';
import { stopWhenInterrupted } from '../n8n-host/guarded.mts';
import { onSeveralMachines, setStage } from './demoStage.mts';
import { filledInExample } from './examples.mts';

const step = (line: string) => console.log(styleText('dim', `- ${line}`));

const isInterrupted = stopWhenInterrupted(() => 0);

try {
	const { host, close } = await setStage(step, { start: onSeveralMachines({ log: step }) });
	try {
		const workflows = ['create-then-continue', 'run-agent-session'].map(filledInExample);
		const [first, second] = await Promise.all(
			workflows.map(async (workflow) => host.workflowUrl(await host.importWorkflow(workflow))),
		);
		console.log(`
n8n is up: a main and ${host.workers.length} workers

Open       ${first}
And        ${second}
Email      ${host.login.email}
Password   ${host.login.password}

Ctrl-C ends it; nothing is kept.
`);
		const code = await host.exited;
		throw new Error(`The main ended with exit code ${code}:\n${host.tail()}`);
	} finally {
		await close();
	}
} catch (error) {
	// After Ctrl-C everything fails, and nobody wants to read how.
	if (!isInterrupted()) {
		console.error(
			`\n${styleText('red', 'It failed.', { stream: process.stderr })} ${(error as Error).message}`,
		);
		process.exitCode = 1;
	}
}
