/** `@`: a line of the diff itself, such as the start of a hunk or a file's mode */
type Sign = ' ' | '+' | '-' | '@';

export interface ChangeLine {
	sign: Sign;
	/** Line numbers before and after the change, if the agent gives them */
	old?: number;
	new?: number;
	text: string;
}

export interface FileDiff {
	path?: string;
	/** The path before, if it's another one */
	from?: string;
	lines: ChangeLine[];
}

const NO_FILE = '/dev/null';
const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
/** `*** Update File: src/a.ts`, as some agents write it */
const FILE_SECTION = /^\*\*\* (?:Add|Update|Delete) File: /;
const FILE_NAME = /^(?:diff --git (.*)|Index: (.*)|\*\*\* (?:Add|Update|Delete) File: (.*))/;
const ENVELOPE = /^(?:\*\*\* (?:Begin|End) Patch|={3,})\s*$/;
const RENAME = /^(?:rename|copy) (from|to) (.*)/;
/** Follows the name of the file, which is the one before */
const MOVE = /^\*\*\* Move to: (.*)/;
/** The end of a diff in an email */
const MAIL_SIGNATURE = '-- ';

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

/** Returns the paths of `--- a/x` and `+++ b/x`. */
function readPaths(old: string, current: string): Pick<FileDiff, 'path' | 'from'> {
	const [before, after] = [old, current].map((text) => withoutReturn(text).split('\t', 1)[0]);
	const isPrefixed =
		(before === NO_FILE || before.startsWith('a/')) &&
		(after === NO_FILE || after.startsWith('b/'));
	const strip = (path: string) => (isPrefixed && path !== NO_FILE ? path.slice(2) : path);
	if (after === NO_FILE) return { path: strip(before) };
	const path = strip(after);
	const from = strip(before);
	return before === NO_FILE || from === path ? { path } : { path, from };
}

/** Returns the path of `a/x b/x`, or all of the text if there are two paths. */
function readGitPath(text: string): string {
	const half = (text.length - 1) / 2;
	const [one, other] = [text.slice(0, half), text.slice(half + 1)];
	if (one === other) return one;
	return one.startsWith('a/') && one.slice(2) === other.slice(2) ? one.slice(2) : text;
}

interface LineNumbers {
	old: number;
	new: number;
}

/** Returns the line numbers and lengths of a hunk. Without numbers, all its lines have a sign and none has a number. */
function readHunk(text: string): { numbers: LineNumbers; left: LineNumbers } {
	const given = (HUNK.exec(text) ?? []).slice(1);
	if (given.length === 0) return { numbers: { old: 0, new: 0 }, left: { old: 0, new: 0 } };
	const [old, oldCount, current, newCount] = given.map((each) => Number(each ?? 1));
	return { numbers: { old, new: current }, left: { old: oldCount, new: newCount } };
}

function readSign(text: string): Sign | undefined {
	const [first] = text;
	return first === ' ' || first === '+' || first === '-' ? first : undefined;
}

/** Parses the lines of a unified diff, or of a patch as agents write it. Leaves out no line but the names of files. Never throws. */
export function parseDiff(texts: readonly string[]): FileDiff[] {
	const files: FileDiff[] = [];
	const hasHunks = texts.some((text) => text.startsWith('@@') || FILE_SECTION.test(text));
	/** True after `diff` or `Index`, which name the file before its header does */
	let awaitsHeader = false;
	/** False before a file's first hunk: its lines aren't changes */
	let isInHunk = !hasHunks;
	/** Of the next line, and the number of lines that the hunk still has */
	let { numbers, left } = readHunk('');

	const startFile = (paths: Pick<FileDiff, 'path' | 'from'>) => {
		const last = files[files.length - 1];
		const names = [paths.path, `a/${paths.from} b/${paths.path}`];
		// A header with another path never hides the path before it.
		if (awaitsHeader && names.includes(last.path)) Object.assign(last, paths);
		else files.push({ ...paths, lines: [] });
		isInHunk = !hasHunks;
		left = { old: 0, new: 0 };
		awaitsHeader = false;
	};
	const add = (sign: Sign, text: string) => {
		if (files.length === 0) files.push({ lines: [] });
		const line: ChangeLine = { sign, text };
		if ((sign === ' ' || sign === '-') && left.old-- > 0) line.old = numbers.old++;
		if ((sign === ' ' || sign === '+') && left.new-- > 0) line.new = numbers.new++;
		files[files.length - 1].lines.push(line);
	};
	const isCounted = () => left.old > 0 || left.new > 0;
	/** Returns whether a file's header starts here. The hunk before it may have fewer lines than it says. */
	const isHeader = (at: number) => {
		if (!texts[at].startsWith('--- ') || texts[at + 1]?.startsWith('+++ ') !== true) return false;
		const endsHunk = left.old === 1 && left.new === 1;
		return !isCounted() || (texts[at + 2]?.startsWith('@@ ') === true && !endsHunk);
	};
	const readName = (text: string): boolean => {
		const [, gitPaths, index, section] = FILE_NAME.exec(text) ?? [];
		const path = gitPaths === undefined ? (index ?? section) : readGitPath(gitPaths);
		if (path === undefined) return false;
		awaitsHeader = false;
		startFile({ path: withoutReturn(path) });
		awaitsHeader = section === undefined;
		isInHunk ||= section !== undefined;
		// An addition and a deletion have no other sign.
		if (section !== undefined) add('@', text);
		return true;
	};
	const readOther = (text: string) => {
		if (text === '' || ENVELOPE.test(text)) return;
		add('@', text);
		const file = files[files.length - 1];
		const [, side, name = ''] = RENAME.exec(text) ?? [];
		const [, target] = MOVE.exec(text) ?? [];
		if (side !== undefined) file[side === 'to' ? 'path' : 'from'] = withoutReturn(name);
		if (target !== undefined) Object.assign(file, { from: file.path, path: withoutReturn(target) });
	};

	for (let at = 0; at < texts.length; at++) {
		const text = texts[at];
		const sign = readSign(text);
		const isBlank = text === '' && hasHunks && at < texts.length - 1;
		if (isHeader(at)) {
			const header = [text, texts[++at]];
			startFile(readPaths(text.slice(4), texts[at].slice(4)));
			for (const each of header) if (each.slice(4).startsWith(NO_FILE)) add('@', each);
		} else if (isCounted() && (sign || isBlank)) add(sign ?? ' ', text.slice(1));
		else if (readName(text)) continue;
		else if (text.startsWith('@@')) {
			({ numbers, left } = readHunk(text));
			isInHunk = true;
			add('@', text);
		} else if (isInHunk && text !== MAIL_SIGNATURE && (sign || isBlank))
			add(sign ?? ' ', text.slice(1));
		else readOther(text);
	}
	return files;
}
