// Rules against a real bash: commands from a grammar, run with programs that only say that they were run.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { decideRequest } from '../../nodes/RunAgentSession/policy/rules.ts';
import { hasBash, runInBash, type Trace } from './bash.mts';
import { Commands, randomFrom } from './commands.mts';
import { policy, request, rule } from './policies.mts';

const SEED = 34;
/** Programs are slow to start, so many commands get more time than other tests. */
const TIMEOUT_MS = 300_000;

const decision = (pattern: string, by: ReturnType<typeof policy>) =>
	decideRequest(request({ patterns: [pattern] }), by).decision;

/** Bash is part of macOS and of nearly every Linux. Without it, nothing is run, and the name of a test says so. */
const run = async (list: readonly string[]): Promise<Trace[]> =>
	hasBash ? await runInBash(list) : [];

function testDenials(commands: Commands, count: number): void {
	const denying = policy({ rules: [rule('bash', 'rm *', 'deny'), rule('bash', '*', 'approve')] });
	const unique = [...new Set(Array.from({ length: count * 3 }, () => commands.command()))];
	let dangerous: string[] = [];
	let harmless: string[] = [];
	const runsRm = ({ runs }: Trace) => runs.some(([program]) => /(?:^|\/)rm$/.test(program));
	beforeAll(async () => {
		const traces = await run(unique);
		dangerous = unique.filter((_, at) => traces[at] && runsRm(traces[at]));
		harmless = unique.filter((_, at) => traces[at] && !runsRm(traces[at]));
	}, TIMEOUT_MS);

	const name = hasBash ? `${count} commands that run rm` : 'nothing: this machine has no bash';
	test(`approve none of ${name}`, () => {
		if (hasBash) expect(dangerous.length).toBeGreaterThanOrEqual(count);
		expect(dangerous.filter((each) => decision(each, denying) === 'approve')).toEqual([]);
	});

	test('approve many of the commands that are plain words', () => {
		const approved = harmless.filter((each) => decision(each, denying) === 'approve');
		if (hasBash) expect(approved.length).toBeGreaterThan(count / 50);
	});
}

const PATTERNS = [
	...['npm *', 'ls *', 'cat *', 'git *', 'make *', 'echo *', 'cp src/* build/*', 'rm build/*'],
	...['node *.js', 'grep -r * src', 'git commit -m *', 'npm run *', 'ls src/*', 'make --prefix=*'],
	...['git -C *', 'cat x?', 'ls * && npm *'],
];

function testWildcards(commands: Commands, count: number): void {
	const all = Array.from({ length: count }, (): [pattern: string, command: string] => {
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
	});
	const approved = all.filter(([pattern, command]) => {
		const by = policy({ rules: [rule('bash', pattern, 'approve')] });
		return decision(command, by) === 'approve';
	});
	let traces: Trace[] = [];
	beforeAll(async () => {
		traces = await run(approved.map(([, command]) => command));
	}, TIMEOUT_MS);
	/** Returns the words of a program that are outside of the current folder. */
	const isOutside = (word: string) =>
		/^[/~]|[=:,@]\/(?!\/)|file:|^-\w*\/|(?:^|[^.\w])\.\.(?:\/|$)|^-\w*\.\.(?:\/|$)|\/home\/nobody/.test(
			word,
		);

	test('approves no command that leaves the current folder', () => {
		const outside = traces.flatMap(({ runs }, at) =>
			runs.flat().some(isOutside) ? [approved[at]] : [],
		);
		expect(outside).toEqual([]);
	});

	test('approves only the programs in its pattern', () => {
		const others = approved.filter(([pattern], at) =>
			traces[at]?.runs.some(([program]) => program !== pattern.split(' ')[0]),
		);
		expect(others).toEqual([]);
	});

	test('matches arguments at the end, or one argument that is no option', () => {
		const wrong = approved.filter(([pattern], at) => {
			if (!/^(?:rm build\/\*|ls src\/\*|node \*\.js|cat x\?)$/.test(pattern)) return false;
			return traces[at]?.runs.some((words) => words.length !== 2 || words[1].startsWith('-'));
		});
		expect(wrong).toEqual([]);
	});

	test('approves many of the commands', () => {
		expect(approved.length).toBeGreaterThan(count / 10);
	});
}

/** Tests rules with commands of any form, and wildcards with what may take their place. */
export function testGeneratedCommands(count: { thatRunRm: number; forWildcards: number }): void {
	const commands = new Commands(randomFrom(SEED));
	describe('rules that deny rm and approve everything else', () =>
		testDenials(commands, count.thatRunRm));
	describe('a wildcard that approves', () => testWildcards(commands, count.forWildcards));
}
