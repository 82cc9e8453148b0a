// ClickHouse in this process (chdb): opened when the first query comes, shared by every service of the process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One connection: a current database and settings of its own, over data that all connections share. */
export interface Connection {
	/**
	 * Runs statements of our own making.
	 * @returns the result's rows as JSON, one a line; empty without rows
	 * @throws Error with ClickHouse's message
	 */
	run(sql: string): Promise<string>;
	/** Adds rows to a table. */
	insert(table: string, rows: object[]): Promise<void>;
	/** Waits for what is still running. */
	close(): Promise<void>;
}

export type Connect = () => Promise<Connection>;

/** The engine cannot be used here: chdb has no binary for this platform, or it does not load. */
export class EngineMissing extends Error {}

// chdb knows one data folder per process: it lives as long as somebody is connected.
let folder: string | undefined;
let connected = 0;

/** @throws EngineMissing */
export const connect: Connect = async () => {
	const chdb = await import('chdb').catch((error: Error) => {
		throw new EngineMissing(error.message.split('\n')[0]);
	});
	folder ??= mkdtempSync(join(tmpdir(), 'workspace-automation-analytics-'));
	const session = new chdb.Session(folder, { connectionArgs: ['--session_timezone=UTC'] });
	connected++;
	return {
		run: async (sql) => (await session.queryAsync(sql, { format: 'JSONEachRow' })).text(),
		async insert(table, rows) {
			const values = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
			await session.insert({ table, values, format: 'JSONEachRow' });
		},
		async close() {
			session.close();
			await chdb.drainPending();
			if (--connected > 0 || folder === undefined) return;
			rmSync(folder, { recursive: true, force: true });
			folder = undefined;
		},
	};
};

/** What a statement answered, read. Numbers beyond 2^53 lose digits: for our own statements only. */
export const rowsOf = <Row,>(lines: string): Row[] =>
	lines
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line));
