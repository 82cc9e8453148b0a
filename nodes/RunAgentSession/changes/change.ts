import { readPermission } from '../../shared/approvals/interaction';
import { quoteVisible } from '../../shared/approvals/visibleText';
import type { Interaction } from '../../shared/client/session';
import { getOrAdd, isRecord, isString, pluralize, toText } from '../../shared/values';
import { type ChangeLine, parseDiff, type FileDiff } from './unifiedDiff';
import { compareLines } from './lineDiff';

// Finds the changes of files in an agent's metadata, under the names that agents use.

interface ReadFile extends FileDiff {
	/** `content`: the new content of a file whose old content isn't known */
	kind: 'change' | 'content';
	/** False if lines can't be counted: the texts are too different, or replaced several times */
	isCountable: boolean;
}

/** Names in lower case without `_` and `-` */
const PATH_NAMES = 'filepath path file filename relativepath absolutepath targetfile uri'.split(
	' ',
);
const DIFF_NAMES = 'diff patch unifieddiff filediff gitdiff patchtext'.split(' ');
const CONTENT_NAMES =
	'content contents newcontent newcontents filetext after newtext newstring newstr'.split(' ');
/** `isWhole`: the texts are whole files, so that their lines have numbers */
const PAIR_NAMES: ReadonlyArray<[before: string, after: string, isWhole: boolean]> = [
	['before', 'after', true],
	['original', 'modified', true],
	['originalcontent', 'newcontent', true],
	['oldcontent', 'newcontent', true],
	['oldcontents', 'newcontents', true],
	['oldtext', 'newtext', false],
	['oldstring', 'newstring', false],
	['oldstr', 'newstr', false],
	['old', 'new', false],
	['search', 'replace', false],
];
/** True, or a number, if a text may be replaced several times */
const REPEATS_NAMES = ['replaceall', 'allowmultiple', 'expectedreplacements'];
const EDITING = /edit|write|patch|create|replace/i;

type MetadataFields = ReadonlyMap<string, unknown>;

const toFields = (entries: ReadonlyArray<[name: string, value: unknown]>): MetadataFields =>
	new Map(
		entries.map(([name, value]) => [name.slice(0, 100).replace(/[_-]/g, '').toLowerCase(), value]),
	);

const textsOf = (fields: MetadataFields, names: readonly string[]): string[] =>
	names
		.map((name) => fields.get(name))
		.filter((value) => isString(value) && value !== '') as string[];

/** Splits a text into lines. The last one needs no line end. */
function toLines(text: string): string[] {
	const lines = text === '' ? [] : text.split('\n');
	if (text.endsWith('\n')) lines.pop();
	return lines;
}

/** Removes the `\r` of a file that has it in all lines. A change of line ends stays visible. */
function withoutReturns(file: ReadFile): ReadFile {
	const isOther = ({ sign, text }: FileDiff['lines'][number]) =>
		sign === '@' || text.endsWith('\r');
	if (!file.lines.every(isOther)) return file;
	const strip = (text: string) => (text.endsWith('\r') ? text.slice(0, -1) : text);
	return { ...file, lines: file.lines.map((line) => ({ ...line, text: strip(line.text) })) };
}

const readDiff = (text: string, path: string | undefined): ReadFile[] =>
	parseDiff(toLines(text)).map((file): ReadFile => ({
		...(path !== undefined && { path }),
		...file,
		kind: 'change',
		isCountable: true,
	}));

const endsLine = (text: string) => text === '' || text.endsWith('\n');

function readPair(
	fields: MetadataFields,
	[beforeName, afterName, isWhole]: (typeof PAIR_NAMES)[number],
): Array<Omit<ReadFile, 'path'>> {
	const values = [beforeName, afterName].map((name) => fields.get(name));
	// A file that doesn't exist is `null`.
	if (!values.every((value) => isString(value) || value === null) || !values.some(isString))
		return [];
	const [before, after] = values.map((value) => (isString(value) ? value : ''));
	const { lines, isExact } = compareLines(toLines(before), toLines(after), isWhole);
	const repeats = REPEATS_NAMES.map((name) => fields.get(name) ?? false);
	const isRepeated = repeats.some((value) => value !== false && value !== 1);
	const end = endsLine(after) ? 'new' : 'old';
	if (isWhole && before !== '' && after !== '' && endsLine(before) !== endsLine(after))
		lines.push({ sign: '@', text: `Only the ${end} text ends with a line break` });
	return [{ kind: 'change', isCountable: isExact && !isRepeated, lines }];
}

function readNewContent(text: string): Omit<ReadFile, 'path'> {
	const lines = toLines(text).map((line, at): ChangeLine => ({
		sign: '+',
		new: at + 1,
		text: line,
	}));
	return { kind: 'content', isCountable: true, lines };
}

const changedLines = ({ lines }: ReadFile): ChangeLine[] =>
	lines.filter(({ sign }) => sign === '+' || sign === '-');

/** Returns a key of a file's added and removed lines. Undefined if it has none: other changes are never equal. */
function fileKey(file: ReadFile): string | undefined {
	const texts = changedLines(file).map(({ sign, text }) => sign + text);
	return texts.length > 0 ? [file.path ?? '', ...texts].join('\n') : undefined;
}

/** Returns whether two changes of the same lines are at the same place, as far as both say where. */
function isSamePlace(one: ReadFile, other: ReadFile): boolean {
	const others = changedLines(other);
	const isSame = (first?: number, second?: number) =>
		first === undefined || second === undefined || first === second;
	return changedLines(one).every(
		(line, at) => isSame(line.old, others[at].old) && isSame(line.new, others[at].new),
	);
}

/** Returns the files without those in `known`. Each known file removes one: the same change twice is two changes. */
function withoutKnown(files: readonly ReadFile[], known: readonly ReadFile[]): readonly ReadFile[] {
	if (files.length === 0 || known.length === 0) return files;
	const left = new Map<string | undefined, ReadFile[]>();
	for (const file of known) getOrAdd(left, fileKey(file), () => []).push(file);
	return files.filter((file) => {
		const key = fileKey(file);
		const same = key === undefined ? [] : (left.get(key) ?? []);
		const at = same.findIndex((other) => isSamePlace(file, other));
		if (at >= 0) same.splice(at, 1);
		return at < 0;
	});
}

/** Reads the changes that one object names itself. The same change as a diff and as two texts counts once. */
function readOwn(fields: MetadataFields, context: Context): readonly ReadFile[] {
	const { path } = context;
	const named = (file: Omit<ReadFile, 'path'>) =>
		withoutReturns({ ...(path !== undefined && { path }), ...file });
	let diffs: readonly ReadFile[] = [];
	for (const text of textsOf(fields, DIFF_NAMES)) {
		const files = readDiff(text, path).map(withoutReturns);
		diffs = [...diffs, ...withoutKnown(files, diffs)];
	}
	// The only file of a diff is the object's, even if the diff gives it another name.
	const known = diffs.length === 1 ? [...diffs, { ...diffs[0], path }] : diffs;
	let pairs: readonly ReadFile[] = [];
	for (const names of PAIR_NAMES) {
		const files = readPair(fields, names).map(named);
		pairs = [...pairs, ...withoutKnown(files, [...known, ...pairs])];
	}
	if (diffs.length + pairs.length > 0) return [...diffs, ...pairs];
	const [content] = path !== undefined || context.isEditing ? textsOf(fields, CONTENT_NAMES) : [];
	return content === undefined ? [] : [named(readNewContent(content))];
}

/** What an object inherits from those around it */
interface Context {
	path?: string;
	isEditing: boolean;
}

const isPathLike = (name: string): boolean => /[./\\]/.test(name);

/** @param without name of a field that isn't read */
function readChangeFields(
	record: Record<string, unknown>,
	around: Context,
	without?: string,
): ReadFile[] {
	const entries = Object.entries(record).filter(([name]) => name !== without);
	const fields = toFields(entries);
	const [path = around.path] = textsOf(fields, PATH_NAMES);
	const context = { ...around, path };
	const own = readOwn(fields, context);
	const nested = entries.flatMap(([name, value]) =>
		readValue(value, isPathLike(name) ? { ...context, path: name } : context),
	);
	return [...own, ...withoutKnown(nested, own)];
}

function readValue(value: unknown, context: Context): ReadFile[] {
	if (Array.isArray(value)) return value.flatMap((each) => readValue(each, context));
	return isRecord(value) ? readChangeFields(value, context) : [];
}

/** Joins the changes of one file that follow each other. */
function joinFiles(files: readonly ReadFile[]): ReadFile[] {
	const joined: ReadFile[] = [];
	for (const file of files) {
		const last: ReadFile | undefined = joined[joined.length - 1];
		const isSame =
			last?.path !== undefined &&
			(['path', 'from', 'kind'] as const).every((name) => last[name] === file[name]);
		if (!isSame) joined.push({ ...file, lines: [...file.lines] });
		else {
			last.lines.push({ sign: '@', text: '@@' });
			for (const line of file.lines) last.lines.push(line);
			last.isCountable &&= file.isCountable;
		}
	}
	return joined;
}

/** Reads the changes in a request or in its metadata. Never throws. */
export function findFiles(request: unknown): ReadFile[] {
	if (!isRecord(request)) return [];
	const { patterns, permission } = request;
	const isEditing = isString(permission) && EDITING.test(permission.slice(0, 100));
	const [only, ...others] = Array.isArray(patterns) ? (patterns as unknown[]) : [];
	const isPath = isEditing && others.length === 0 && isString(only) && !/[*?[{]/.test(only);
	const path = isPath && only !== '' ? only : undefined;
	return joinFiles(readChangeFields(request, { path, isEditing }, 'response'));
}

// What an edit would change, as an approver sees it.

export interface FileChange extends ReadFile {
	/** Numbers of lines. Absent if they aren't known. */
	added?: number;
	removed?: number;
}

const countLines = (lines: readonly ChangeLine[], counted: ChangeLine['sign']): number =>
	lines.filter(({ sign }) => sign === counted).length;

function toFileChange(file: ReadFile): FileChange {
	const { kind, isCountable, lines } = file;
	const [added, removed] = [countLines(lines, '+'), countLines(lines, '-')];
	// A deleted, renamed or binary file has no lines to count.
	const isCounted = kind === 'change' && isCountable && added + removed > 0;
	return { ...file, ...(isCounted && { added, removed }) };
}

/** Reads the changed files in a request, or in its metadata. Empty if it names none. Never throws. */
export const readChange = (request: unknown): FileChange[] => findFiles(request).map(toFileChange);

/** Returns "+12 −3" or "new content, 4 lines". Empty if nothing is known. */
export function describeCounts(file: FileChange): string {
	const { kind, isCountable, lines, added, removed } = file;
	if (added !== undefined && removed !== undefined) return `+${added} −${removed}`;
	if (kind === 'change') return '';
	return isCountable ? `new content, ${pluralize(lines.length, 'line')}` : 'new content';
}

const MAX_FILES_NAMED = 3;
const MAX_FILE_NAME_LENGTH = 100;

/** Returns the names of the files and their added and removed lines, or else how many there are. */
export function summarizeChange(files: readonly FileChange[], longest: number): string {
	const names = files.slice(0, MAX_FILES_NAMED).map((file) => {
		const name = file.path === undefined ? 'a file' : quoteVisible(file.path, MAX_FILE_NAME_LENGTH);
		const counts = describeCounts(file);
		return counts === '' ? name : `${name} (${counts})`;
	});
	const more = files.length - names.length;
	const summary = [...names, ...(more > 0 ? [pluralize(more, 'more file')] : [])].join(', ');
	return summary.length <= longest ? summary : pluralize(files.length, 'file');
}

/** An approved edit of a file. The numbers of lines are there if they're known. */
export interface Edit {
	path: string;
	added?: number;
	removed?: number;
}

/** Returns the files that a request would change. Empty if it names none. */
export function listEdits(request: Interaction): Edit[] {
	const { permission, patterns } = request;
	const edits = readChange(request).flatMap(({ path, added, removed }): Edit[] =>
		path === undefined ? [] : [{ path, ...(added !== undefined && { added, removed }) }],
	);
	const isEdit = readPermission(toText(permission))?.isEdit;
	const paths = edits.length === 0 && isEdit && Array.isArray(patterns) ? patterns.map(toText) : [];
	return [...edits, ...paths.map((path) => ({ path }))];
}

/** Adds the edits of each file. Its numbers are there if those of all its edits are known. */
export function sumEdits(edits: readonly Edit[]): Edit[] {
	const byPath = new Map<string, Edit>();
	for (const { path, added, removed } of edits) {
		const before = byPath.get(path) ?? { path, added: 0, removed: 0 };
		const isKnown = before.added !== undefined && added !== undefined;
		byPath.set(path, {
			path,
			...(isKnown && { added: before.added! + added, removed: before.removed! + removed! }),
		});
	}
	return [...byPath.values()];
}
