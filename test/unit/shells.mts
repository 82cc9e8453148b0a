// Real shells that run many commands in a folder of their own, with programs that only say that they were run.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATHS = ['/bin', '/usr/bin', '/usr/local/bin'];

/** The shells of this machine. Bash is part of macOS and of nearly every Linux. zsh and mksh judge where they are installed. */
export const SHELLS = ['bash', 'dash', 'zsh', 'mksh'].flatMap((name) => {
	const path = PATHS.map((folder) => `${folder}/${name}`).find(existsSync);
	return path === undefined ? [] : [{ name, path }];
});

/** Programs that are functions of the shell that runs the commands, and files in the only folder that programs are searched in */
const PROGRAMS = ['rm', 'ls', 'echo', 'cat', 'npm', 'git', 'make', 'cp', 'grep', 'node', 'curl'];
/** Runs the words from the first that is a program: what no list has */
const RUN_ANY = `while [ $# -gt 0 ]; do case "$1" in ${PROGRAMS.join('|')}|/*) break;; esac; shift; done`;
/** Programs that run the rest of their words: how they skip their own options */
const WRAPPERS: Record<string, string> = {
	sudo: 'while [ "${1#-}" != "$1" ]; do [ "$1" != -u ] || shift; shift; done',
	env: 'while [ "${1#*=}" != "$1" ] || [ "$1" = -i ]; do shift; done',
	nohup: '',
	timeout: 'shift',
	// A coprocess never ends its input.
	xargs: 'read -r -t 1 line; [ $# = 0 ] || exec "$@" $line',
	rtk: RUN_ANY,
	apptainer: RUN_ANY,
};
const MAX_MS = 30_000;
const MAX_MS_EACH = 30;
/** Files in the folder in which the commands run */
const FILES = ['secrets/key', 'src/a.ts', 'build/x'];

const SETUP = (bin: string, work: string, log: string) => `
export PATH=${bin} HOME=/home/nobody LOG=${log} ID
ulimit -f 10000 2>/dev/null
log() { printf '%s\\037' "$ID" "$PWD" "$@" "$RS" >> "$LOG"; }
${PROGRAMS.map((name) => `${name}() { log ${name} "$@"; }`).join('\n')}
echo() { log echo "$@"; printf '%s\\n' "$*"; }
command_not_found_handle() { log "$@"; return 127; }
find() { while [ $# -gt 0 ]; do [ "$1" = -exec ] && { shift; "$@"; return; }; shift; done; }
attempt() {
	ID=$1
	( eval "$2"; wait ) </dev/null >/dev/null 2>&1
	cd ${work}
}
RS=$(printf '\\036')
export RS
cd ${work}
`;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A program that ran: its words, and its folder below that of the commands */
export interface Run {
	folder: string;
	words: string[];
}

/** Returns the programs that ran, for each command. */
async function runIn(shell: string, commands: readonly string[]): Promise<Run[][]> {
	const folder = mkdtempSync(join(tmpdir(), 'shell-'));
	try {
		const [bin, work, log] = ['bin', 'work', 'log'].map((name) => join(folder, name));
		for (const each of [bin, work, ...FILES.map((file) => join(work, file, '..'))])
			mkdirSync(each, { recursive: true });
		for (const file of FILES) writeFileSync(join(work, file), '');
		const write = (name: string, text: string) =>
			writeFileSync(join(bin, name), `#!${SHELLS[0].path}\n${text}\n`, { mode: 0o755 });
		for (const name of PROGRAMS)
			write(name, `printf '%s\\037' "$ID" "$PWD" "\${0##*/}" "$@" "$RS" >> "$LOG"`);
		for (const [name, skip] of Object.entries(WRAPPERS)) write(name, `${skip}\n[ $# = 0 ] || "$@"`);
		for (const name of ['sh', 'bash']) write(name, `exec ${shell} "$@"`);
		const lines = commands.map(
			(command, id) => `attempt ${id} ${quoted(command.replaceAll('@BIN@', bin))}`,
		);
		writeFileSync(join(folder, 'script'), [SETUP(bin, work, log), ...lines, ''].join('\n'));
		writeFileSync(log, '');
		const process = spawn(shell, [join(folder, 'script')], {
			cwd: work,
			env: {},
			timeout: MAX_MS + commands.length * MAX_MS_EACH,
			stdio: 'ignore',
		});
		await new Promise((resolve) => process.once('close', resolve));
		const runs = commands.map((): Run[] => []);
		for (const line of readFileSync(log, 'utf8').split('\x1f\x1e\x1f').slice(0, -1)) {
			const [id, at, ...words] = line.split('\x1f');
			runs[Number(id)]?.push({
				folder: at.startsWith(work) ? at.slice(work.length + 1) : at,
				words: words.map((word) => word.replaceAll(bin, '@BIN@').replaceAll(work, '@WORK@')),
			});
		}
		return runs;
	} finally {
		// A command in the background may still write.
		rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
	}
}

/**
 * Runs commands in a small folder, each in a subshell of its own, and by each shell. A program of theirs is one of the names above, or none.
 * `@BIN@` in a command is the folder of the programs.
 */
export async function runInShells(commands: readonly string[]): Promise<Run[][]> {
	const byShell = await Promise.all(SHELLS.map(({ path }) => runIn(path, commands)));
	return commands.map((_, at) => byShell.flatMap((runs) => runs[at]));
}
