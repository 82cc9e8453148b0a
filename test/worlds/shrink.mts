// Makes a world smaller that keeps a kind of violation.
import type { Judged } from './child.mts';
import { MINUTE, SECOND, type World } from './world.mts';

/** Without these, a part of a world means nothing. */
const NEEDED = /^(seed|items|lastsMs|afterMs|kind|fromMs|share|on|does|at|downMs|count|byMs)$/;

/** Shorter and rounder times, from the roundest on */
const rounder = (ms: number): number[] =>
	[SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, 60 * MINUTE]
		.map((unit) => (ms > unit ? unit * Math.round(ms / unit) : unit))
		.filter((each) => each < ms || (each % MINUTE === 0 && ms % MINUTE !== 0 && each <= 2 * ms))
		.filter((each) => each !== ms);

/** Returns smaller values for a part of a world: those that leave out most come first. */
function smaller(value: unknown, name = ''): unknown[] {
	if (typeof value === 'number') {
		if (name === 'count') return value > 1 ? [value - 1] : [];
		if (name === 'share') return value < 1 ? [1] : [];
		return /Ms$|^at$/.test(name) ? rounder(value) : [];
	}
	if (Array.isArray(value)) {
		const less = value.length > 1 ? value.map((_, index) => value.toSpliced(index, 1)) : [];
		const within = value.flatMap((each, index) =>
			smaller(each).map((next) => value.with(index, next)),
		);
		return [...less, ...within];
	}
	if (typeof value !== 'object' || value === null) return [];
	const entries = Object.entries(value);
	const less = entries
		.filter(([key]) => !NEEDED.test(key))
		.map(([key]) => Object.fromEntries(entries.filter(([other]) => other !== key)));
	const within = entries.flatMap(([key, each]) =>
		smaller(each, key).map((next) => ({ ...value, [key]: next })),
	);
	return [...less, ...within];
}

/** Returns a smaller world with a violation of this kind, from which nothing can be left out. */
export async function shrink(
	world: World,
	kind: string,
	run: (world: World) => Promise<Judged>,
	maxRuns = 400,
): Promise<World> {
	let runs = 0;
	const keeps = async (candidate: World) =>
		runs++ < maxRuns && (await run(candidate)).violations.some((each) => each.kind === kind);
	for (let smallest = world; ;) {
		let found: World | undefined;
		for (const candidate of smaller(smallest) as World[])
			if (await keeps(candidate)) {
				found = candidate;
				break;
			}
		if (!found) return smallest;
		smallest = found;
	}
}
