// Programs that can run others. Behind a rule that denies or asks, their commands go to an approver. docs/rules.md has this table.

export const RUNNERS: Record<string, string> = {
	'as another user or in another place':
		'sudo doas su runuser pkexec sg newgrp chroot nsenter unshare setpriv capsh runcon firejail bwrap proot fakeroot systemd-run ' +
		'systemd-nspawn machinectl run0 gosu su-exec sandbox-exec wsl wine arch',
	'around a command':
		'env xargs parallel sem nohup time timeout watch nice ionice chrt taskset stdbuf setsid setarch linux32 linux64 i386 x86_64 ' +
		'flock prlimit chronic unbuffer script rlwrap entr hyperfine cross-env dotenv concurrently npm-run-all nodemon forever pm2 ' +
		'run-parts start-stop-daemon dbus-run-session xvfb-run at batch crontab tmux screen dtach numactl caffeinate logsave ' +
		'systemd-inhibit systemd-cat choom ifne pee cpulimit cgexec torsocks proxychains faketime eatmydata sshpass tini dumb-init ' +
		'watchexec onchange chokidar xcrun fzf ldd coreutils xterm',
	'builtins of the shell':
		'exec eval command builtin source . alias trap bind complete compgen enable hash fc history jobs set shopt declare typeset local ' +
		'export readonly unset let read mapfile readarray getopts wait autoload zmodload zle vared sched emulate',
	shells:
		'sh bash rbash dash ash zsh ksh mksh yash osh ysh csh tcsh fish nu elvish xonsh pwsh powershell cmd start busybox toybox',
	languages:
		'node nodejs deno bun tsx ts-node zx python pypy ipython perl ruby irb php lua luajit tclsh wish expect r rscript julia java ' +
		'jshell groovy scala kotlin ghci runghc awk gawk mawk nawk sed m4 bc dc ed osascript gnuplot octave elixir iex erl sbcl guile ' +
		'racket swipl ocaml raku swift dart clojure bb vite-node babel-node',
	packages: 'npx bunx uvx pipx corepack',
	'other machines and containers':
		'ssh scp sftp ssh-agent rsh mosh autossh pdsh docker podman nerdctl kubectl oc lxc vagrant ansible ansible-playbook telnet ftp socat nc ncat',
	builds:
		'make bmake nmake ninja just task rake scons ant ld.so ld-linux ld-linux-x86-64.so ld-linux-aarch64.so ld-musl-x86_64.so ld-musl-aarch64.so',
	'editors and pagers':
		'vi vim vimdiff gvim view ex nvim emacs emacsclient vipe sensible-editor sensible-pager nano less more most man info bat',
	databases: 'psql mysql mariadb sqlite sqlite3 mongo mongosh',
	debuggers: 'gdb lldb strace ltrace perf valgrind rr',
};

/**
 * Programs that run others only with these words. `…` is any words between. Without it, the next word is an option before the
 * subcommand, or the subcommand itself. A long option also counts if it's shortened.
 */
export const RUNNERS_BY_WORD: Record<string, readonly string[]> = {
	find: ['… -exec', '… -execdir', '… -ok', '… -okdir', '… -delete'],
	fd: ['… -x', '… -X', '… --exec', '… --exec-batch'],
	git: [
		...['-c', '--config-env', '--exec-path', 'config', 'difftool', 'mergetool', 'filter-branch'],
		...['send-email', 'instaweb', 'web--browse', 'for-each-repo', 'bisect … run', 'hook … run'],
		...['submodule … foreach', 'grep … -O', 'grep … --open-files-in-pager', 'rebase … -x'],
		...['clone … -c', 'clone … --config', 'clone … -u', '… --exec', '… --upload-pack'],
		...['… --receive-pack', '… --ext-diff', '… --textconv', '… --template'],
	],
	rg: ['… --pre', '… --hostname-bin'],
	'ag ack ugrep': ['… --pager', '… --filter'],
	'tar bsdtar cpio': [
		...['… -I', '… -F', '… --to-command', '… --use-compress-program', '… --checkpoint-action'],
		...['… --info-script', '… --new-volume-script', '… --rsh-command', '… --rmt-command'],
	],
	rsync: ['… -e', '… --rsh', '… --rsync-path'],
	split: ['… --filter'],
	sort: ['… --compress-program'],
	install: ['… --strip-program'],
	'diff3 sdiff': ['… --diff-program'],
	zip: ['… -TT', '… --unzip-command'],
	'gcc g++ cc c++ clang': ['… -wrapper', '… -fplugin'],
	test: ['… -v'],
	printf: ['… -v'],
	tcpdump: ['… -z'],
	ip: ['… exec', '… exe', '… ex', '… e'],
	wget: ['… --use-askpass', '… -e', '… --execute'],
	aria2c: ['… --on-download-complete', '… --on-download-start', '… --on-download-stop'],
	'yt-dlp youtube-dl': ['… --exec', '… --downloader', '… --external-downloader'],
	npm: [
		...[
			'exec',
			'exe',
			'x',
			'explore',
			'… --script-shell',
			'… --shell',
			'… --node-options',
			'… --git',
		],
		...['… --editor', '… --browser', '… --viewer'],
	],
	yarn: ['dlx', 'exec', 'node', 'workspace … exec', 'workspace … node'],
	pnpm: ['dlx', 'exec'],
	go: ['run', 'generate', '… -exec', '… -toolexec', '… -vettool'],
	cargo: ['run', 'r', '… --config'],
	'dotnet nvm stack': ['run', 'exec'],
	cmake: ['-E', '-P'],
	mvn: ['exec:exec', 'exec:java'],
	'apt-get apt': ['… -o', '… --option'],
	pip: ['… --editor', '… --python'],
	'poetry pipenv conda mamba micromamba hatch pdm rye pixi rustup nix bazel zig heroku op doppler infisical dotenvx':
		['run'],
	uv: ['run', 'tool'],
	'bundle gem composer rbenv pyenv asdf direnv nx lerna volta fnm opam aws-vault chamber': ['exec'],
	mise: ['exec', 'x'],
	gh: ['alias', 'extension'],
	hg: ['… --config'],
	svn: ['… --editor-cmd', '… --diff-cmd', '… --diff3-cmd', '… --config-option'],
};

/** Programs that run an unknown subcommand as a program: `pnpm curl` */
const PASSING_ON = new Set(['pnpm']);

const ALWAYS = new Set(Object.values(RUNNERS).flatMap((names) => names.split(' ')));

interface Entry {
	/** True if its first word can't come after the subcommand */
	isEarly: boolean;
	words: string[];
}

const BY_WORD = new Map(
	Object.entries(RUNNERS_BY_WORD).flatMap(([programs, lines]) => {
		const entries = lines.map((line) => ({
			isEarly: !line.startsWith('…'),
			words: line.split(' ').filter((word) => word !== '…'),
		}));
		return programs.split(' ').map((program): [string, Entry[]] => [program, entries]);
	}),
);

/** Returns the name of a program without its folder, version and case: `python` for `/usr/bin/python3.12`. */
function programName(word: string): string {
	const name = word
		.slice(word.lastIndexOf('/') + 1)
		.toLowerCase()
		.replace(/\.(?:exe|cmd|bat)$/, '');
	let end = name.length;
	while (end > 1 && /[\d.-]/.test(name[end - 1])) end--;
	const bare = name.slice(0, end);
	// `gfind` is `find` where the system has another one.
	const names = [name, bare, ...(bare.startsWith('g') ? [bare.slice(1)] : [])];
	return names.find((each) => ALWAYS.has(each) || BY_WORD.has(each)) ?? bare;
}

/** Returns whether a program runs others with any arguments. */
export const isRunner = (program: string): boolean => ALWAYS.has(programName(program));

/** Returns whether any word of a part can be the program that runs. */
export const passesOn = (program: string): boolean => PASSING_ON.has(programName(program));

/** Returns how many characters of a word are the option or the subcommand of an entry, or 0. */
function entryLength(entry: string, word: string): number {
	if (!entry.startsWith('-')) return word.toLowerCase() === entry ? word.length : 0;
	if (entry.startsWith('--')) {
		const [name] = word.split('=', 1);
		return name.length > 2 && entry.startsWith(name) ? name.length : 0;
	}
	// `-exec` is also `--exec`, and a value can follow at once.
	const given = word.startsWith('--') ? word.slice(1) : word;
	if (entry.length > 2)
		return given.startsWith(entry) ? word.length - given.length + entry.length : 0;
	// Short options can be joined: `-lx`, `-xvalue`.
	const isJoined = /^-[^-]/.test(word) && word.includes(entry[1]);
	return isJoined ? word.length : 0;
}

/** Returns the place of the subcommand. A word after an option can be its value. */
function subcommandPlace(words: readonly string[]): number {
	const at = words.findIndex(
		(word, index) => index > 0 && !word.startsWith('-') && !/^-/.test(words[index - 1]),
	);
	return at < 0 ? words.length : at;
}

/**
 * Finds the words with which a program runs others.
 * @returns for each such word, its place and the length of its option or subcommand
 */
export function findRunningWords(words: readonly string[]): Map<number, number> {
	const found = new Map<number, number>();
	const program = programName(words[0]);
	const subcommand = subcommandPlace(words);
	for (const { isEarly, words: entry } of BY_WORD.get(program) ?? []) {
		let next = 0;
		for (let at = 1; at < words.length; at++) {
			if (isEarly && next === 0 && at > subcommand) break;
			// `tar xIf` is `tar -xIf`.
			const isBundle = program === 'tar' && at === 1 && !words[at].startsWith('-');
			const length = entryLength(entry[next], isBundle ? `-${words[at]}` : words[at]);
			if (length === 0) continue;
			if (next < entry.length - 1) next++;
			else found.set(at, Math.max(Math.min(length, words[at].length), found.get(at) ?? 0));
		}
	}
	return found;
}
