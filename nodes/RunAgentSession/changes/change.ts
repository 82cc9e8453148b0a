import { quoteVisible } from '../../shared/approvals/visibleText';
import type { Interaction } from '../../shared/client/session';
import { pluralize, toText } from '../../shared/values';
import { readPermission } from '../policy/texts';
import { findFiles, type ReadFile } from './changeFiles';
import type { ChangeLine } from './unifiedDiff';

// What an edit would change, as an approver sees it.

export interface ShownLine extends ChangeLine {
	/** Characters left out at its end */
	cut?: number;
}

export interface FileChange extends ReadFile {
	lines: ShownLine[];
	/** Numbers of lines. Absent if they aren't known. */
	added?: number;
	removed?: number;
	/** Number of lines left out */
	hidden: number;
}

export interface ProposedChange {
	files: FileChange[];
	hiddenFiles: number;
	/** True if nothing is left out */
	isWhole: boolean;
}

interface ChangeLimits {
	lines: number;
	/** Of all lines together */
	characters: number;
}

/** For the approval request itself */
const SHORT_CHANGE: ChangeLimits = { lines: 400, characters: 30_000 };
/** For a separate page */
export const LONG_CHANGE: ChangeLimits = { lines: 5_000, characters: 50_000 };

const MAX_FILES = 100;
/** A longer path can't be shown whole */
export const MAX_PATH_LENGTH = 1_000;

function takeLines(lines: readonly ChangeLine[], left: ChangeLimits): ShownLine[] {
	const taken: ShownLine[] = [];
	for (const line of lines) {
		if (left.lines <= 0 || left.characters <= 0) break;
		const text = line.text.slice(0, left.characters);
		const cut = line.text.length - text.length;
		taken.push({ ...line, text, ...(cut > 0 && { cut }) });
		left.lines -= 1;
		left.characters -= text.length;
	}
	return taken;
}

const countLines = (lines: readonly ChangeLine[], counted: ChangeLine['sign']): number =>
	lines.filter(({ sign }) => sign === counted).length;

function toFileChange(file: ReadFile, left: ChangeLimits): FileChange {
	const { kind, isCountable, lines } = file;
	const shown = takeLines(lines, left);
	const [added, removed] = [countLines(lines, '+'), countLines(lines, '-')];
	// A deleted, renamed or binary file has no lines to count.
	const isCounted = kind === 'change' && isCountable && added + removed > 0;
	const counts = isCounted ? { added, removed } : {};
	return { ...file, lines: shown, ...counts, hidden: lines.length - shown.length };
}

const isFileWhole = ({ path = '', from = '', hidden, lines }: FileChange): boolean =>
	hidden === 0 &&
	Math.max(path.length, from.length) <= MAX_PATH_LENGTH &&
	lines.every(({ cut }) => cut === undefined);

/** Reads the change in a request, or in its metadata. Returns undefined if it names none. Never throws. */
export function readChange(
	request: unknown,
	limits: ChangeLimits = SHORT_CHANGE,
): ProposedChange | undefined {
	const { files: found, isComplete } = findFiles(request);
	if (found.length === 0) return undefined;
	const left = { ...limits };
	const files = found.slice(0, MAX_FILES).map((file) => toFileChange(file, left));
	const hiddenFiles = found.length - files.length;
	const isWhole = isComplete && hiddenFiles === 0 && files.every(isFileWhole);
	return { files, hiddenFiles, isWhole };
}

/** Returns "+12 −3" or "new content, 4 lines". Empty if nothing is known. */
export function describeCounts(file: FileChange): string {
	const { kind, isCountable, lines, hidden, added, removed } = file;
	if (added !== undefined && removed !== undefined) return `+${added} −${removed}`;
	if (kind === 'change') return '';
	return isCountable ? `new content, ${pluralize(lines.length + hidden, 'line')}` : 'new content';
}

const MAX_FILES_NAMED = 3;
const MAX_FILE_NAME_LENGTH = 100;

/** Returns the names of the files and their added and removed lines, for a message. */
export function summarizeChange({ files, hiddenFiles }: ProposedChange): string {
	const named = files.slice(0, MAX_FILES_NAMED).map((file) => {
		const name = file.path === undefined ? 'a file' : quoteVisible(file.path, MAX_FILE_NAME_LENGTH);
		const counts = describeCounts(file);
		return counts === '' ? name : `${name} (${counts})`;
	});
	const more = files.length - named.length + hiddenFiles;
	return [...named, ...(more > 0 ? [pluralize(more, 'more file')] : [])].join(', ');
}

/** An approved edit of a file. The numbers of lines are there if they're known. */
export interface Edit {
	path: string;
	added?: number;
	removed?: number;
}

const MAX_EDITS = 50;

/** Returns the files that a request would change. Empty if it names none. */
export function listEdits(request: Interaction): Edit[] {
	const { permission, patterns } = request;
	const files = readChange(request)?.files ?? [];
	const named = files.flatMap(({ path, added, removed }): Edit[] =>
		path === undefined ? [] : [{ path, ...(added !== undefined && { added, removed }) }],
	);
	const isEdit = readPermission(toText(permission))?.isEdit;
	const paths = named.length === 0 && isEdit && Array.isArray(patterns) ? patterns.map(toText) : [];
	return [...named, ...paths.map((path) => ({ path }))]
		.filter(({ path }) => path.length <= MAX_PATH_LENGTH)
		.slice(0, MAX_EDITS);
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
