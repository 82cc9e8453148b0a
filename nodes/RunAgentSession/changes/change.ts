import { readPermission } from '../../shared/approvals/permissions';
import { quoteVisible } from '../../shared/approvals/visibleText';
import type { Interaction } from '../../shared/client/session';
import { pluralize, toText } from '../../shared/values';
import { findFiles, type ReadFile } from './changeFiles';
import type { ChangeLine } from './unifiedDiff';

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
