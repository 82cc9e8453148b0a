// A real bash that runs many commands in its own folder, with programs that only say that they were run.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BASH = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find(existsSync);
export const hasBash = BASH !== undefined;

/** Programs that are functions of the shell that runs the commands, and files in the only folder that programs are searched in */
const PROGRAMS = ['rm', 'ls', 'echo', 'cat', 'npm', 'git', 'make', 'cp', 'grep', 'node'];
/** Rules for programs that run the rest of their words: how they skip their own options */
const WRAPPERS: Record<string, string> = {
	sudo: 'while [ "${1#-}" != "$1" ]; do [ "$1" != -u ] || shift; shift; done',
	env: 'while [ "${1#*=}" != "$1" ] || [ "$1" = -i ]; do shift; done',
	nohup: '',
	nice: '[ "$1" != -n ] || shift 2',
	timeout: 'shift',
	stdbuf: 'shift',
	setsid: '',
	pkexec: '',
	xargs: '',
};

const SETUP = (bin: string, log: string) => `
export PATH=${bin} HOME=/home/nobody LOG=${log} ID
ulimit -f 1000 2>/dev/null
log() { builtin printf '%s\\037' "$ID" "$@" $'\\036' >> "$LOG"; }
${PROGRAMS.map((name) => `${name}() { log ${name} "$@"; }`).join('\n')}
echo() { log echo "$@"; builtin echo "$@"; }
command_not_found_handle() { log "$@"; return 127; }
find() { while (( $# )); do [[ $1 == -exec ]] && { shift; "$@"; return; }; shift; done; }
attempt() {
	ID=$1
	( eval "$2"; REPLY=$?; wait; exit $REPLY ) </dev/null >/dev/null 2>"$LOG.errors" || IFS= read -r -d '' REPLY <"$LOG.errors"
	[[ $REPLY != *'syntax error'* && $REPLY != *'unexpected EOF'* ]] || log '(unreadable)'
	REPLY=
}
`;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Result of a command: the programs that ran, each with its words */
export interface Trace {
	runs: string[][];
	isReadable: boolean;
}

async function runPart(commands: readonly string[]): Promise<Trace[]> {
	const folder = mkdtempSync(join(tmpdir(), 'shell-'));
	try {
		const [bin, work, log] = ['bin', 'work', 'log'].map((name) => join(folder, name));
		for (const each of [bin, work]) mkdirSync(each);
		const write = (name: string, text: string) =>
			writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
		for (const name of PROGRAMS)
			write(name, `printf '%s\\037' "$ID" "\${0##*/}" "$@" "$(printf '\\036')" >> "$LOG"`);
		for (const [name, skip] of Object.entries(WRAPPERS)) write(name, `${skip}\n[ $# = 0 ] || "$@"`);
		for (const name of ['sh', 'bash']) write(name, `exec ${BASH} "$@"`);
		const lines = commands.map(
			(command, id) => `attempt ${id} ${quoted(command.replaceAll('@BIN@', bin))}`,
		);
		writeFileSync(join(folder, 'script'), [SETUP(bin, log), ...lines, ''].join('\n'));
		writeFileSync(log, '');
		const bash = spawn(BASH!, ['--norc', '--noprofile', join(folder, 'script')], {
			cwd: work,
			env: {},
			timeout: 240_000,
			stdio: 'ignore',
		});
		await new Promise((resolve) => bash.once('close', resolve));
		const traces = commands.map((): Trace => ({ runs: [], isReadable: true }));
		for (const line of readFileSync(log, 'utf8').split('\x1e\x1f').slice(0, -1)) {
			const [id, ...words] = line.split('\x1f').slice(0, -1);
			if (words[0] === '(unreadable)') traces[Number(id)].isReadable = false;
			else traces[Number(id)].runs.push(words.map((word) => word.replaceAll(bin, '@BIN@')));
		}
		return traces;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/**
 * Runs commands in an empty folder, each in its own shell. A program of theirs is one of the names above, or none at all.
 * `@BIN@` in a command is the folder of the programs.
 */
export async function runInBash(commands: readonly string[]): Promise<Trace[]> {
	const half = Math.ceil(commands.length / 2);
	const parts = [commands.slice(0, half), commands.slice(half)];
	return (await Promise.all(parts.map(runPart))).flat();
}
