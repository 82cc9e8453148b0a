import { UNKNOWN_PART } from './patterns';

// Programs that run other commands, for rules that deny or ask. All names are in lower case.

const listNames = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Words before a command that belong to the shell */
const SHELL_PREFIXES = listNames('if then else elif do while until ! { and or not begin');

const SHELLS = listNames(
	'sh bash rbash zsh dash ksh mksh lksh ash yash posh fish csh tcsh elvish xonsh nu busybox toybox pwsh powershell cmd',
);

/** Programs of which each later word can be the command that they run, and a quoted argument can be a command line */
const RUNNERS = listNames(`
	sudo doas su runuser run0 pkexec gosu setpriv env command exec builtin nohup nice ionice time timeout gtimeout
	setsid stdbuf unbuffer chroot chrt taskset numactl watch xargs find fd strace ltrace gdb valgrind proot fakeroot
	flock script unshare nsenter systemd-run runcon ssh parallel entr setarch dbus-run-session xvfb-run caffeinate
	cpulimit prlimit start-stop-daemon eval trap coproc noglob nocorrect repeat winpty faketime`);

/** Programs like those above, of which a later word can also be something else: `docker rm` deletes no file */
const POSSIBLE_RUNNERS = listNames(`
	docker podman nerdctl kubectl oc lxc npx pnpx bunx uvx poetry pipx pipenv bundle nix nix-shell direnv tmux screen at
	batch dotenv cross-env concurrently nodemon onchange hyperfine perf just expect socat rsync mosh apptainer
	singularity flatpak snap wsl vagrant adb ansible tar make`);

/** Programs that read or define commands in ways that this package doesn't follow */
const OPAQUE_PROGRAMS = listNames(`
	eval trap coproc parallel ssh source alias function case select bind compgen complete mapfile readarray enable
	hash fc let`);

const INTERPRETER =
	/^(?:i?python|pypy|perl|ruby|irb|node|nodejs|php|lua|luajit|osascript|tclsh|expect|guile|elixir|deno|bun|rscript|julia|groovy)[\d.]*$/;
/** Code as an argument, or no file, so that the program reads its input */
const INTERPRETED_CODE =
	/^\S+ (?:- |(?:-(?!-?[vh]|-test)\S+ )*$|(?:-\S+ (?:[^-\s]\S* )?)*(?:-\w*[cerp]|--eval|--print|eval)[ =])/;

/** Arguments with which a program runs commands that the request doesn't show as commands */
const OPAQUE_ARGUMENTS: ReadonlyArray<[programs: RegExp, where: RegExp]> = [
	[/^env$/, / (?:-\w*s|--split)/],
	[/^xargs$/, / (?:-\w*[ij]|--replace)/],
	[/^find$/, / -(?:exec|ok)(?:dir)? \{\}/],
	[/^[gmn]?awk$/, /system|getline|\||\uFFFF/],
	// The command `e`, and the flag of the command `s`
	[/^g?sed$/, /(?:^|[\s\d;{}$!/,'"])e(?:\s|$)|[^\w\s-][gpim\d]*e[gpim\d]*(?:$|[;}\s])|\uFFFF/],
	[
		/^git$/,
		/ --(?:exec|upload-pack|receive-pack|extcmd)| foreach | filter-branch | bisect run | -x |=(?:!|\uFFFF)| -c \S*(?:pager|editor|command|helper|hookspath|fsmonitor|program|proxy|cmd|external|textconv)| ext::/,
	],
	[/^tar$/, / -(?:-checkpoint-action|-to-command|-use-compress|-rsh|-info|-new-volume)/],
	[/^split$/, / --filter/],
	[/^sort$/, / --compress-program/],
	[/^(?:n?vim?|ex|ed|emacs)$/, / (?:-c|--cmd|--eval|\+|-s|-f)/],
	// These evaluate a variable's value as a number, or its name as that of another.
	[/^(?:declare|typeset|local|readonly|export|integer)$/, / (?:-\w*[in]|\w*[[\uFFFF])/],
	[/^(?:printf|test|\[|wait)$/, / -[vp] ?\w*(?:\[|\uFFFF)/],
	[/^(?:read|unset)$/, / \w+(?:\[|\uFFFF)/],
	[INTERPRETER, INTERPRETED_CODE],
];

/** Variables that bash or the dynamic linker reads commands from */
const COMMAND_VARIABLE = /^(?:bash_env|bash_func\w*|ps[04]|prompt_command|ld_preload|ld_audit)\b/;
/** Variables with a command for another program, such as `GIT_PAGER` */
const PROGRAM_VARIABLE =
	/^(?:\w*(?:pager|editor|askpass|browser|ssh_command)|visual|lessopen|lessclose|git_ssh|git_external_diff|git_proxy_command)$/;

/** Programs that copy, link or write files that can be programs */
const WRITERS = listNames('cp mv ln install tee dd curl wget rsync scp');

export const writesFiles = (program: string): boolean => WRITERS.has(program);
export const runsFiles = (program: string): boolean =>
	SHELLS.has(program) || INTERPRETER.test(program);

/** Returns the command in the value of an assignment, and the reason why the assignment can't be read for certain. */
export function readAssignment(text: string): { command?: string; doubt?: string } {
	const [, name = '', value = ''] = /^([a-z_]\w*)\+?=([^]*)$/.exec(text) ?? [];
	if (COMMAND_VARIABLE.test(name)) return { doubt: `the variable ${name.toUpperCase()}` };
	return PROGRAM_VARIABLE.test(name) ? { command: value } : {};
}

/** Returns whether a word belongs before a command. Some shells accept quotation marks in the name of a variable. */
const isPrefix = (word: string): boolean => SHELL_PREFIXES.has(word) || /^[a-z_]\w*\+?=/.test(word);

/** An option whose value is a command */
const COMMAND_OPTION = /^--?(?:exec|execdir|ok|okdir|exec-batch)$/;

/** Words that can each be the command, after a program that runs another */
const MAX_STARTS = 40;

/** Returns the name of a program without its folder. */
export const programName = (word: string): string => word.replace(/^.*[/\\](?=.)/su, '');

/** Programs that run a command after one of these options only */
const FINDERS = /^(?:find|fd|fdfind)$/;
const FINDER_OPTION = /^--?(?:exec|ok|x)|\uFFFF/;

/** Returns the certainty with which a program runs other commands, if it does. A name that only the shell knows can be any program. */
function readRunner(
	word: string,
	words: readonly string[] = [],
): 'certain' | 'possible' | undefined {
	const name = programName(word);
	if (FINDERS.test(name) && !words.some((each) => FINDER_OPTION.test(each))) return undefined;
	if (RUNNERS.has(name) || SHELLS.has(name)) return 'certain';
	return POSSIBLE_RUNNERS.has(name) || name.includes(UNKNOWN_PART) ? 'possible' : undefined;
}

/** Returns whether a shell's words have its commands: after `-c`, or in a script. Otherwise it reads its input. */
const showsScript = (words: readonly string[]): boolean =>
	words.some((word) => /^[-+]\w*c$/.test(word)) ||
	(words.length > 1 && !/^[-+<;]|(?:^|\/)(?:dev|proc)\/|^stdin$|\uFFFF/.test(words[1]));

/** Returns the reason why a command can't be read for certain, or undefined. */
function findOpaque(words: readonly string[]): string | undefined {
	const name = programName(words[0]);
	if (OPAQUE_PROGRAMS.has(name) || words[0] === '.') return name === '.' ? 'source' : name;
	if (SHELLS.has(name) && !showsScript(words)) return `${name} without a script`;
	if (name === 'xargs' && words.slice(1).some((word) => readRunner(word, words) !== undefined))
		return `${name} with ${words
			.slice(1)
			.map(programName)
			.find((word) => readRunner(word, words))}`;
	const line = `${words.join(' ')} `;
	const isOpaque = OPAQUE_ARGUMENTS.some(
		([programs, where]) => programs.test(name) && where.test(line),
	);
	return isOpaque ? `code for ${name}` : undefined;
}

/** A place in a command's words where a command can begin. */
interface CommandStart {
	at: number;
	isCertain: boolean;
}

/** The commands that a command's words run. */
export interface CommandReading {
	starts: CommandStart[];
	/** Parts that can't be read for certain */
	doubts: string[];
	/** True if a quoted argument can be a command line */
	runsText: boolean;
}

/**
 * Returns the places where commands begin in a command's words: the command itself, and the command that it runs if it's `sudo` or a
 * similar program.
 */
export function readCommand(words: readonly string[]): CommandReading {
	// `for i do ls; done` repeats the command for each argument.
	let first = words[0] === 'for' && /^(?:do|\{)$/.test(words[2] ?? '') ? 2 : 0;
	while (first < words.length - 1 && isPrefix(words[first])) first++;
	const starts = Array.from({ length: first + 1 }, (_, at) => ({ at, isCertain: true }));
	// `command -v ls` only describes the program.
	if (words[first] === 'command' && /^-p?v/.test(words[first + 1] ?? ''))
		return { starts, doubts: [], runsText: false };
	const runner = readRunner(words[first], words);
	for (let at = first + 1; at < words.length; at++) {
		const isCommand = COMMAND_OPTION.test(words[at - 1]);
		if (runner || isCommand) starts.push({ at, isCertain: isCommand || runner === 'certain' });
	}
	const doubts = starts.slice(0, MAX_STARTS).flatMap(({ at }) =>
		// `find .` has a folder in this place.
		at > first && words[at] === '.' && !/^(?:command|builtin|time)$/.test(words[first])
			? []
			: (findOpaque(words.slice(at)) ?? []),
	);
	if (starts.length > MAX_STARTS)
		doubts.push(`more than ${MAX_STARTS} words after ${words[first]}`);
	return { starts: starts.slice(0, MAX_STARTS), doubts, runsText: runner !== undefined };
}
