// What a command prints while it works.
import { styleText } from 'node:util';
import { isProgress } from '../n8n-host/progress.mts';

/** Moves to the line before, and clears it. */
const REPLACE = '\u001b[1A\u001b[2K';

let isOnProgress = false;

/** Prints a step. In a terminal, progress takes the place of the progress before it. */
export function step(line: string): void {
	const replaces = process.stdout.isTTY && isOnProgress && isProgress(line);
	process.stdout.write(`${replaces ? REPLACE : ''}${styleText('dim', `- ${line}`)}\n`);
	isOnProgress = isProgress(line);
}

/** Prints why a command failed, with what to do first. */
export function printFailure(error: unknown, command: string): void {
	const { message } = error as Error;
	const [first, ...rest] = message.split('\n');
	console.error(
		[
			'',
			styleText('red', first, { stream: process.stderr }),
			...rest,
			'',
			`${command} failed.`,
		].join('\n'),
	);
}
