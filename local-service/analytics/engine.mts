// ClickHouse in this process (chdb): opened at the first query, shared by every service of the process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A connection has its own current database and settings; the data is shared by all connections. */
export interface Connection {
	/**
	 * Runs a statement.
	 * @returns the rows as JSON, one per line; an empty text when there are none
	 * @throws Error with ClickHouse's message
	 */
	run(sql: string): Promise<string>;
	/** Adds rows to a table. */
	insert(table: string, rows: object[]): Promise<void>;
	/** Closes the connection after what is still running has ended. */
	close(): Promise<void>;
}

export type Connect = () => Promise<Connection>;

/** chdb could not be installed, has no binary for this platform, or does not load. */
export class EngineMissing extends Error {}

// chdb has one data folder per process, which is kept as long as anybody is connected.
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

/**
 * Connects after `install`, so that only those who send a query wait for it.
 * @param install installs ClickHouse unless that has been done
 */
export const connectAfter =
	(install: () => Promise<void>): Connect =>
	async () => {
		await install().catch((error: Error) => {
			throw new EngineMissing(error.message);
		});
		return await connect();
	};

/** The rows of a result. Numbers beyond 2^53 lose digits, so this is for our own statements only. */
export const getRows = <Row,>(lines: string): Row[] =>
	lines
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line));
