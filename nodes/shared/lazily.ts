/** Returns a function that reads a value when it's first needed. */
export function lazily<T>(read: () => T): () => T {
	let found: { value: T } | undefined;
	return () => (found ??= { value: read() }).value;
}

/** Returns a function that makes something of each object once. */
export function oncePer<K extends object, T>(make: (from: K) => T): (from: K) => T {
	const made = new WeakMap<K, T>();
	return (from) => {
		const found = made.get(from) ?? make(from);
		made.set(from, found);
		return found;
	};
}
