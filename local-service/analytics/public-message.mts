// ClickHouse's error messages for callers: without the engine's internals.

/** The message with the name of its code: "Unknown expression identifier `x`. (UNKNOWN_IDENTIFIER)". */
export function publicMessage(message: string, databases: string[]): string {
	const code = /\(([A-Z][A-Z0-9_]+)\)\s*$/.exec(message)?.[0];
	const said = message
		.replaceAll(/(Query failed: )?(Code: \d+\. )?DB::Exception: /g, '')
		.replaceAll(/ ?\((version [^)]*|official build|[A-Z][A-Z0-9_]+)\)/g, '')
		// The scope repeats the query, or shows how a view is made.
		.replaceAll(/:? [Ii]n scope [\s\S]*?(?=\. Maybe you meant|$)/g, '')
		.replace(/: while executing [\s\S]*$/i, '')
		.replaceAll(/ Maybe you meant:? [^?]*system\.[^?]*\?/g, '')
		.trim();
	const bare = databases.reduce(
		(text, db) => text.replaceAll(`${db}.`, '').replaceAll(db, 'the database'),
		said,
	);
	return `${bare.replace(/[.:\s]+$/, '')}.${code ? ` ${code.trim()}` : ''}`;
}
