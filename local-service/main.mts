// `npm run service`: the service from the command line.
import { parseArgs } from 'node:util';
import { createService, type RunningService } from './app.mts';
import { noProjectsToken } from './auth.mts';
import type { Overrides } from './dialects/dialect.mts';
import { dialectNames, dialects } from './dialects/index.mts';
import type { Lateness } from './lateness.mts';

const usage = `The Workspace Automation API on this machine.

  --port <n>    port to listen on, 0 for any free one (default 4010)
  --host <h>    address to listen on (default 127.0.0.1)
  --speed <n>   service seconds per second (default 1)
  --dialect <d> speak otherwise where the API document is silent; several names are
                separated by commas, and --dialects lists them
  --late <s>    show changes that many seconds late
  --json        print one line of JSON once it is listening
  --dialects    list the dialects
  --help        print this`;

/** @throws Error with a sentence for the person at the keyboard */
function readNumber(name: string, text: string, isGood: (value: number) => boolean): number {
	const value = Number(text);
	if (text.trim() === '' || !isGood(value))
		throw new Error(`--${name} cannot be ${text || 'empty'}`);
	return value;
}

/** The service's dialects, as the person who fills in the credential needs them. */
const dialectNote = (names: string[], overrides: Overrides) =>
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
	names: string[],
) => `Workspace Automation API, local

  Base URL   ${baseUrl}
  Key        ${key}
  Versions   2026-10-05; 2026-08-21 for GET /custom-domains and GET /tasks/{taskId}
  Control    ${controlUrl}
  No access  ${noProjectsToken}  (a key without projects)${dialectNote(names, overrides)}

Everything is kept in memory and lost on exit. Press Ctrl-C to exit.`;

/** `--late 5`: every kind of change shows five seconds late. */
function latenessOf(text: string | undefined): Partial<Lateness> {
	if (text === undefined) return {};
	const ms = 1000 * readNumber('late', text, (value) => value >= 0 && Number.isFinite(value));
	return { session: ms, turn: ms, resolution: ms, listed: ms };
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			host: { type: 'string', default: '127.0.0.1' },
			speed: { type: 'string', default: '1' },
			dialect: { type: 'string', default: '' },
			dialects: { type: 'boolean', default: false },
			late: { type: 'string' },
			json: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help || values.dialects) {
		console.log(values.help ? usage : dialectList());
		return;
	}
	const port = readNumber(
		'port',
		values.port,
		(value) => Number.isInteger(value) && value >= 0 && value < 65_536,
	);
	const speed = readNumber('speed', values.speed, (value) => value > 0 && Number.isFinite(value));
	const names = values.dialect
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
	const service = createService({ speed, dialects: names, lateness: latenessOf(values.late) });
	const running = await service.start(port, values.host);
	const { baseUrl, key, controlUrl, overrides } = running;
	console.log(
		values.json
			? JSON.stringify({ baseUrl, key, controlUrl, overrides })
			: greeting(running, names),
	);
	for (const signal of ['SIGINT', 'SIGTERM'] as const)
		process.once(signal, () => void running.close());
}

try {
	await main();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
