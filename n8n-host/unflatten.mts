// n8n stores and sends execution data "flatted": a JSON array of values in which every string inside an object or a list is the
// index of the value that belongs there, so that shared and circular parts survive.

/** Turns flatted text back into the data it stands for. */
export function unflatten(text: string): unknown {
	const values = JSON.parse(text) as unknown[];
	const revived = new Map<number, unknown>();

	function at(index: number): unknown {
		if (revived.has(index)) return revived.get(index);
		const value = values[index];
		// Known before its parts are: one of them may lead back to it.
		revived.set(index, value);
		if (value !== null && typeof value === 'object') {
			const parts = value as Record<string, unknown>;
			for (const [key, part] of Object.entries(parts)) {
				if (typeof part === 'string') parts[key] = at(Number(part));
			}
		}
		return value;
	}

	return at(0);
}
