// A ClickHouse to ask how it reads a query, and queries that are made to mislead.
import { afterAll, beforeAll } from '@jest/globals';
import fc from 'fast-check';
import { connect, getRows, type Connection } from '../../local-service/analytics/engine.mts';
import { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { anyText } from '../support/anyText.mts';

/** A token as ClickHouse names it, such as `['StringLiteral', "'a'"]` */
export type Piece = [type: string, text: string];

/** A ClickHouse for the tests of a file, with its own database */
export function useClickHouse(database: string) {
	let connection: Connection;

	beforeAll(async () => {
		connection = await connect();
		await connection.run(`CREATE DATABASE ${database}`);
		await connection.run(`USE ${database}`);
		await connection.run('CREATE TABLE texts (id UInt32, text String) ENGINE = Memory');
	});
	afterAll(async () => {
		await connection.run(`DROP DATABASE ${database}`);
		await connection.close();
	});

	return {
		/** ClickHouse's own tokens of each text */
		async tokenize(texts: string[]): Promise<Piece[][]> {
			await connection.run('TRUNCATE TABLE texts');
			await connection.insert(
				`${database}.texts`,
				texts.map((text, id) => ({ id, text })),
			);
			const answer = await connection.run(
				'SELECT arrayMap(t -> [toString(t.type), substring(text, t.begin + 1, t.end - t.begin)], tokenizeQuery(text)) AS tokens FROM texts ORDER BY id',
			);
			return getRows<{ tokens: Piece[] }>(answer).map(({ tokens }) => tokens);
		},

		/** The rows that answer a query, or the name of ClickHouse's error, such as `(SYNTAX_ERROR)` */
		async answer(sql: string): Promise<Array<Record<string, unknown>> | string> {
			return await connection.run(sql).then(
				(lines) => getRows<Record<string, unknown>>(lines),
				(error: Error) => /\([A-Z_]+\)\s*$/.exec(error.message)?.[0] ?? error.message,
			);
		},
	};
}

/** Returns the result of `work`, or its error */
export function orRefusal<T>(work: () => T): T | WorkspaceAutomationError {
	try {
		return work();
	} catch (error) {
		if (error instanceof WorkspaceAutomationError) return error;
		throw error;
	}
}

/** Characters that start, end or escape something, and similar ones */
const MARKS = [
	...["'", '"', '`', '‘', '’', '“', '”', "''", '""', '``', "\\'", '\\"', '\\`', '\\\\', '\\'],
	...['--', '-', '//', '/', '#', '# ', '#!', '#\t', '/*', '*/', '*', '/*/', '\n', '\r', '\u2028'],
	...['$$', '$', '$t$', '$tag$', '$1$', '$ $', '$é$', 't$', '$$$', '{', '}', ';', '\\G', '\0'],
	...["x'", "X'41'", "b'", "b'01'", "x'4g'", "E'", "0x'41'", ".5x'41'", '\\x', '\\x4', '\\%'],
];

/** Code, and texts, names and comments from start to end */
const FINISHED = [
	...['a', 'SELECT', ' ', ', ', '(', ')', '[', ']', '::', ':', '!=', '@', '?', '||', '^', '<=>'],
	...['1', '7d', '.', '.5', '1_000', '1.', 't.1', '0x1F', '1e5', '1e-5', '1e', '1e-', 'x', 'p'],
	...['\u00a0', '\ufeff', '\u200b', '\t', '\u2212', '->', "N'a'", 'é', '&', '\u0001', 'e', '%'],
	...["'a'", "'--'", "'/*'", "'it''s'", "'\\''", "'\\\\'", '"--"', '"\'"', '`//`', "`'`", '`a``b`'],
	...["‘it's’", "“'”", "$$'$$", "$t$ $$ ' $t$", '$a$--$a$', "x'41'", "b'01'", "X''"],
	...["-- '\n", "// '\n", "# '\n", "#! '\n", "/* ' */", "/* /* ' */ ' */", '/*/ */', '/**/'],
];

export const marks = fc.constantFrom(...MARKS);
export const finished = fc.constantFrom(...FINISHED);
export const shortText = anyText(3);

/** Texts made of up to `maxLength` of the parts */
export const getMix = (parts: Array<fc.Arbitrary<string>>, maxLength: number, separator = '') =>
	fc.array(fc.oneof(...parts), { maxLength }).map((chosen) => chosen.join(separator));
