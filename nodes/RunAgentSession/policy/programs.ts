import { UNKNOWN_PART } from './patterns';

// Programs that run other commands, for rules that deny or ask. All names are in lower case.

const listNames = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

const SHELL_PREFIXES = listNames('if then else elif do while until ! { and or not begin');

const SHELLS = listNames(
	'sh bash rbash zsh dash ksh mksh lksh ash yash posh fish csh tcsh elvish xonsh nu busybox toybox pwsh powershell cmd',
);

/** Each later word can be the command that they run, and a quoted argument can be a command line. */
const RUNNERS = listNames(`
	sudo doas su runuser run0 pkexec gosu setpriv env command exec builtin nohup nice ionice time timeout gtimeout
	setsid stdbuf unbuffer chroot chrt taskset numactl watch xargs find fd strace ltrace gdb valgrind proot fakeroot
	flock script unshare nsenter systemd-run runcon ssh parallel entr setarch dbus-run-session xvfb-run caffeinate
	cpulimit prlimit start-stop-daemon i386 x86_64 linux32 linux64 ssh-agent firejail bwrap chronic rlwrap eatmydata
	proxychains proxychains4 torsocks catchsegv sg eval trap coproc noglob nocorrect repeat winpty faketime`);

/** Like the programs above, but a later word can also be something else: `docker rm` deletes no file. */
const POSSIBLE_RUNNERS = listNames(`
	docker podman nerdctl kubectl oc lxc npx pnpx bunx uvx poetry pipx bundle nix nix-shell direnv tmux screen at
	batch uv hatch conda mise rye pdm dotenv cross-env concurrently nodemon onchange hyperfine perf just expect socat rsync mosh apptainer
	singularity flatpak snap wsl vagrant adb ansible tar make`);

/** Run none of their words. Any unlisted program may run some: `mytool rm x` can run `rm`. */
const INERT_PROGRAMS = listNames(`
	ls dir cat tac head tail wc nl echo print printf grep egrep fgrep rg ag ack which type whereis touch mkdir rmdir cp mv ln chmod
	chown chgrp stat file du df tree basename dirname realpath readlink pwd cd pushd popd true false : test [ [[ expr seq sleep date ps
	kill read export local declare typeset readonly unset set shopt return exit break continue shift wait for sort uniq cut tr paste join
	comm diff cmp rev tee dd md5sum sha256sum cksum base64 gzip gunzip jq yq curl git npm pnpm yarn bun pip pip3 pipenv brew apt apt-get
	apk dnf yum pacman gem nvm volta asdf pyenv rbenv`);

/** Inert programs that run a command after one of these words. `npm run x` runs only a script. */
const RUNNING_WORDS: ReadonlyArray<[programs: RegExp, where: RegExp, runs: Certainty]> = [
	[/^git$/, / config /, 'guess'],
	[/^(?:npm|pnpm|yarn|bun)$/, /^\S+ (?:(?!run\b)\S+ )*(?:exec|x|dlx|explore) /, 'possible'],
	[/^(?:pipenv|volta)$/, / run /, 'possible'],
	[/^(?:nvm|asdf|pyenv|rbenv)$/, / exec /, 'possible'],
];

/** Read or define commands in ways that this package doesn't follow */
const OPAQUE_PROGRAMS = listNames(`
	eval trap coproc parallel ssh source alias function case select bind compgen complete mapfile readarray enable
	hash fc let`);

const INTERPRETER =
	/^(?:i?python|pypy|perl|ruby|irb|node|nodejs|php|lua|luajit|osascript|tclsh|expect|guile|elixir|deno|bun|rscript|julia|groovy)[\d.]*$/;
/** Code as an argument, a file that only the shell knows, or no file, so that the program reads its input */
const INTERPRETED_CODE =
	/^\S+ (?:- |(?:-\S+ )*\uFFFF|(?:-(?!-?[vh]|-test)\S+ )*$|(?:-\S+ (?:[^-\s]\S* )?)*(?:-(?!m)\w*[ce]\w*\W|(?:-\w*[rp]|--eval|--print|eval)[ =]))/;

/** Arguments that run commands in a form that rules can't compare */
const OPAQUE_ARGUMENTS: ReadonlyArray<[programs: RegExp, where: RegExp]> = [
	[/^env$/, / (?:-\w*s|--split)/],
	[/^xargs$/, / (?:-\w*[ij]|--replace)/],
	[/^find$/, / -(?:exec|ok)(?:dir)? \{\}/],
	[/^[gmn]?awk$/, /system|getline|\||\uFFFF/],
	// The command `e`, and the flag of the command `s`
	[
		/^g?sed$/,
		/(?:^|[\s\d;{}$!/,'"])e(?:\s|$)|(?:^|[\s;{}])(?:[\d,$~+]+|\/[^/]*\/)[\s!]*e|[^\w\s-][gpim\d]*e[gpim\d]*(?:$|[;}\s])|\uFFFF/,
	],
	[
		/^git$/,
		/ --(?:ex(?:ec?|tc(?:md?)?)?[= ]|exec|upload-p|receive-p|open)| clone .*-u| foreach | filter-branch | bisect run | -x |=(?:!|\uFFFF)| -c \S*(?:pager|editor|command|helper|hookspath|fsmonitor|program|proxy|cmd|external|textconv)| ext::/,
	],
	// GNU programs also accept the beginning of an option's name.
	[/^tar$/, / -(?:-checkpoint-a|-to-c|-use|-rsh|-info|-new-v)/],
	[/^split$/, / --f/],
	[/^(?:rg|ag|ack)$/, / --(?:pre[= ]|pag|hostname-bin)/],
	[/^sort$/, / --co/],
	[/^(?:n?vim?|ex|ed|emacs)$/, / (?:-c|--cmd|--eval|\+(?!(?:\d+|\/[^|!]*) )|-s|-f)/],
	// These evaluate a variable's value as a number, or its name as that of another.
	[/^(?:declare|typeset|local|readonly|export|integer)$/, / (?:-\w*[in]|\w*[[\uFFFF])/],
	[/^(?:printf|test|\[|wait)$/, / -[vp] ?\w*(?:\[|\uFFFF)/],
	[/^(?:read|unset)$/, / \w+(?:\[|\uFFFF)/],
	[INTERPRETER, INTERPRETED_CODE],
];

/** Variables from which a shell or the dynamic linker reads commands. `ENV=production` is not a file of commands. */
const COMMAND_VARIABLE =
	/^(?:(?:bash_env|bash_func\w*|ps[04]|prompt_command|ld_preload|ld_audit|git_config_parameters|tar_options|makeflags|viminit|exinit)\b|env\+?=.*[/\uFFFF])/s;
/** Variables with a command for another program, such as `GIT_PAGER` */
const PROGRAM_VARIABLE =
	/^(?:\w*(?:pager|editor|askpass|browser|ssh_command)|visual|lessopen|lessclose|git_ssh|git_external_diff|git_proxy_command)$/;

const WRITERS = listNames('cp mv ln install tee dd curl wget rsync scp');

export const writesFiles = (program: string): boolean => WRITERS.has(program);
export const runsFiles = (program: string): boolean =>
	SHELLS.has(program) || INTERPRETER.test(program);

/** Reads an assignment: its value, `isCommand` if a program surely runs it, and the doubt about it. */
export function readAssignment(text: string): {
	value?: string;
	isCommand?: boolean;
	doubt?: string;
} {
	const [, name, value] = /^([a-z_]\w*)\+?=([^]*)$/.exec(text) ?? [];
	if (name === undefined) return {};
	if (COMMAND_VARIABLE.test(text)) return { doubt: `the variable ${name.toUpperCase()}` };
	return { value, isCommand: PROGRAM_VARIABLE.test(name) };
}

/** `--rsh=ssh`, `-essh`, `exec:ssh` */
const OPTION_VALUE = /^(?:-\w|-[-\w]*=|[\w.:]+=|\w+:+)(.+)$/s;

/** Returns the texts in an argument that a program may run: a command line, and the value of an option. */
export function listTexts(word: string): string[] {
	const [, value] = OPTION_VALUE.exec(word) ?? [];
	const isLine = COMMAND_LINE.test(word);
	return [...(isLine ? [word] : []), ...(value === undefined ? [] : [value])];
}

/** Returns whether a word belongs before a command. Some shells accept quotation marks in a variable's name. */
const isPrefix = (word: string): boolean => SHELL_PREFIXES.has(word) || /^[a-z_]\w*\+?=/.test(word);

const COMMAND_LINE = /[\s;&|<>()`$'"\\{}[\]*?~!]/;

const PRINTERS = /^(?:echo|print|printf)$/;

const COMMAND_OPTION = /^--?(?:exec|execdir|ok|okdir|exec-batch)$/;

/** Words before the command `.` */
const RUNS_SOURCE = /^(?:command|builtin|time)$/;

const MAX_STARTS = 40;

export const programName = (word: string): string => word.replace(/^.*[/\\](?=.)/su, '');

/** Run a command only after one of these options */
const FINDERS = /^(?:find|fd|fdfind)$/;
const FINDER_OPTION = /^--?(?:exec|ok|x)|\uFFFF/;

/** Certainty that a program runs its words. Doubts count with `possible`, but not with `guess`, for a program that isn't listed. */
export type Certainty = 'certain' | 'possible' | 'guess';

/** Returns the certainty that a program runs its words. A name that only the shell knows can be any program. */
function readRunner(word: string, words: readonly string[] = []): Certainty | undefined {
	const name = programName(word);
	if (FINDERS.test(name) && !words.some((each) => FINDER_OPTION.test(each))) return undefined;
	if (RUNNERS.has(name) || SHELLS.has(name)) return 'certain';
	if (POSSIBLE_RUNNERS.has(name) || name.includes(UNKNOWN_PART)) return 'possible';
	const line = `${words.join(' ')} `;
	const [, , runs] =
		RUNNING_WORDS.find(([programs, where]) => programs.test(name) && where.test(line)) ?? [];
	return INERT_PROGRAMS.has(name) ? runs : 'guess';
}

/** Returns whether a shell's words have its commands: after `-c`, or in a script. If not, it reads its input. */
const showsScript = (words: readonly string[]): boolean =>
	words.some((word) => /^[-+]\w*c$/.test(word)) ||
	(words.length > 1 && !/^[-+<;]|(?:^|\/)(?:dev|proc)\/|^stdin$|\uFFFF/.test(words[1]));

function findOpaque(words: readonly string[]): string | undefined {
	const name = programName(words[0]);
	if (OPAQUE_PROGRAMS.has(name) || words[0] === '.') return name === '.' ? 'source' : name;
	if (SHELLS.has(name) && !showsScript(words)) return `${name} without a script`;
	const isListed = (word: string) => !['guess', undefined].includes(readRunner(word, words));
	const ran = name === 'xargs' ? words.slice(1).find(isListed) : undefined;
	if (ran !== undefined) return `xargs with ${programName(ran)}`;
	const line = `${words.join(' ')} `;
	const isOpaque = OPAQUE_ARGUMENTS.some(
		([programs, where]) => programs.test(name) && where.test(line),
	);
	return isOpaque ? `code for ${name}` : undefined;
}

interface CommandStart {
	at: number;
	certainty: Certainty;
}

export interface CommandReading {
	starts: CommandStart[];
	doubts: string[];
	/** Certainty that the program runs its words, and that a quoted argument is a command line */
	runs?: Certainty;
}

/** Returns the place of a shell or an interpreter after an unlisted program, or the end. */
function findShell(words: readonly string[], first: number): number {
	const at = words.findIndex((word, index) => index > first && runsFiles(programName(word)));
	return at < 0 ? words.length : at;
}

/** Returns the places where commands begin. `isPassedOn`: another program gets the output, which may be a command. */
export function readCommand(words: readonly string[], isPassedOn: boolean): CommandReading {
	// `for i do ls; done` repeats the command for each argument.
	let first = words[0] === 'for' && /^(?:do|\{)$/.test(words[2] ?? '') ? 2 : 0;
	while (first < words.length - 1 && isPrefix(words[first])) first++;
	const before = Array.from({ length: first + 1 }, (_, at): CommandStart => ({
		at,
		certainty: 'certain',
	}));
	// `command -v ls` only describes the program.
	if (words[first] === 'command' && /^-p?v/.test(words[first + 1] ?? ''))
		return { starts: before, doubts: [] };
	const listed = readRunner(words[first], words);
	const runner = listed ?? (isPassedOn && PRINTERS.test(words[first]) ? 'guess' : undefined);
	const shell = listed === 'guess' ? findShell(words, first) : words.length;
	const after = words.flatMap((_, at): CommandStart[] => {
		if (at <= first) return [];
		if (COMMAND_OPTION.test(words[at - 1])) return [{ at, certainty: 'certain' }];
		if (runner !== 'guess') return runner ? [{ at, certainty: runner }] : [];
		if (at >= shell) return [{ at, certainty: 'possible' }];
		return [{ at, certainty: 'guess' }];
	});
	const starts = [...before, ...after].slice(0, MAX_STARTS);
	const doubts = starts
		.filter(({ certainty }) => certainty !== 'guess')
		// `find .` has a folder in this place.
		.filter(({ at }) => at <= first || words[at] !== '.' || RUNS_SOURCE.test(words[first]))
		.flatMap(({ at }) => findOpaque(words.slice(at)) ?? []);
	if (before.length + after.length > MAX_STARTS)
		doubts.push(`more than ${MAX_STARTS} words after ${words[first]}`);
	return { starts, doubts, runs: runner };
}
