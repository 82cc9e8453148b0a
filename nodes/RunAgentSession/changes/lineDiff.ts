import type { ChangeLine } from './unifiedDiff';

/** Unchanged lines shown around a change */
const CONTEXT = 3;
/** Steps of a comparison, of about 10 ns each. Texts that take more are too different. */
const MAX_STEPS = 200_000;

/** Equal lengths are compared character by character, about 32 in a step */
const CHARACTERS_PER_STEP = 32;

/** Lines `[old, oldEnd)` become lines `[now, nowEnd)`. */
interface Block {
	old: number;
	oldEnd: number;
	now: number;
	nowEnd: number;
}

/**
 * Returns the pairs of equal lines of a shortest edit (Myers, "An O(ND) Difference Algorithm", 1986).
 * Returns undefined if that takes too many steps.
 */
function pairLines(
	before: readonly string[],
	after: readonly string[],
): Array<[old: number, now: number]> | undefined {
	/** For each number of edits, the furthest line on each diagonal (old - new), from -edits to edits */
	const reached: Int32Array[] = [];
	let steps = MAX_STEPS;
	const isEqual = (old: number, now: number) => {
		const [one, other] = [before[old], after[now]];
		steps -= one.length === other.length ? 1 + one.length / CHARACTERS_PER_STEP : 1;
		return one === other;
	};
	const isInsertion = (edits: number, diagonal: number) => {
		const last = reached[edits - 1];
		const at = diagonal + edits - 1;
		return diagonal === -edits || (diagonal !== edits && last[at - 1] < last[at + 1]);
	};
	const start = (edits: number, diagonal: number) => {
		if (edits === 0) return 0;
		const last = reached[edits - 1];
		const at = diagonal + edits - 1;
		return isInsertion(edits, diagonal) ? last[at + 1] : last[at - 1] + 1;
	};
	const backtrack = () => {
		const pairs: Array<[number, number]> = [];
		let old = before.length;
		let diagonal = before.length - after.length;
		for (let edits = reached.length; edits >= 0; edits--) {
			const first = start(edits, diagonal);
			for (; old > first; old--) pairs.push([old - 1, old - 1 - diagonal]);
			if (edits === 0) break;
			const inserts = isInsertion(edits, diagonal);
			old = inserts ? first : first - 1;
			diagonal += inserts ? 1 : -1;
		}
		return pairs.reverse();
	};
	for (let edits = 0; steps > 0; edits++) {
		const line = new Int32Array(2 * edits + 1);
		for (let diagonal = -edits; diagonal <= edits && steps > 0; diagonal += 2) {
			let old = start(edits, diagonal);
			let now = old - diagonal;
			steps--;
			while (old < before.length && now < after.length && isEqual(old, now)) {
				old++;
				now++;
			}
			line[diagonal + edits] = old;
			if (old >= before.length && now >= after.length) return backtrack();
		}
		reached.push(line);
	}
	return undefined;
}

/** Returns the pairs of equal lines. Lines that the other text doesn't have cost nothing. */
function pairCommonLines(
	before: readonly string[],
	after: readonly string[],
): Array<[old: number, now: number]> | undefined {
	const commonIn = (texts: readonly string[], others: readonly string[]) => {
		const known = new Set(others);
		return [...texts.keys()].filter((at) => known.has(texts[at]));
	};
	if (before.length === 0 || after.length === 0) return [];
	const [olds, news] = [commonIn(before, after), commonIn(after, before)];
	const pairs = pairLines(
		olds.map((at) => before[at]),
		news.map((at) => after[at]),
	);
	return pairs?.map(([old, now]) => [olds[old], news[now]]);
}

/** Returns the changed parts. `isExact` is false if a part may have equal lines. */
function findBlocks(before: readonly string[], after: readonly string[]) {
	const shorter = Math.min(before.length, after.length);
	let start = 0;
	while (start < shorter && before[start] === after[start]) start++;
	let end = 0;
	while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end])
		end++;
	const [oldEnd, nowEnd] = [before.length - end, after.length - end];
	const pairs = pairCommonLines(before.slice(start, oldEnd), after.slice(start, nowEnd));
	const blocks: Block[] = [];
	let [old, now] = [start, start];
	for (const [nextOld, nextNow] of [...(pairs ?? []), [oldEnd - start, nowEnd - start]]) {
		const block = { old, oldEnd: nextOld + start, now, nowEnd: nextNow + start };
		if (block.oldEnd > old || block.nowEnd > now) blocks.push(block);
		[old, now] = [block.oldEnd + 1, block.nowEnd + 1];
	}
	return { blocks, isExact: pairs !== undefined };
}

/** Joins blocks whose contexts meet. */
function groupBlocks(blocks: readonly Block[]): Block[][] {
	const groups: Block[][] = [];
	for (const [index, block] of blocks.entries()) {
		const gap = block.old - (blocks[index - 1]?.oldEnd ?? -Infinity);
		if (gap <= 2 * CONTEXT) groups[groups.length - 1].push(block);
		else groups.push([block]);
	}
	return groups;
}

const range = (start: number, end: number): string =>
	`${end > start ? start + 1 : start},${end - start}`;

/**
 * Compares two texts and returns the changed lines with three lines around them. Never throws.
 * @param isNumbered false if the texts are parts of a file
 * @returns `isExact`: false if the texts differ too much to be compared, so that all lines are removed and added
 */
export function compareLines(
	before: readonly string[],
	after: readonly string[],
	isNumbered: boolean,
): { lines: ChangeLine[]; isExact: boolean } {
	const { blocks, isExact } = findBlocks(before, after);
	const lines: ChangeLine[] = [];
	const removed = (at: number): ChangeLine =>
		isNumbered ? { sign: '-', old: at + 1, text: before[at] } : { sign: '-', text: before[at] };
	const added = (at: number): ChangeLine =>
		isNumbered ? { sign: '+', new: at + 1, text: after[at] } : { sign: '+', text: after[at] };
	for (const [index, group] of groupBlocks(blocks).entries()) {
		const [first, last] = [group[0], group[group.length - 1]];
		const lead = Math.min(CONTEXT, first.old, first.now);
		const tail = Math.min(CONTEXT, before.length - last.oldEnd);
		const [old, now] = [first.old - lead, first.now - lead];
		const ranges = ` -${range(old, last.oldEnd + tail)} +${range(now, last.nowEnd + tail)} @@`;
		if (isNumbered || index > 0) lines.push({ sign: '@', text: `@@${isNumbered ? ranges : ''}` });
		let at = { old, now };
		const keepUntil = (end: number) => {
			for (; at.old < end; at.old++, at.now++)
				lines.push({ ...removed(at.old), ...added(at.now), sign: ' ' });
		};
		for (const block of group) {
			keepUntil(block.old);
			for (let line = block.old; line < block.oldEnd; line++) lines.push(removed(line));
			for (let line = block.now; line < block.nowEnd; line++) lines.push(added(line));
			at = { old: block.oldEnd, now: block.nowEnd };
		}
		keepUntil(last.oldEnd + tail);
	}
	return { lines, isExact };
}
