// An ordered set of stored things. Everything gets a number that is never used again: pages are cut along it.

export interface Stored<T> {
	/** Ascending in the order of addition */
	sequence: number;
	item: T;
}

export interface Collection<T> {
	add(item: T): T;
	get(id: string): T | undefined;
	/** False when there is no such thing */
	delete(id: string): boolean;
	/** The things of a group in order of addition, beginning after a sequence number. */
	after(group: string, sequence: number): Iterable<Stored<T>>;
	/** Everything, in order of addition */
	all(): T[];
}

/** `groupOf` names the list that a thing belongs to, for instance its project; without it, there is one list: `''`. */
export function createCollection<T extends { id: string }>(
	groupOf: (item: T) => string = () => '',
): Collection<T> {
	const byId = new Map<string, Stored<T>>();
	const groups = new Map<string, Array<Stored<T>>>();
	let next = 1;

	return {
		add(item) {
			const stored = { sequence: next++, item };
			const group = groupOf(item);
			byId.set(item.id, stored);
			if (!groups.has(group)) groups.set(group, []);
			groups.get(group)!.push(stored);
			return item;
		},
		get: (id) => byId.get(id)?.item,
		delete(id) {
			const stored = byId.get(id);
			if (!stored) return false;
			byId.delete(id);
			const group = groups.get(groupOf(stored.item))!;
			group.splice(group.indexOf(stored), 1);
			return true;
		},
		*after(name, sequence) {
			const group = groups.get(name) ?? [];
			for (let index = firstAfter(group, sequence); index < group.length; index++)
				yield group[index];
		},
		all: () => [...byId.values()].map(({ item }) => item),
	};
}

/** Binary search: pages deep in a long list cost no more than the first. */
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
