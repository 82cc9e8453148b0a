import { UNKNOWN_PART } from './patterns';

// Programs that run other commands, as rules that deny or ask have to know them. All names are in lower case.

const listNames = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Words before a command that belong to the shell */
const SHELL_PREFIXES = listNames('if then else elif do while until ! {');

const SHELLS = listNames(
	'sh bash zsh dash ksh mksh ash fish csh tcsh busybox toybox pwsh powershell cmd',
);

/** Each later word can be the command that they run, and a quoted argument can be a command line. */
const RUNNERS = listNames(`
	sudo doas su runuser run0 pkexec gosu setpriv env command exec builtin nohup nice ionice time timeout gtimeout
	setsid stdbuf unbuffer chroot chrt taskset numactl watch xargs find fd strace ltrace gdb valgrind proot fakeroot
	flock script unshare nsenter systemd-run runcon ssh parallel entr setarch dbus-run-session xvfb-run caffeinate
	cpulimit prlimit start-stop-daemon eval trap coproc noglob nocorrect winpty faketime`);

/** The same, but a later word can be something else as well: `docker rm` deletes no file. */
const POSSIBLE_RUNNERS = listNames(`
	docker podman nerdctl kubectl oc lxc npx pnpx bunx uvx poetry pipx pipenv bundle nix nix-shell direnv tmux screen at
	batch dotenv cross-env concurrently nodemon onchange hyperfine perf just expect socat rsync mosh apptainer
	singularity flatpak snap wsl vagrant adb ansible tar make`);

/** They read or define commands in ways that aren't followed here. */
const OPAQUE_PROGRAMS = listNames(`
	eval trap coproc parallel ssh source alias function case select bind compgen complete mapfile readarray enable
	hash fc let`);

/** Arguments by which a program runs what the request doesn't show as a command */
const OPAQUE_ARGUMENTS: ReadonlyArray<[programs: RegExp, where: RegExp]> = [
	[/^env$/, / (?:-\w*s|--split)/],
	[/^xargs$/, / (?:-\w*[ij]|--replace)/],
	[/^find$/, / -(?:exec|ok)(?:dir)? \{\}/],
	[/^[gmn]?awk$/, /system|getline|\|/],
	[
		/^git$/,
		/ --(?:exec|upload-pack|receive-pack)| foreach | filter-branch | bisect run | -x |=(?:!|\uFFFF)/,
	],
	[
		/^(?:python|pypy|perl|ruby|node|php|lua|osascript|tclsh|deno|bun|rscript|julia|groovy)[\d.]*$/,
		/^\S+ (?:- |$|(?:-\S+ )*(?:-\w*[cer]|--eval|--print|eval)[ =])/,
	],
];

/** Whether a word stands before a command. Not every shell minds that the name of a variable is quoted. */
const isPrefix = (word: string): boolean => SHELL_PREFIXES.has(word) || /^[a-z_]\w*\+?=/.test(word);

/** An option whose value is a command */
const COMMAND_OPTION = /^--?(?:exec|execdir|ok|okdir|exec-batch)$/;

/** Words that can each be the command, behind a program that runs another */
const MAX_STARTS = 40;

/** Returns the name of a program without its folder. */
export const programName = (word: string): string => word.replace(/^.*[/\\](?=.)/su, '');

/** Returns how a program runs other commands, if it does. A name that only the shell knows can be any program. */
function readRunner(word: string): 'certain' | 'possible' | undefined {
	const name = programName(word);
	if (RUNNERS.has(name) || SHELLS.has(name)) return 'certain';
	return POSSIBLE_RUNNERS.has(name) || name.includes(UNKNOWN_PART) ? 'possible' : undefined;
}

/** Whether a shell's words say what it runs: a command after `-c`, or a script. Otherwise it reads its input. */
const showsScript = (words: readonly string[]): boolean =>
	words.some((word) => /^[-+]\w*c$/.test(word)) ||
	(words.length > 1 && !/^[-+<]|^\/dev\/|\uFFFF/.test(words[1]));

/** Returns what keeps a command from being read for certain, or undefined. */
function findOpaque(words: readonly string[]): string | undefined {
	const name = programName(words[0]);
	if (OPAQUE_PROGRAMS.has(name) || words[0] === '.') return name === '.' ? 'source' : name;
	if (SHELLS.has(name) && !showsScript(words)) return `${name} without a script`;
	if (name === 'xargs' && words.slice(1).some((word) => readRunner(word) !== undefined))
		return `${name} with ${words.slice(1).map(programName).find(readRunner)}`;
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

/** What a command's words say about the commands that it runs. */
export interface CommandReading {
	starts: CommandStart[];
	/** What can't be read for certain */
	doubts: string[];
	/** Whether a quoted argument can be a command line */
	runsText: boolean;
}

/** Returns where commands begin in a command's words: the command itself, and what it runs if it is `sudo` or the like. */
export function readCommand(words: readonly string[]): CommandReading {
	let first = 0;
	while (first < words.length - 1 && isPrefix(words[first])) first++;
	const starts = Array.from({ length: first + 1 }, (_, at) => ({ at, isCertain: true }));
	const runner = readRunner(words[first]);
	for (let at = first + 1; at < words.length; at++) {
		const isCommand = COMMAND_OPTION.test(words[at - 1]);
		if (runner || isCommand) starts.push({ at, isCertain: isCommand || runner === 'certain' });
	}
	const doubts = starts.slice(0, MAX_STARTS).flatMap(({ at }) =>
		// `find .` has a folder there.
		at > first && words[at] === '.' && !/^(?:command|builtin)$/.test(words[at - 1])
			? []
			: (findOpaque(words.slice(at)) ?? []),
	);
	if (starts.length > MAX_STARTS)
		doubts.push(`more than ${MAX_STARTS} words after ${words[first]}`);
	return { starts: starts.slice(0, MAX_STARTS), doubts, runsText: runner !== undefined };
}
