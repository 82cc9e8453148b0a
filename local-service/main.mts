// `npm run service`: the service from the command line.
import { ensureParts } from '../tools/parts.mts';
import { connectAfter } from './analytics/engine.mts';
import { createService, type RunningService } from './app.mts';
import { noProjectsToken } from './auth.mts';
import type { Overrides } from './dialects/dialect.mts';
import { dialectNames, dialects } from './dialects/index.mts';
import { readOptions, usage } from './options.mts';

/** The service's dialects, as the person who fills in the credential needs them. */
const dialectNote = (names: readonly string[], overrides: Overrides) =>
	names.length === 0
		? ''
		: `\n  Dialects   ${names.join(', ')}\n  Overrides  ${JSON.stringify(overrides)}`;

const dialectList = () =>
	dialectNames
		.map((name) => {
			const { summary, overrides } = dialects[name];
			return `  ${name.padEnd(26)}${summary}${overrides ? ' (needs overrides)' : ''}`;
		})
		.join('\n');

const greeting = (
	{ baseUrl, key, controlUrl, overrides }: RunningService,
	names: readonly string[],
) => `Workspace Automation API, local

  Base URL   ${baseUrl}
  Key        ${key}
  Versions   2026-10-05; 2026-08-21 for GET /custom-domains and GET /tasks/{taskId}
  Control    ${controlUrl}
  No access  ${noProjectsToken}  (a key without projects)${dialectNote(names, overrides)}

Everything is kept in memory and lost on exit. Press Ctrl-C to exit.`;

async function main(): Promise<void> {
	const { print, port, host, json, service } = readOptions(process.argv.slice(2));
	if (print) {
		console.log(print === 'usage' ? usage : dialectList());
		return;
	}
	const clickHouse = connectAfter(() => ensureParts(['clickHouse'], console.error));
	const running = await createService({ ...service, clickHouse }).start(port, host);
	const { baseUrl, key, controlUrl, overrides } = running;
	console.log(
		json
			? JSON.stringify({ baseUrl, key, controlUrl, overrides })
			: greeting(running, service.dialects),
	);
	for (const signal of ['SIGINT', 'SIGTERM'] as const)
		process.once(signal, () => void running.close());
}

try {
	await main();
} catch (error) {
	const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
	const advice = `Choose another port, such as with \`npm run service -- --port 0\`, because ${port} is in use.`;
	console.error(code === 'EADDRINUSE' ? advice : message);
	process.exitCode = 1;
}
