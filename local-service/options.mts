// Reads the command line.
import { parseArgs } from 'node:util';
import type { ServiceOptions } from './app.mts';
import type { Lateness } from './lateness.mts';

export const usage = `The Workspace Automation API on this machine.

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

/** `--late 5`: every kind of change shows five seconds late. */
function getLateness(text: string | undefined): Partial<Lateness> {
	if (text === undefined) return {};
	const ms = 1000 * readNumber('late', text, (value) => value >= 0 && Number.isFinite(value));
	return { session: ms, turn: ms, resolution: ms, listed: ms };
}

interface Options {
	/** Print this and end */
	print?: 'usage' | 'dialects';
	port: number;
	host: string;
	json: boolean;
	service: Required<Pick<ServiceOptions, 'speed' | 'dialects' | 'lateness'>>;
}

/**
 * @param args as typed, such as `['--port', '0', '--late', '5']`
 * @throws Error with a sentence for the person at the keyboard
 */
export function readOptions(args: string[]): Options {
	const { values } = parseArgs({
		args,
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
	return {
		print: values.help ? 'usage' : values.dialects ? 'dialects' : undefined,
		port: readNumber(
			'port',
			values.port,
			(value) => Number.isInteger(value) && value >= 0 && value < 65_536,
		),
		host: values.host,
		json: values.json,
		service: {
			speed: readNumber('speed', values.speed, (value) => value > 0 && Number.isFinite(value)),
			dialects: values.dialect
				.split(',')
				.map((name) => name.trim())
				.filter((name) => name !== ''),
			lateness: getLateness(values.late),
		},
	};
}
