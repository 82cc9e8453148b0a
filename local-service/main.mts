// `npm run service`: the service from the command line.
import { parseArgs } from 'node:util';
import { createService, type RunningService } from './app.mts';
import { noProjectsToken } from './auth.mts';

const usage = `The Workspace Automation API on this machine.

  --port <n>    port to listen on, 0 for any free one (default 4010)
  --host <h>    address to listen on (default 127.0.0.1)
  --speed <n>   service seconds per second (default 1)
  --json        print one line of JSON once it is listening
  --help        print this`;

/** @throws Error with a sentence for the person at the keyboard */
function readNumber(name: string, text: string, isGood: (value: number) => boolean): number {
	const value = Number(text);
	if (text.trim() === '' || !isGood(value))
		throw new Error(`--${name} cannot be ${text || 'empty'}`);
	return value;
}

const greeting = ({ baseUrl, key, controlUrl }: RunningService) => `Workspace Automation API, local

  Base URL   ${baseUrl}
  Key        ${key}
  Versions   2026-10-05; 2026-08-21 for GET /custom-domains and GET /tasks/{taskId}
  Control    ${controlUrl}
  No access  ${noProjectsToken}  (a key without projects)

Everything is kept in memory and lost on exit. Press Ctrl-C to exit.`;

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			host: { type: 'string', default: '127.0.0.1' },
			speed: { type: 'string', default: '1' },
			json: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		console.log(usage);
		return;
	}
	const port = readNumber(
		'port',
		values.port,
		(value) => Number.isInteger(value) && value >= 0 && value < 65_536,
	);
	const speed = readNumber('speed', values.speed, (value) => value > 0 && Number.isFinite(value));
	const running = await createService({ speed }).start(port, values.host);
	const { baseUrl, key, controlUrl } = running;
	console.log(values.json ? JSON.stringify({ baseUrl, key, controlUrl }) : greeting(running));
	for (const signal of ['SIGINT', 'SIGTERM'] as const)
		process.once(signal, () => void running.close());
}

try {
	await main();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
