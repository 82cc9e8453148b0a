// Makes a world smaller that keeps a kind of violation.
import type { Judged } from './child.mts';
import { MINUTE, SECOND, type World } from './world.mts';

type Step = (world: World) => World[];

const without = <T extends object>(value: T, key: keyof T): T => {
	const { [key]: _, ...rest } = value;
	return rest as T;
};

const OPTIONAL: Array<keyof World> = [
	'kills',
	'weather',
	'people',
	'retries',
	'executionsAt',
	'credential',
	'clock',
	'stopAt',
	'startLimit',
	'shape',
	'second',
	'isLegacyOrder',
	'savesProgress',
	'isManual',
	'batchSize',
	'behindMs',
	'latencyMs',
	'settings',
];

/** Returns the list without each of its entries. */
const eachLess = <T,>(list: readonly T[]): T[][] =>
	list.map((_, index) => list.filter((_each, at) => at !== index));

const LISTS: Array<'kills' | 'weather' | 'people'> = ['kills', 'weather', 'people'];

/** Shorter and rounder times, from the roundest on */
const rounder = (ms: number): number[] =>
	[SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, 60 * MINUTE]
		.map((unit) => (ms > unit ? unit * Math.round(ms / unit) : unit))
		.filter((each) => each < ms || (each % MINUTE === 0 && ms % MINUTE !== 0 && each <= 2 * ms))
		.filter((each) => each !== ms);

const STEPS: Step[] = [
	(world) => OPTIONAL.filter((key) => key in world).map((key) => without(world, key)),
	(world) =>
		world.items.length > 1 ? eachLess(world.items).map((items) => ({ ...world, items })) : [],
	(world) =>
		LISTS.flatMap((key) =>
			(world[key]?.length ?? 0) > 1
				? eachLess(world[key] as unknown[]).map((list) => ({ ...world, [key]: list }) as World)
				: [],
		),
	(world) =>
		(['settings', 'second'] as const).flatMap((key) =>
			Object.keys(world[key] ?? {}).map((name) => ({
				...world,
				[key]: without(world[key]!, name as never),
			})),
		),
	(world) =>
		world.items.flatMap((tries, item) => {
			const replaced = (next: typeof tries): World => ({
				...world,
				items: world.items.map((each, index) => (index === item ? next : each)),
			});
			const plans = tries.flatMap((plan, index) => {
				const withPlan = (next: typeof plan) =>
					replaced(tries.map((each, at) => (at === index ? next : each)));
				return [
					...(['asks', 'fails', 'leavesPending'] as const)
						.filter((key) => key in plan)
						.map((key) => withPlan(without(plan, key))),
					...((plan.asks?.length ?? 0) > 1
						? eachLess(plan.asks!).map((asks) => withPlan({ ...plan, asks }))
						: []),
					...(plan.asks ?? []).flatMap((ask, at) =>
						(['isCovered', 'reissuedMs', 'isIdle', 'everyMs'] as const)
							.filter((key) => key in ask)
							.map((key) =>
								withPlan({
									...plan,
									asks: plan.asks!.map((each, n) => (n === at ? without(each, key) : each)),
								}),
							),
					),
					...rounder(plan.lastsMs).map((lastsMs) => withPlan({ ...plan, lastsMs })),
					...(plan.asks ?? []).flatMap((ask, at) =>
						rounder(ask.afterMs).map((afterMs) =>
							withPlan({
								...plan,
								asks: plan.asks!.map((each, n) => (n === at ? { ...ask, afterMs } : each)),
							}),
						),
					),
				];
			});
			return [...(tries.length > 1 ? eachLess(tries).map(replaced) : []), ...plans];
		}),
	(world) => [
		...(world.kills ?? []).flatMap((kill, at) =>
			[
				...((kill.count ?? 1) > 1
					? [{ ...kill, count: kill.count! - 1 }, without(kill, 'count')]
					: []),
				...(typeof kill.at === 'number' ? rounder(kill.at).map((ms) => ({ ...kill, at: ms })) : []),
				...rounder(kill.downMs).map((downMs) => ({ ...kill, downMs })),
			].map((next) => ({
				...world,
				kills: world.kills!.map((each, index) => (index === at ? next : each)),
			})),
		),
		...(world.weather ?? []).flatMap((weather, at) =>
			[
				...(weather.share < 1 ? [{ ...weather, share: 1 }] : []),
				...rounder(weather.fromMs).map((fromMs) => ({ ...weather, fromMs })),
				...rounder(weather.lastsMs).map((lastsMs) => ({ ...weather, lastsMs })),
			].map((next) => ({
				...world,
				weather: world.weather!.map((each, index) => (index === at ? next : each)),
			})),
		),
		...(world.people ?? []).flatMap((habit, at) =>
			[
				...(['denies', 'changesAfterMs', 'isTwo'] as const)
					.filter((key) => key in habit)
					.map((key) => without(habit, key)),
				...rounder(habit.afterMs).map((afterMs) => ({ ...habit, afterMs })),
			].map((next) => ({
				...world,
				people: world.people!.map((each, index) => (index === at ? next : each)),
			})),
		),
		...(world.retries && world.retries.count > 1
			? [{ ...world, retries: { ...world.retries, count: world.retries.count - 1 } }]
			: []),
		...(world.retries?.isCurrent
			? [{ ...world, retries: without(world.retries, 'isCurrent') }]
			: []),
	],
];

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
		for (const step of STEPS) {
			for (const candidate of step(smallest))
				if (await keeps(candidate)) {
					found = candidate;
					break;
				}
			if (found) break;
		}
		if (!found) return smallest;
		smallest = found;
	}
}
