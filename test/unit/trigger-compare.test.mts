// Events of the trigger for any course of lists, as n8n runs it: state is saved with items and at no other time, and any state that was
// not saved is gone when n8n is.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	findChanges,
	NOTHING_SEEN,
	type Change,
	type WatchedEntry,
	type SeenState,
	type ChangeRule,
} from '../../nodes/WorkspaceAutomationTrigger/compare.ts';
import {
	fingerprintMark,
	readSeen,
	toState,
} from '../../nodes/WorkspaceAutomationTrigger/state.ts';
import type { Storage } from '../../nodes/WorkspaceAutomationTrigger/events.ts';

const LISTS = ['one', 'other'];
const GONE_AFTER = 3;

interface Thing {
	id: string;
	list: string;
	version: number;
	/** Many things have the same */
	createdAt: string;
}

/** Events in the world or in n8n, in turn */
type Step =
	| { do: 'add'; list: number; second: number }
	| { do: 'change' | 'remove'; which: number }
	| { do: 'poll' }
	/** Every list comes empty, as when the key has lost its access */
	| { do: 'emptyPoll' }
	/** Ends n8n between two polls, within one, or after it has emitted and before it has saved */
	| { do: 'crash' | 'crashInPoll' | 'crashBeforeSave' };

const add = fc.record({ do: fc.constant('add' as const), list: fc.nat(1), second: fc.nat(3) });
const edit = fc.record({
	do: fc.constantFrom('change' as const, 'remove' as const),
	which: fc.nat(),
});
const poll = fc.record({ do: fc.constantFrom('poll' as const, 'emptyPoll' as const) });
const crash = fc.record({
	do: fc.constantFrom('crash' as const, 'crashInPoll' as const, 'crashBeforeSave' as const),
});
const world = ({ crashes }: { crashes: boolean }): fc.Arbitrary<Step[]> =>
	fc.array(fc.oneof(add, edit, poll, ...(crashes ? [crash] : [])), { maxLength: 60 });

const KEEPING: Record<ChangeRule['on'], Storage> = {
	added: 'digests',
	changed: 'digests',
	removed: 'values',
};

const uuid = (number: number) =>
	`${number.toString(16).padStart(8, '0')}-0000-4000-8000-fedcba987654`;

interface Course {
	baseline: Thing[];
	left: Thing[];
	/** `id` and, for what is still there, its version */
	emitted: Array<{ id: string; version?: number }>;
	/** Number of items of each poll */
	batches: number[];
	/** By id, in how many reads of its list that were not empty it was missing so far when it was emitted as gone */
	missed: Map<string, number>;
}

/** Plays a course; at its end nothing happens any more until nothing is emitted any more. */
function play(on: ChangeRule['on'], first: number, steps: Step[], most: number): Course {
	const keeping = KEEPING[on];
	let things: Thing[] = [];
	let made = 0;
	const add = (list: number, second: number) =>
		things.push({
			id: uuid(++made),
			list: LISTS[list],
			version: 1,
			createdAt: new Date(second * 1000).toISOString(),
		});
	for (let index = 0; index < first; index++) add(index % 2, index % 3);

	const getEntry = ({ id, version, createdAt }: Thing): WatchedEntry => ({
		key: keeping === 'values' ? id : fingerprintMark('test', id),
		mark: keeping === 'values' ? '' : fingerprintMark('test', String(version)),
		id,
		json: { id, version, createdAt },
	});
	const read = (isEmpty = false) =>
		LISTS.map((name) => {
			const entries = isEmpty ? [] : things.filter(({ list }) => list === name).map(getEntry);
			return { name, entries, isWhole: entries.length > 0 };
		});
	/** Through JSON, as n8n saves it */
	const save = (memory: SeenState) =>
		JSON.stringify(toState(memory, keeping, { scope: 'test', turn: 1 }));
	const load = (saved: string): SeenState => ({
		seen: readSeen(JSON.parse(saved), keeping, 'test')!,
		missing: new Map(),
	});

	const baseline = structuredClone(things);
	const rule: ChangeRule = { on, existing: false, goneAfter: GONE_AFTER, most };
	let { memory } = findChanges(NOTHING_SEEN, read(), rule);
	let saved = save(memory);
	memory = load(saved);
	const emitted: Course['emitted'] = [];
	const batches: number[] = [];
	const absent = new Map<string, number>();
	const missed = new Map<string, number>();

	const emit = ({ entry, key }: Change) => {
		if (!entry) missed.set(key, absent.get(key) ?? 0);
		emitted.push({
			id: entry ? String(entry.json.id) : key,
			version: entry && Number(entry.json.version),
		});
	};
	const poll = (end: 'done' | 'crashInPoll' | 'crashBeforeSave', isEmpty = false) => {
		const lists = read(isEmpty);
		for (const { name, entries, isWhole } of lists)
			for (const id of memory.seen.get(name)?.keys() ?? [])
				if (isWhole && !entries.some(({ key }) => key === id))
					absent.set(id, (absent.get(id) ?? 0) + 1);
		const next = findChanges(memory, lists, rule);
		// n8n passes on the same state to the next poll, and saves it with what is emitted.
		const inProcess = { ...load(save(next.memory)), missing: next.memory.missing };
		if (end !== 'crashInPoll') {
			next.changes.forEach(emit);
			batches.push(next.changes.length);
		}
		if (end === 'done') {
			memory = inProcess;
			if (next.changes.length > 0) saved = save(memory);
		} else memory = load(saved);
		return next.changes.length;
	};

	for (const step of steps) {
		switch (step.do) {
			case 'add':
				add(step.list, step.second);
				break;
			case 'change':
				if (things.length > 0) things[step.which % things.length].version++;
				break;
			case 'remove':
				things = things.filter((_, index) => index !== step.which % things.length);
				break;
			case 'poll':
				poll('done');
				break;
			case 'emptyPoll':
				poll('done', true);
				break;
			case 'crash':
				memory = load(saved);
				break;
			default:
				poll(step.do);
		}
	}
	// A removed entry is gone after three reads.
	for (let quiet = 0; quiet <= GONE_AFTER;) quiet = poll('done') > 0 ? 0 : quiet + 1;
	return { baseline, left: things, emitted, batches, missed };
}

const getIds = (things: Array<{ id: string }>) => new Set(things.map(({ id }) => id));
const named = ({ id, version }: { id: string; version?: number }) => `${id} ${version}`;
const most = fc.integer({ min: 1, max: 5 });
const first = fc.nat(6);
const RUNS = { numRuns: 300 };

describe.each([
	{ how: 'whatever crashes', crashes: true },
	{ how: 'without crashes', crashes: false },
])('$how', ({ crashes }) => {
	test(`an added entry is emitted ${crashes ? 'at least' : 'exactly'} once, and nothing of the baseline is`, () => {
		fc.assert(
			fc.property(first, world({ crashes }), most, (count, steps, limit) => {
				const { baseline, left, emitted } = play('added', count, steps, limit);
				const old = getIds(baseline);
				expect(emitted.filter(({ id }) => old.has(id))).toEqual([]);
				const told = getIds(emitted);
				expect(left.filter(({ id }) => !old.has(id) && !told.has(id))).toEqual([]);
				if (!crashes) expect(emitted.length).toBe(told.size);
			}),
			RUNS,
		);
	});

	test(`a changed entry is emitted in its last state ${crashes ? 'at least' : 'exactly'} once, and no unchanged entry is`, () => {
		fc.assert(
			fc.property(first, world({ crashes }), most, (count, steps, limit) => {
				const { baseline, left, emitted } = play('changed', count, steps, limit);
				const told = emitted.map(named);
				const before = new Map(baseline.map(({ id, version }) => [id, version]));
				const changed = left.filter(({ id, version }) => (before.get(id) ?? version) !== version);
				expect(changed.filter((thing) => !told.includes(named(thing)))).toEqual([]);
				expect(emitted.filter(({ id, version }) => before.get(id) === version)).toEqual([]);
				if (!crashes) expect(new Set(told).size).toBe(told.length);
			}),
			RUNS,
		);
	});

	test(`a removed entry is emitted ${crashes ? 'at least' : 'exactly'} once, after three reads without it, and no existing entry is`, () => {
		fc.assert(
			fc.property(first, world({ crashes }), most, (count, steps, limit) => {
				const { baseline, left, emitted, missed } = play('removed', count, steps, limit);
				const there = getIds(left);
				const told = getIds(emitted);
				expect(emitted.filter(({ id }) => there.has(id))).toEqual([]);
				const gone = baseline.filter(
					({ id, list }) => !there.has(id) && left.some((thing) => thing.list === list),
				);
				expect(gone.filter(({ id }) => !told.has(id))).toEqual([]);
				expect([...missed.values()].filter((reads) => reads < GONE_AFTER)).toEqual([]);
				if (!crashes) expect(emitted.length).toBe(told.size);
			}),
			RUNS,
		);
	});

	test('no poll emits more than Max Events', () => {
		fc.assert(
			fc.property(
				fc.constantFrom('added' as const, 'changed' as const, 'removed' as const),
				first,
				world({ crashes }),
				most,
				(on, count, steps, limit) => {
					expect(Math.max(...play(on, count, steps, limit).batches)).toBeLessThanOrEqual(limit);
				},
			),
			RUNS,
		);
	});
});

const entry = (key: string): WatchedEntry => ({ key, mark: 'm', id: key, json: { id: key } });

test('an entry that is on two pages, because the list has moved, is emitted once', () => {
	const seen = new Map([['one', new Map<string, string>()]]);
	const entry: WatchedEntry = { key: 'a', mark: '1', id: 'a', json: {} };
	const list = { name: 'one', entries: [entry, entry], isWhole: true };
	const rule: ChangeRule = { on: 'added', existing: false, goneAfter: GONE_AFTER, most: 5 };
	expect(findChanges({ ...NOTHING_SEEN, seen }, [list], rule).changes).toHaveLength(1);
});

test('a removed entry over Max Events comes with the next poll, for any result of that poll', () => {
	const read = (isWhole: boolean, ...entries: WatchedEntry[]) => [{ name: '', entries, isWhole }];
	const rule: ChangeRule = { on: 'removed', existing: false, goneAfter: GONE_AFTER, most: 1 };
	let { memory } = findChanges(NOTHING_SEEN, read(true, entry('a'), entry('b'), entry('c')), rule);
	const told: string[][] = [];
	for (const isWhole of [true, true, true, false, false]) {
		const next = findChanges(memory, read(isWhole, entry('c')), rule);
		memory = next.memory;
		told.push(next.changes.map(({ key }) => key));
	}
	expect(told).toEqual([[], [], ['a'], ['b'], []]);
});
