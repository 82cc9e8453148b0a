// Reads the agent's script from directives in a prompt: `[work 20s] [ask bash: git push] [say Done]`.
// Pure: text in, steps out. The README lists the directives.

export interface Option {
	value: string;
	label: string;
}

export interface PermissionRequest {
	permission: string;
	patterns: string[];
	options: Option[];
}

/** What an edit would change */
export interface Change {
	/** How the request's metadata shows it */
	form: 'diff' | 'texts' | 'content';
	before: string;
	after: string;
}

/** Any text answers a question without options. */
export interface Question {
	/** `choice`: its text is a title, and its options are texts */
	type: 'question' | 'choice';
	text: string;
	options?: Option[];
}

/** Durations are milliseconds of service time. */
export type Step =
	| { kind: 'work'; ms: number }
	| { kind: 'idle'; ms: number }
	| { kind: 'quiet' }
	| { kind: 'ask'; requests: PermissionRequest[] }
	| { kind: 'change'; change: Change }
	| { kind: 'question'; question: Question }
	| { kind: 'say'; text: string }
	| { kind: 'fail'; text: string }
	| { kind: 'status'; status: string; ms: number };

export interface Script {
	steps: Step[];
	/** The prompt without its directives */
	text: string;
	/** The steps that answer the next message, unless that has directives of its own */
	next?: Step[][];
}

export const usualOptions: Option[] = [
	{ value: 'once', label: 'Allow once' },
	{ value: 'always', label: 'Allow always' },
	{ value: 'reject', label: 'Reject' },
];

const milliseconds: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function readDuration(text: string): number | undefined {
	const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(ms|s|m|h)$/i.exec(text) ?? [];
	return amount === undefined
		? undefined
		: Math.round(Number(amount) * milliseconds[unit.toLowerCase()]);
}

/** Splits at commas, but not at those inside braces: `src/*.{ts,js}` is one pattern. */
function splitList(text: string): string[] {
	return text
		.split(/,(?![^{}]*\})/)
		.map((part) => part.trim())
		.filter((part) => part !== '');
}

/** `yes=Yes please, no=No` */
function readOptions(text: string): Option[] | undefined {
	const options = text.split(',').map((part) => /^\s*([^=]*[^=\s])\s*=\s*(.*\S)\s*$/.exec(part));
	return options.every((match) => match !== null)
		? options.map(([, value, label]) => ({ value, label }))
		: undefined;
}

/** Splits `text {yes=Yes please, no=No}`. Braces that hold no options belong to the text. */
function splitBraces<T>(
	text: string,
	readBraces: (inBraces: string) => T | undefined,
): { before: string; found?: T } {
	const [, before, inBraces] = /^(.*?)\s*(?:^|\s)\{([^{}]*)\}$/s.exec(text.trim()) ?? [];
	const found = inBraces === undefined ? undefined : readBraces(inBraces);
	return found === undefined ? { before: text.trim() } : { before, found };
}

/** `bash: git status, git push {yes=Yes please, no=No}` */
function readRequest(text: string): PermissionRequest | undefined {
	const [, permission, rest = ''] = /^([\w.-]+)\s*(?::\s*(.*))?$/s.exec(text.trim()) ?? [];
	if (permission === undefined) return undefined;
	const { before, found: options = usualOptions } = splitBraces(rest, readOptions);
	return { permission, patterns: splitList(before), options };
}

/** `Which style?`, `Which style? {new=Modern, old=Classic}` or `Which style? {Modern, Classic}` */
function readQuestion(text: string): Step {
	const { before, found } = splitBraces(text, (inBraces): Omit<Question, 'text'> => {
		const options = readOptions(inBraces);
		const texts = splitList(inBraces).map((value) => ({ value, label: value }));
		return options ? { type: 'question', options } : { type: 'choice', options: texts };
	});
	return { kind: 'question', question: { type: 'question', ...found, text: before } };
}

/** `diff: old => new` */
function readChange(text: string): Step | undefined {
	const [, form, before, after] = /^(diff|texts|content):\s*(.*?)\s*=>\s*(.*)$/s.exec(text) ?? [];
	return form === undefined
		? undefined
		: { kind: 'change', change: { form: form as Change['form'], before, after } };
}

function readAsk(text: string): Step | undefined {
	// A plus separates requests only where another request follows
	const requests = text.split(/\s\+\s(?=[\w.-]+:)/).map(readRequest);
	return requests.every((request) => request !== undefined) ? { kind: 'ask', requests } : undefined;
}

function readTimed(kind: 'work' | 'idle', text: string): Step | undefined {
	const ms = readDuration(text);
	return ms === undefined ? undefined : { kind, ms };
}

function readStatus(text: string): Step | undefined {
	const [, status, duration] = /^(\S+)\s+(.+)$/.exec(text) ?? [];
	const ms = duration === undefined ? undefined : readDuration(duration);
	return ms === undefined ? undefined : { kind: 'status', status, ms };
}

const readers: Record<string, (text: string) => Step | undefined> = {
	work: (text) => readTimed('work', text),
	idle: (text) => readTimed('idle', text),
	ask: readAsk,
	change: readChange,
	question: readQuestion,
	say: (text) => ({ kind: 'say', text }),
	fail: (text) => ({ kind: 'fail', text }),
	status: readStatus,
};

/** Reads a prompt. Brackets that are not a directive stay in the text; nothing is an error. */
export function parseDirectives(prompt: string): Script {
	const turns: Step[][] = [[]];
	const text = prompt.replace(
		/\[([a-z]+)(?:\s+((?:[^\][]|\[[^\][]*\])*))?\]/gi,
		(all, name: string, argument = '') => {
			if (name.toLowerCase() === 'quiet' && argument.trim() === '') {
				turns.at(-1)!.push({ kind: 'quiet' });
				return ' ';
			}
			if (/^next\s+turn$/i.test(`${name} ${argument.trim()}`)) {
				turns.push([]);
				return ' ';
			}
			const step =
				argument.trim() === '' ? undefined : readers[name.toLowerCase()]?.(argument.trim());
			if (!step) return all;
			turns.at(-1)!.push(step);
			return ' ';
		},
	);
	const [steps, ...next] = turns;
	return {
		steps,
		text: steps.length === 0 ? prompt.trim() : text.replace(/\s+/g, ' ').trim(),
		...(next.length > 0 && { next }),
	};
}
