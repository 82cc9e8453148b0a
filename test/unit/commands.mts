// Shell commands from a grammar, for tests. It is about bash alone and knows nothing of rules.

/** Numbers that a seed determines (mulberry32) */
export function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const PLAIN = ['ls', 'echo', 'cat', 'npm', 'git', 'make', 'cp', 'grep', 'node'];

/** Returns a word in a form that a shell reads as this word. */
const SPELLINGS: Array<(word: string) => string> = [
	...Array.from({ length: 12 }, () => (word: string) => word),
	(word) => `"${word}"`,
	(word) => `'${word}'`,
	(word) => `${word[0]}'${word.slice(1)}'`,
	(word) => `''${word}`,
	(word) => `${word[0]}''${word.slice(1)}`,
	(word) => `\\${word}`,
	(word) => `${word[0]}\\\n${word.slice(1)}`,
	(word) => `$'${word}'`,
	(word) => `$'${word.slice(0, -1)}\\x${word.charCodeAt(word.length - 1).toString(16)}'`,
	(word) => `$'\\${word.charCodeAt(0).toString(8)}${word.slice(1)}'`,
	(word) => `$"${word}"`,
	(word) => `$(echo ${word})`,
	(word) => `\`echo ${word}\``,
	(word) => `\${none:-${word}}`,
	(word) => `$none ${word}`,
	(word) => `${word[0]}"$none"${word.slice(1)}`,
	(word) => `{${word},}`,
	(word) => `${word.slice(0, -1)}{${word.slice(-1)},}`,
];
/** A program can also be a file. */
const PROGRAM_SPELLINGS: Array<(name: string) => string> = [
	...SPELLINGS,
	(name) => `@BIN@/${name}`,
	(name) => `"@BIN@"/${name}`,
	(name) => `@BIN@/${name.slice(0, -1)}?`,
	(name) => `@BIN@/${name[0]}[${name[1]}]${name.slice(2)}`,
];

/** What rules deny, in forms that mean the same */
const DENIED: string[] = [
	...['rm x', 'rm', 'rm -rf x', 'rm -fr x', 'rm -r -f x', 'rm --recursive --force x'],
	...['rm -r --force x', 'rm --recur --fo x', 'rm x -rf', 'rm -vrf x', 'rm -R x -f'],
	...['git push', 'git push --force', 'git push -f', 'git push origin main --force'],
	...['git push origin -uf', 'git -C . push --forc', 'git --no-pager push -f', 'git push origin'],
	...['npm publish', 'npm pub', 'npm --silent publi', 'npm publish x', 'npm -s publish'],
	...['curl -X POST x', 'curl -XPOST x', 'curl --request POST x', 'curl --request=POST x'],
	...['curl x --req POST', 'curl -sX POST x', 'curl -sXPOST x'],
	...['cat secrets/key', 'cat ./secrets//key', 'cat x secrets/key', 'cat src/../secrets/key'],
	...['cat -n secrets/key', 'cd secrets; cat key', 'cd src && cat ../secrets/key'],
	...['cd secrets && cat ./key', 'cd secrets && cat k*', 'cat secrets/*', 'cat s*/k?y'],
	...['cat secrets/{key,x}', 'cd ./secrets\ncat x key', 'cd && cat secrets/key'],
	...['cd src/.. && cd secrets && cat key', 'pushd secrets && cat key', 'cat ../srv/secrets/key'],
];

const WORDS = [
	...['x', 'src', 'src/a.ts', 'build/x', '-rf', '-la', '--watch', '--', '-m', '-C', '--flag=val'],
	...['a..b', '.', '"two words"', "'a b'", 'a\\ b', "it\\'s", '"it\'s"', "'a; rm b'", '@scope/x'],
	...['./x', 'é', "''", 'HEAD~1', './...', 'https://a.example/x', '100%', 'a:b', 'a=b', 'x,y'],
	...['+x', 'rm', '"rm x"'],
];
/** Words that the shell turns into something else, or that lead elsewhere */
const SPECIAL_WORDS = [
	...['$HOME', '"$HOME"', '${HOME}', '*', '*.ts', '?', '[ab]', '{a,b}', '~', '~/x', '~root'],
	...['$none', '"$@"', '/abs', '"/abs"', "''/abs", '\\/abs', '--prefix=/etc', '-I/usr', 'a:/etc'],
	...['@/etc/x', 'file:///etc/x', '//x', '..', '../up', 'x/../y', '"../up"', ".'.'/up", '-C../x'],
	...['-C..', '--out=../x', 'a/..', '=ls', 'a,/b', '-- /abs', '--x=~', '-C~/x', "$'/abs'", "'~'"],
	...['"$(echo /abs)"', '`echo /abs`', '/./abs', '".."', '#x'],
];

const ASSIGNMENTS = ['A=1', "A='rm x'", 'A+=1', 'a=(x y)', 'a[0]=x', 'A=', 'A=$none', 'A=\\ x'];
const REDIRECTIONS = ['> f', '2>f', '>>f', '</dev/null', '&>f', '2>&1', '>|f', '{fd}>f', '<<<x'];

const WRAPPED: Array<(command: string) => string> = [
	...[
		...['sudo', 'sudo -u me', 'env -i A=1', 'nohup', 'timeout 5', '@BIN@/env', 'sudo nohup'],
		...['command', 'exec', 'exec -a x', 'eval', 'time', 'xargs', 'coproc', '!', 'builtin'],
		...['rtk', 'apptainer exec x', 'echo push --force | xargs'],
	].map((wrapper) => (command: string) => `${wrapper} ${command}`),
	(command) => `find . -exec ${command} \\;`,
	// Words that another program puts together
	(command) => `echo ${command.split(' ').slice(1).join(' ')} | xargs ${command.split(' ')[0]}`,
	(command) => `echo ${command} | xargs`,
	(command) => `rtk '${command.replaceAll("'", '')}'`,
	(command) => `rtk ${command} # ok`,
	(command) => `CI=1 ${command}`,
	(command) => `${command} > /dev/null 2>&1`,
	(command) => `ls src/*; ${command}`,
	(command) => `ls "a\\.b" && ${command}`,
	(command) => `ls && \\\n${command}`,
];

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const inDouble = (text: string) => `"${text.replace(/[\\"$`]/g, '\\$&')}"`;

/** Commands around a command */
const AROUND: Array<(command: string) => string> = [
	...[quote, inDouble].flatMap((put) => [
		(command: string) => `bash -c ${put(command)}`,
		(command: string) => `sh -c ${put(command)}`,
		(command: string) => `trap ${put(command)} EXIT`,
		(command: string) => `echo ${put(command)}`,
		(command: string) => `echo ${put(command)} | sh`,
		(command: string) => `sudo bash -c ${put(command)}`,
		(command: string) => `x=${put(command)}; eval "$x"`,
		(command: string) => `bash <(echo ${put(command)})`,
	]),
	(command) => `(${command})`,
	(command) => `{ ${command}; }`,
	(command) => `if true; then ${command}; fi`,
	(command) => `if ${command}; then ls; fi`,
	(command) => `for i in 1 2; do ${command}; done`,
	(command) => `case x in x) ${command};; esac`,
	(command) => `f() { ${command}; }; f`,
	(command) => `echo "$(${command})"`,
	(command) => `echo $(${command})`,
	(command) => `echo \`${command.replace(/[\\`$]/g, '\\$&')}\``,
	(command) => `cat <(${command})`,
	(command) => `cat <<EOF\n$(${command})\nEOF`,
	(command) => `cat <<'EOF'\nit's\nEOF\n${command}`,
	(command) => `cat <<EOF; ${command}\n'\nEOF`,
	(command) => `x=$(${command})`,
	(command) => `echo "\${none:-$(${command})}"`,
	(command) => `echo "\${none:-'}"; ${command}; echo "'}"`,
	(command) => `[[ -n "$(${command})" ]]`,
	(command) => `echo $((1+1)); ${command}`,
	(command) => `ls # it's\n${command}`,
	(command) => `coproc X { ${command}; }`,
	(command) => `a=(${command})`,
	(command) => `ls \\\n; ${command}`,
	(command) => `echo "#" ; ${command} # '`,
	(command) => `test -v 'a[$(${command.replaceAll("'", '')})]'`,
];

const JOINTS = ['; ', ' && ', ' || ', ' | ', '|', ';', '&&', '||', ' & ', '\n', '|&', '\r\n'];

/** Commands of which the program is known to the shell alone */
const BY_VARIABLE = [
	...['x=rm; $x y', 'x=rm; "$x" y', 'x="rm y"; $x', 'set -- rm x; "$@"', 'set -- rm x; $*'],
	...['x=r; ${x}m y', 'read x <<< rm; $x y', 'printf -v x rm; $x y', 'a=(rm x); "${a[@]}"'],
	...['x=RM; ${x,,} y', 'x=sudo; $x rm y', 'x=; $x rm y', 'a=(x rm); ${a[1]} y', 'x=arm; ${x#a} y'],
	...['x=y; y=rm; ${!x} z', "set -- r m; trap '$1$2 x' EXIT", 'set -- r m; $1$2 x'],
	...['set -- a rm; ${@:2} x', 'IFS=,; x=rm,y; $x', 'export x=rm; env $x y', 'x=`echo rm`; $x y'],
	...['mapfile -C "rm x" -c 1 a <<< y', 'compgen -C "rm x"', 'for x in rm; do $x y; done'],
];

export class Commands {
	private readonly random: () => number;

	constructor(random: () => number) {
		this.random = random;
	}

	pick<T>(list: readonly T[]): T {
		return list[Math.floor(this.random() * list.length)];
	}

	private chance(share: number): boolean {
		return this.random() < share;
	}

	private repeat(most: number, one: () => string): string[] {
		return Array.from({ length: Math.floor(this.random() * (most + 1)) }, one);
	}

	word(special: number): string {
		return this.pick(this.chance(special) ? SPECIAL_WORDS : WORDS);
	}

	/** Words of a command, now and then with what ends it or leads out of it */
	words(special: number): string {
		return this.repeat(4, () => this.word(special)).join(this.pick([' ', ' ', '  ', '\t']));
	}

	/** A denied command, with each of its words in another form now and then */
	denied(): string {
		const [program, ...words] = this.pick(DENIED).split(' ');
		const isBuiltin = ['cd', 'pushd'].includes(program);
		const spelled = (word: string) =>
			this.chance(0.15) && /^[\w-]{2,}$/.test(word) ? this.pick(SPELLINGS)(word) : word;
		const name = this.pick(isBuiltin ? SPELLINGS : PROGRAM_SPELLINGS)(program);
		return [name, ...words.map(spelled)].join(' ');
	}

	simple(): string {
		const isDenied = this.chance(0.6);
		const command = isDenied ? this.denied() : this.pick(PLAIN);
		const many = this.chance(0.05) ? 20 : 2;
		const before = this.chance(0.2) ? this.repeat(many, () => this.pick(ASSIGNMENTS)) : [];
		const first = this.chance(0.1) ? [this.pick(REDIRECTIONS)] : [];
		const last = this.chance(0.1) ? [this.pick(REDIRECTIONS)] : [];
		const words = isDenied && this.chance(0.6) ? '' : this.words(0.1);
		return [...first, ...before, command, words, ...last].filter(Boolean).join(' ');
	}

	/** A command of any form, with commands in it to some depth */
	command(depth = 2): string {
		const kind = this.random();
		if (kind < 0.08) return this.pick(BY_VARIABLE);
		if (depth === 0 || kind < 0.4) return this.simple();
		if (kind < 0.55) return this.pick(WRAPPED)(this.simple());
		if (kind < 0.8) return this.pick(AROUND)(this.command(depth - 1));
		return `${this.command(depth - 1)}${this.pick(JOINTS)}${this.command(depth - 1)}`;
	}
}
