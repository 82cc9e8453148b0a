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
function readHunk(text: string): { numbers: LineNumbers; linesLeft: LineNumbers } {
	const groups = (HUNK.exec(text) ?? []).slice(1);
	if (groups.length === 0) return { numbers: { old: 0, new: 0 }, linesLeft: { old: 0, new: 0 } };
	const [old, oldCount, current, newCount] = groups.map((each) => Number(each ?? 1));
	return { numbers: { old, new: current }, linesLeft: { old: oldCount, new: newCount } };
}

function readSign(text: string): Sign | undefined {
	const [first] = text;
	return first === ' ' || first === '+' || first === '-' ? first : undefined;
}

class DiffParser {
	private readonly files: FileDiff[] = [];
	private readonly texts: readonly string[];
	private readonly hasHunks: boolean;
	/** True after `diff` or `Index`, which name the file before its header does */
	private awaitsHeader = false;
	/** False before a file's first hunk: its lines aren't changes */
	private isInHunk: boolean;
	/** Numbers of the next line, and the lines that the hunk still has */
	private hunk = readHunk('');

	constructor(texts: readonly string[]) {
		this.texts = texts;
		this.hasHunks = texts.some((text) => text.startsWith('@@') || FILE_SECTION.test(text));
		this.isInHunk = !this.hasHunks;
	}

	parse(): FileDiff[] {
		const { texts, hasHunks } = this;
		for (let at = 0; at < texts.length; at++) {
			const text = texts[at];
			const sign = readSign(text);
			const isBlank = text === '' && hasHunks && at < texts.length - 1;
			if (this.isHeader(at)) {
				const header = [text, texts[++at]];
				this.startFile(readPaths(text.slice(4), texts[at].slice(4)));
				for (const each of header) if (each.slice(4).startsWith(NO_FILE)) this.add('@', each);
			} else if (this.isCounted() && (sign || isBlank)) this.add(sign ?? ' ', text.slice(1));
			else if (this.readName(text)) continue;
			else if (text.startsWith('@@')) {
				this.hunk = readHunk(text);
				this.isInHunk = true;
				this.add('@', text);
			} else if (this.isInHunk && text !== MAIL_SIGNATURE && (sign || isBlank))
				this.add(sign ?? ' ', text.slice(1));
			else this.readOther(text);
		}
		return this.files;
	}

	private startFile(paths: Pick<FileDiff, 'path' | 'from'>): void {
		const last = this.files[this.files.length - 1];
		const names = [paths.path, `a/${paths.from} b/${paths.path}`];
		// A header with another path never hides the path before it.
		if (this.awaitsHeader && names.includes(last.path)) Object.assign(last, paths);
		else this.files.push({ ...paths, lines: [] });
		this.isInHunk = !this.hasHunks;
		this.hunk.linesLeft = { old: 0, new: 0 };
		this.awaitsHeader = false;
	}

	private add(sign: Sign, text: string): void {
		const { files, hunk } = this;
		if (files.length === 0) files.push({ lines: [] });
		const line: ChangeLine = { sign, text };
		if ((sign === ' ' || sign === '-') && hunk.linesLeft.old-- > 0) line.old = hunk.numbers.old++;
		if ((sign === ' ' || sign === '+') && hunk.linesLeft.new-- > 0) line.new = hunk.numbers.new++;
		files[files.length - 1].lines.push(line);
	}

	private isCounted(): boolean {
		const { linesLeft } = this.hunk;
		return linesLeft.old > 0 || linesLeft.new > 0;
	}

	/** Returns whether a file's header starts here. The hunk before it may have fewer lines than it says. */
	private isHeader(at: number): boolean {
		const [text, next, third] = this.texts.slice(at, at + 3);
		if (!text.startsWith('--- ') || next?.startsWith('+++ ') !== true) return false;
		const { linesLeft } = this.hunk;
		const endsHunk = linesLeft.old === 1 && linesLeft.new === 1;
		return !this.isCounted() || (third?.startsWith('@@ ') === true && !endsHunk);
	}

	private readName(text: string): boolean {
		const [, gitPaths, index, section] = FILE_NAME.exec(text) ?? [];
		const path = gitPaths === undefined ? (index ?? section) : readGitPath(gitPaths);
		if (path === undefined) return false;
		this.awaitsHeader = false;
		this.startFile({ path: withoutReturn(path) });
		this.awaitsHeader = section === undefined;
		this.isInHunk ||= section !== undefined;
		// An addition and a deletion have no other sign.
		if (section !== undefined) this.add('@', text);
		return true;
	}

	private readOther(text: string): void {
		if (text === '' || ENVELOPE.test(text)) return;
		this.add('@', text);
		const file = this.files[this.files.length - 1];
		const [, side, name = ''] = RENAME.exec(text) ?? [];
		const [, target] = MOVE.exec(text) ?? [];
		if (side !== undefined) file[side === 'to' ? 'path' : 'from'] = withoutReturn(name);
		if (target !== undefined) Object.assign(file, { from: file.path, path: withoutReturn(target) });
	}
}

/** Parses the lines of a unified diff, or of a patch as agents write it. Leaves out no line but the names of files. Never throws. */
export const parseDiff = (texts: readonly string[]): FileDiff[] => new DiffParser(texts).parse();
