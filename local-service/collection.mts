// An ordered collection. Every item gets a sequence number that is never reused, which is what pages and cursors go by.

export interface Stored<T> {
	/** Ascending in the order of insertion, from 1 */
	sequence: number;
	/** Time when it was added, in milliseconds of service time. `-Infinity` for entries of the seed. */
	addedAt: number;
	item: T;
}

export type Collection<T extends { id: string }> = ReturnType<typeof createCollection<T>>;

/** @param groupOf names the group of an item, for instance its project; by default all are in one group, `''` */
export function createCollection<T extends { id: string }>(
	groupOf: (item: T) => string = () => '',
) {
	const byId = new Map<string, Stored<T>>();
	const groups = new Map<string, Array<Stored<T>>>();
	let next = 1;

	return {
		/** @param now milliseconds of service time; left out for what was always there */
		add(item: T, now = -Infinity): T {
			const stored = { sequence: next++, addedAt: now, item };
			const group = groupOf(item);
			byId.set(item.id, stored);
			if (!groups.has(group)) groups.set(group, []);
			groups.get(group)!.push(stored);
			return item;
		},
		get: (id: string) => byId.get(id)?.item,
		/** @returns false when there is no such item */
		delete(id: string): boolean {
			const stored = byId.get(id);
			if (!stored) return false;
			byId.delete(id);
			const group = groups.get(groupOf(stored.item))!;
			group.splice(group.indexOf(stored), 1);
			return true;
		},
		/** The items of a group in order of insertion, starting after a sequence number. */
		*after(name: string, sequence: number): Iterable<Stored<T>> {
			const group = groups.get(name) ?? [];
			for (let index = firstAfter(group, sequence); index < group.length; index++)
				yield group[index];
		},
		/** The sequence number of an item */
		numberOf: (id: string) => byId.get(id)?.sequence,
		/** Every item, in order of insertion */
		all: () => [...byId.values()].map(({ item }) => item),
	};
}

/** Binary search, so that a page deep in a long list costs no more than the first. */
function firstAfter(sorted: Array<{ sequence: number }>, sequence: number): number {
	let low = 0;
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (sorted[middle].sequence <= sequence) low = middle + 1;
		else high = middle;
	}
	return low;
}
