// npm run dev: the editor of the pinned n8n with the package in it, which builds again whenever a source changes, against the local mock service.
import { cpSync, mkdtempSync, realpathSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { stopWhenInterrupted } from '../n8n-host/guarded.mts';
import { packagePlace, startHost } from '../n8n-host/host.mts';
import { build } from './build.mts';
import { setStage } from './demoStage.mts';
import { filledInExample } from './examples.mts';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['nodes', 'credentials'];
/** An editor saves several files at once. */
const SETTLE_MS = 200;

const step = (line: string) => console.log(styleText('dim', `- ${line}`));

/** Builds, and says so. Returns whether the package compiles. */
async function rebuild(): Promise<boolean> {
	step('building');
	try {
		await build();
	} catch (error) {
		console.log((error as Error).message);
		return false;
	}
	console.log(styleText('green', 'built: reload the page of the editor'));
	return true;
}

/** Calls `work` after each change of a source: once for changes that come together, and never twice at a time. */
function onChange(work: () => Promise<void>): void {
	let timer: NodeJS.Timeout | undefined;
	let working = Promise.resolve();
	const changed = () => {
		clearTimeout(timer);
		timer = setTimeout(() => (working = working.then(work)), SETTLE_MS);
	};
	for (const folder of SOURCES) watch(join(root, folder), { recursive: true }, changed);
}

const isInterrupted = stopWhenInterrupted(() => 0);

// n8n compares the real paths of files.
const userFolder = realpathSync(mkdtempSync(join(tmpdir(), 'n8n-dev-')));
process.once('exit', () => rmSync(userFolder, { recursive: true, force: true }));

try {
	const { host } = await setStage(step, {
		start: async ({ packageDir }) =>
			await startHost({ packageDir, userFolder, env: { N8N_DEV_RELOAD: 'true' } }),
	});
	const workflow = await host.importWorkflow(filledInExample('run-agent-session'));
	onChange(async () => {
		// n8n watches the files there and loads the nodes again.
		if (await rebuild())
			cpSync(join(root, 'dist'), join(packagePlace(root, userFolder), 'dist'), { recursive: true });
	});
	console.log(`
The editor is up, and follows the sources in ${SOURCES.join('/ and ')}/

Open       ${host.workflowUrl(workflow)}
Email      ${host.login.email}
Password   ${host.login.password}

Ctrl-C ends it; nothing is kept.
`);
	const code = await host.exited;
	throw new Error(`n8n ended with exit code ${code}:\n${host.tail()}`);
} catch (error) {
	// After Ctrl-C everything fails, and nobody wants to read how.
	if (!isInterrupted()) {
		console.error(
			`\n${styleText('red', 'It failed.', { stream: process.stderr })} ${(error as Error).message}`,
		);
		process.exit(1);
	}
}
