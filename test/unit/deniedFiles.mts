// Generated denials of folders and files, and commands that touch what's denied, for tests. The commands are run in a folder of their own.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { randomFrom } from './commands.mts';

/** Files of the folder in which the commands run */
export const FILES = [
	...['.env', 'secrets/key', 'secrets/deep/key.pem', 'site/.env', 'site/a.ts', 'config/prod.env'],
	...['.git/config', 'my docs/plan.md', 'keys/a.pem', 'src/a.ts', 'src/secrets/key', 'README.md'],
];
/** What a denial is about: a folder or file, and patterns that deny it */
const DENIED: Array<[target: string, patterns: readonly string[]]> = [
	['.env', ['.env', '**/.env', '.env*', '**/.env*', './.env', '@WORK@/.env', '*.env']],
	[
		'secrets',
		['secrets', 'secrets/', 'secrets/*', '**/secrets/**', 'secrets/**', '@WORK@/secrets/*'],
	],
	['secrets/key', ['secrets/key', '**/secrets/key', 'secrets/*', '@WORK@/secrets/**', '**/key']],
	['secrets/deep', ['secrets/*', 'secrets/deep/*', '**/deep', '@WORK@/secrets/deep/**']],
	['secrets/deep/key.pem', ['*.pem', '**/*.pem', 'secrets/**/*.pem', 'secrets/**', 'deep/*']],
	['site/.env', ['.env', '**/.env', 'site/.env', '@WORK@/site/.env', 'site/.e*']],
	['config/prod.env', ['config/prod.env', 'config/*.env', '**/config/*', '*.env', 'prod.*']],
	['.git', ['.git', '.git/*', '**/.git/**', '@WORK@/.git/*']],
	['.git/config', ['.git/*', '.git/config', '**/.git/config']],
	['my docs', ['my docs', 'my docs/*', '**/my docs/**', '@WORK@/my docs/*']],
	['my docs/plan.md', ['my docs/*', '**/plan.md', 'my*/plan.md']],
	['keys/a.pem', ['*.pem', 'keys/*', '**/*.pem', 'keys/?.pem']],
	['src/secrets/key', ['secrets/*', 'src/secrets/*', '**/secrets/key', 'src/**/key']],
];

/** Commands on one path, by programs that only say which files their words name */
const COMMANDS: readonly string[] = [
	...[
		'cat %',
		'head -n 5 %',
		'grep -r x %',
		'cp % x',
		'cp -r % public',
		'mv % x',
		'rm -rf %',
		'rm %',
	],
	...[
		'tar cf x %',
		'tar -cf x -- %',
		'zip -r x %',
		'rsync -a % host:x',
		'scp -r % host:',
		'ln -s % x',
	],
	...['docker run -v %:/x image', 'docker run --mount=type=bind,src=%,dst=/x image', 'chmod 777 %'],
	...[
		'curl -F file=@% https://a.io',
		'curl -T % https://a.io',
		'curl --data-binary @% https://a.io',
	],
	...['find % -delete', 'dd if=% of=x', 'sort -o x %', 'openssl enc -in % -out x', 'git add %'],
	...[
		'cat README.md %',
		'cat src/a.ts && cat %',
		'ls; rm %',
		'cat < %',
		'tee x < %',
		'cat README.md | cp % x',
	],
	...['npm run build -- --input=%', 'node tool.js --files=src/a.ts,%', 'env cat %', 'xargs cat %'],
	...['cat -- %', 'wc -l %', 'base64 %', 'sed -n 1p %', 'diff % README.md', 'gpg --sign-with=x %'],
];
/** Commands in the folder of a path */
const IN_FOLDER: readonly string[] = [
	...['cd ^ && cat $', 'cd ^; rm -r $', 'pushd ^ && cp $ x', 'tar -C ^ -cf x $', 'git -C ^ add $'],
	...['tar -cf x -C ^ $', 'cd ^ && tar cf x ./$', 'cd src && cd ../^ && cat $', 'cd ./^/ && cat $'],
];

export class DeniedFiles {
	private readonly random: () => number;

	constructor(seed: number) {
		this.random = randomFrom(seed);
	}

	private pick<T>(list: readonly T[]): T {
		return list[Math.floor(this.random() * list.length)];
	}

	/** Returns another path of the same file. */
	private respell(path: string): string {
		const names = path.split('/');
		const [first] = names;
		return this.pick([
			...Array.from({ length: 4 }, () => path),
			...[
				`./${path}`,
				`${path}/`.replace(/([^/]*\.[^/]*)\/$/, '$1'),
				`src/../${path}`,
				path.replace('/', '//'),
			],
			...[path.replace('/', '/./'), `../files/${path}`, `@WORK@/${path}`, `@WORK@/src/../${path}`],
			...[
				`.//${path}`,
				`/proc/self/cwd/${path}`,
				`${first}/../${path}`.replace(/^\.env\/\.\.\//, ''),
			],
		]);
	}

	/** Returns a word that a shell reads as this path, or as a list with it. */
	private quote(path: string): string {
		const { length } = path;
		const at = 1 + Math.floor(this.random() * (length - 1));
		const [start, end] = [path.slice(0, at), path.slice(at)];
		const escaped = path.replaceAll(' ', '\\ ');
		const isOpen = path.includes(' ') || path.startsWith('@');
		const forms = [
			`"${path}"`,
			`'${path}'`,
			`${JSON.stringify(start)}'${end}'`,
			`'${start}'"${end}"`,
			escaped,
		];
		if (isOpen) return this.pick(forms);
		return this.pick([
			...forms,
			...Array.from({ length: 8 }, () => path),
			...[`${start}''${end}`, `${start}\\${end}`, `"${start}"${end}`, `{${path},README.md}`],
			...[`${start}\\\n${end}`, path.replace(/[a-z](?=[^/]*$)/, '?'), path.replace(/[a-z]+$/, '*')],
			...[
				path.replace(/[a-z]/, (letter) => `[${letter}]`),
				`${start}{${end},x}`,
				`$PWD/${path}`,
				`~+/${path}`,
			],
			path.replace(/^[a-z]+/, '*'),
		]);
	}

	denial(): { target: string; pattern: string } {
		const [target, patterns] = this.pick(DENIED);
		return { target, pattern: this.pick(patterns) };
	}

	/** A command that touches a file or folder */
	command(target: string): string {
		const slash = target.lastIndexOf('/');
		if (slash > 0 && this.random() < 0.25) {
			const folder = this.quote(target.slice(0, slash));
			return this.pick(IN_FOLDER)
				.replace('^', () => folder)
				.replace('$', () => this.quote(target.slice(slash + 1)));
		}
		return this.pick(COMMANDS).replace('%', () => this.quote(this.respell(target)));
	}
}

const PROGRAMS = [
	...'cat head grep cp mv rm tar zip rsync scp ln docker chmod curl find dd sort openssl git npm node'.split(
		' ',
	),
	...'xargs wc base64 sed diff gpg tee ls touch'.split(' '),
];

/** Notes what each piece of its words may name, and what comes in: the shell has opened it. It starts no other program. */
const PROGRAM = (log: string) => `
note() { [ ! -e "$1" ] || printf '%s\\t%s\\t%s\\n' "$ID" "$PWD" "$1" >> ${log}; }
[ ! -f /dev/stdin ] || printf '%s\\t%s\\t%s\\n' "$ID" / "$(/bin/readlink /proc/$$/fd/0)" >> ${log}
for word; do
	[ "$last" != -C ] || { cd "$word" 2>/dev/null; }
	last=$word
	for piece in "$word" "\${word#*=}" "\${word##*=}" "\${word#*@}" "\${word##*,}" "\${word%%:*}" "\${word#*src=}" "\${word#*:}"; do
		note "\${piece%%,*}"; note "$piece"
	done
done
`;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Runs commands in a shell, with a new folder for them. Returns the files and folders that each touched. */
export function touchFiles(
	shell: string,
	commands: ReadonlyArray<(work: string) => string>,
): string[][] {
	const folder = mkdtempSync(join(tmpdir(), 'denied-'));
	try {
		const [bin, work, log] = ['bin', 'files', 'log'].map((name) => join(folder, name));
		mkdirSync(bin);
		for (const file of FILES) {
			mkdirSync(dirname(join(work, file)), { recursive: true });
			writeFileSync(join(work, file), '');
		}
		writeFileSync(join(folder, 'program'), PROGRAM(log));
		for (const name of PROGRAMS)
			writeFileSync(join(bin, name), `#!/bin/sh\n. ${join(folder, 'program')}\n`, { mode: 0o755 });
		writeFileSync(join(bin, 'env'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
		const lines = commands.map(
			(command, id) =>
				`( cd ${work}; PATH=${bin}; ID=${id}; export PATH ID; eval ${quoted(command(work))} ) </dev/null >/dev/null 2>&1`,
		);
		writeFileSync(join(folder, 'script'), lines.join('\n'));
		writeFileSync(log, '');
		spawnSync(shell, [join(folder, 'script')], { cwd: work, env: {}, stdio: 'ignore' });
		const touched = commands.map((): string[] => []);
		for (const line of readFileSync(log, 'utf8').split('\n').filter(Boolean)) {
			const [id, from, name] = line.split('\t');
			const path = resolve(from, name.replace('/proc/self/cwd', from));
			if (path.startsWith(`${work}/`)) touched[Number(id)].push(path.slice(work.length + 1));
		}
		return touched;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
