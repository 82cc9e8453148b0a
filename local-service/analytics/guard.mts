// Refuses queries that would read files, reach other servers, or see the data of other keys. Decided on
// the statement in ClickHouse's own spelling, on one line and without comments, where every call is a name with a bracket. Pure.
import { ATTRIBUTION } from './schema.mts';

/** Table functions that only compute their rows, and one whose name a function of texts has, too */
const HARMLESS = [ATTRIBUTION, 'numbers', 'generateSeries', 'generate_series', 'values', 'format'];

/** Functions that read what is stored, and what a server is made of */
const READING = /^(dict|joinGet|hasColumnInTable|catboost|file|getSetting|sleep)/i;

/** Databases that no query has to name */
const DATABASES = /\b(system|information_schema|default|stored_\w+)[`"]?\./i;

/** Refused parts of a SELECT */
const CLAUSES = /\b(SETTINGS|FORMAT|INTO OUTFILE|APPLY|EXPLAIN|DESCRIBE|SHOW)\b(?! *\.)|\{\w+:/;

const QUOTED = /'(?:[^'\\]|\\[\s\S]|'')*'|`(?:[^`\\]|\\[\s\S]|``)*`|"(?:[^"\\]|\\[\s\S]|"")*"/g;

/**
 * Why a query may not run; undefined when it may. A table without a database needs no check: it is one of the caller's own.
 * @param statement as ClickHouse writes it: one SELECT or WITH
 * @param tableFunctions of the engine
 */
export function getRefusal(
	statement: string,
	tableFunctions: readonly string[],
): string | undefined {
	// Text literals don't matter, but a quoted name is a name.
	const bare = statement.replace(QUOTED, (quoted) => (quoted[0] === "'" ? "''" : quoted));
	const clause = CLAUSES.exec(bare.replace(QUOTED, '_'));
	if (clause) return `${clause[1] ?? 'A query parameter'} is not available here`;
	const database = DATABASES.exec(bare);
	if (database) return `Database ${database[1]} is not available; tables are named without one`;
	const names = tableFunctions.map((name) => name.toLowerCase());
	const harmless = HARMLESS.map((name) => name.toLowerCase());
	for (const [, name] of bare.matchAll(/(\w+)[`"]?\(/g)) {
		const lower = name.toLowerCase();
		if (READING.test(lower) || (names.includes(lower) && !harmless.includes(lower)))
			return `Function ${name} is not available`;
	}
	return undefined;
}
