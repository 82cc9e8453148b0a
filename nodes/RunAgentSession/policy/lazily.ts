/** Returns a function that reads a value when it's first needed. */
export function lazily<T>(read: () => T): () => T {
	let found: { value: T } | undefined;
	return () => (found ??= { value: read() }).value;
}
