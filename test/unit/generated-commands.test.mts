// Rules against real shells: commands from a grammar, run with programs that only say that they were run.
// GENERATED_COMMANDS=50000 SEED=7 npm test -- -i test/unit/generated-commands
import { beforeAll, describe, expect, test } from '@jest/globals';
import { decideRequest } from '../../nodes/RunAgentSession/requests/decisions.ts';
import { Commands, randomFrom } from './commands.mts';
import { policy, request, rule } from './policies.mts';
import { runInShells, SHELLS, type Run } from './shells.mts';

const SEED = Number(process.env.SEED ?? 34);
const COUNT = Number(process.env.GENERATED_COMMANDS ?? 3_000);
/** Programs are slow to start, so many commands get more time than other tests. */
const TIMEOUT_MS = 1_800_000;

const decision = (pattern: string, by: ReturnType<typeof policy>) =>
	decideRequest(request({ patterns: [pattern] }), by).decision;

/** Letters of short options */
const letters = (words: string[]) =>
	words.flatMap((word) => /^-([a-z]+)/i.exec(word)?.[1] ?? []).join('');
const hasLong = (words: string[], name: string, least: number) =>
	words.some(
		(word) => /^--/.test(word) && word.length > least && name.startsWith(word.split('=')[0]),
	);
const hasOption = (words: string[], letter: string, name: string) =>
	new RegExp(letter, 'i').test(letters(words)) || hasLong(words, name, 3);

/** Rules that deny, and whether a program that ran is what they deny */
const DENIALS: Array<
	[pattern: string, isDenied: (run: Run, program: string, words: string[]) => boolean]
> = [
	['rm *', (_, program) => program === 'rm'],
	[
		'rm -rf *',
		(_, program, words) =>
			program === 'rm' && hasOption(words, 'r', '--recursive') && hasOption(words, 'f', '--force'),
	],
	['git push *', (_, program, words) => program === 'git' && words.includes('push')],
	[
		'git push --force *',
		(_, program, words) =>
			program === 'git' && words.includes('push') && hasOption(words, 'f', '--force'),
	],
	[
		'npm publish *',
		(_, program, words) =>
			program === 'npm' && words.some((word) => word.length > 2 && 'publish'.startsWith(word)),
	],
	[
		'curl -X POST *',
		(_, program, words) =>
			program === 'curl' &&
			words.some(
				(word, at) =>
					/^-\w*XPOST$|^--req(?:u|ue|ues|uest)?=POST$/.test(word) ||
					(word === 'POST' && /^-\w*X$|^--req(?:u|ue|ues|uest)?$/.test(words[at - 1])),
			),
	],
	[
		'cat secrets/key',
		({ folder }, program, words) =>
			program === 'cat' &&
			words.some(
				(word) =>
					new URL(word, `file:///srv/${folder === '' ? '' : `${folder}/`}`).pathname ===
					'/srv/secrets/key',
			),
	],
];

const isDenied = (isIt: (typeof DENIALS)[number][1], run: Run): boolean => {
	const [program, ...words] = run.words;
	return isIt(run, program.slice(program.lastIndexOf('/') + 1), words);
};

const PATTERNS = [
	...['npm *', 'ls *', 'cat *', 'git *', 'make *', 'echo *', 'cp src/* build/*', 'rm build/*'],
	...['node *.js', 'grep -r * src', 'git commit -m *', 'npm run *', 'ls src/*', 'make --prefix=*'],
	...['git -C *', 'cat x?', 'ls * && npm *', 'cd *'],
];

/** Returns whether a word is outside of the current folder. In quotation marks, a space counts as a letter. */
const isOutside = (word: string) =>
	/^[/~]|[=:,@]\/(?!\/)|file:|^-\w*\/|(?:^|[^.\w\s])\.\.(?:\/|$)|^-\w*\.\.(?:\/|$)|\/home\/nobody/.test(
		word,
	);

const commands = new Commands(randomFrom(SEED));
const name = `${COUNT} commands of seed ${SEED} in ${SHELLS.map((shell) => shell.name).join(', ') || 'no shell of this machine'}`;

describe(`behind a denial, of ${name}`, () => {
	const list = [...new Set(Array.from({ length: COUNT }, () => commands.command()))];
	let runs: Run[][] = [];
	beforeAll(async () => {
		runs = await runInShells(list);
	}, TIMEOUT_MS);

	test.each(DENIALS)('%s: none that runs it is approved', (pattern, isIt) => {
		const denying = policy({
			rules: [rule('bash', pattern, 'deny'), rule('bash', '*', 'approve')],
		});
		const dangerous = list.filter((_, at) => runs[at].some((run) => isDenied(isIt, run)));
		if (SHELLS.length > 0) expect(dangerous.length).toBeGreaterThan(COUNT / 100);
		expect(dangerous.filter((each) => decision(each, denying) === 'approve')).toEqual([]);
	});

	test('many that run something else are approved', () => {
		const denying = policy({ rules: [rule('bash', 'rm *', 'deny'), rule('bash', '*', 'approve')] });
		const harmless = list.filter((_, at) => !runs[at].some((run) => isDenied(DENIALS[0][1], run)));
		const approved = harmless.filter((each) => decision(each, denying) === 'approve');
		expect(approved.length).toBeGreaterThan(COUNT / 10);
	});
});

describe(`a wildcard that approves, of ${name}`, () => {
	const approved = Array.from({ length: COUNT }, (): [pattern: string, command: string] => {
		const pattern = commands.pick(PATTERNS);
		const special = commands.pick([0, 0.1, 0.3]);
		const filled = pattern.replace(/[*?]/g, () =>
			commands.pick([
				() => commands.words(special),
				() => commands.word(special),
				() => commands.command(1),
			])(),
		);
		return [pattern, filled];
	}).filter(([pattern, command]) => {
		const by = policy({ rules: [rule('bash', pattern, 'approve')] });
		return decision(command, by) === 'approve';
	});
	let runs: Run[][] = [];
	beforeAll(async () => {
		runs = await runInShells(approved.map(([, command]) => command));
	}, TIMEOUT_MS);
	const getWrong = (isWrong: (run: Run, pattern: string) => boolean) =>
		approved.filter(([pattern], at) => runs[at].some((run) => isWrong(run, pattern)));

	test('approves no command that leaves the current folder', () => {
		expect(
			getWrong(({ words, folder }) => words.some(isOutside) || folder.startsWith('/')),
		).toEqual([]);
	});

	test('approves only the programs in its pattern', () => {
		expect(getWrong(({ words }, pattern) => words[0] !== pattern.split(' ')[0])).toEqual([]);
	});

	test('matches arguments at the end, or one argument that is no option', () => {
		const isOne = /^(?:rm build\/\*|ls src\/\*|node \*\.js|cat x\?)$/;
		expect(
			getWrong(
				({ words }, pattern) =>
					isOne.test(pattern) && (words.length !== 2 || words[1].startsWith('-')),
			),
		).toEqual([]);
	});

	test('approves many of the commands', () => {
		expect(approved.length).toBeGreaterThan(COUNT / 10);
	});
});
