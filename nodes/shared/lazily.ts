/** Returns a function that reads a value when it's first needed. */
export function lazily<T>(read: () => T): () => T {
	let found: { value: T } | undefined;
	return () => (found ??= { value: read() }).value;
}

/** Returns what a map has for a key. Makes it if there's nothing. */
export function getOrAdd<K, V>(
	map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
	key: K,
	make: () => V,
): V {
	const found = map.get(key) ?? make();
	map.set(key, found);
	return found;
}

/** Returns a function that makes something of each object once. */
export function oncePer<K extends object, T>(make: (from: K) => T): (from: K) => T {
	const made = new WeakMap<K, T>();
	return (from) => getOrAdd(made, from, () => make(from));
}
