// Runs queries over the event data of projects: checked, scoped to the caller's projects, limited.
import { ApiError } from '../errors.mts';
import { publicMessage } from './public-message.mts';
import { connect, EngineMissing, getRows, type Connect, type Connection } from './engine.mts';
import { getRefusal } from './guard.mts';
import {
	recompute,
	createTables,
	createViews,
	type ExchangeRate,
	type TrafficEvent,
} from './schema.mts';

/** The document's limits */
const maxRows = 100_000;
const maxSeconds = 60;

/** Because of `readonly`, no query can change them. */
const limits = (seconds: number) =>
	`SET max_execution_time = ${seconds}, max_result_rows = ${maxRows}, result_overflow_mode = 'break', max_memory_usage = 4000000000, readonly = 1`;

/** Events and exchange rates; called at the first query */
export type Traffic = () => { events: TrafficEvent[]; rates: ExchangeRate[] };

interface AnalyticsOptions {
	traffic: Traffic;
	/** Default: chdb */
	connect?: Connect;
	/** The longest that a query may take, in seconds; default: the API document's 60 */
	seconds?: number;
}

export type Analytics = ReturnType<typeof createAnalytics>;

let count = 0;

/** Creates analytics with its own data. Nothing is loaded before the first query. */
export function createAnalytics({
	traffic,
	connect: open = connect,
	seconds = maxSeconds,
}: AnalyticsOptions) {
	const stored = `stored_${++count}`;
	const scopes = new Map<string, { db: string; connection: Promise<Connection> }>();
	let owner: Promise<Owner> | undefined;
	let added = false;

	const own = () =>
		(owner ??= openOwner(open, stored, traffic).catch((error) => {
			owner = undefined; // the next query tries again
			throw error;
		}));

	/** A read-only connection that sees only the views of these projects. */
	function getScope(projects: string[]) {
		const name = [...projects].sort().join();
		let scope = scopes.get(name);
		if (!scope) {
			const db = `${stored}_scope_${scopes.size + 1}`;
			scope = { db, connection: openScope(db, projects) };
			scopes.set(name, scope);
		}
		return scope;
	}

	async function openScope(db: string, projects: string[]): Promise<Connection> {
		await createViews((await own()).connection, db, stored, projects);
		const connection = await open();
		await connection.run(`USE ${db}`);
		await connection.run(limits(seconds));
		return connection;
	}

	return {
		/**
		 * Runs a query over the events of `projects` (UUIDs).
		 * @returns the answer's JSON as text, because it may have numbers that JavaScript cannot represent
		 * @throws ApiError `invalid_request` with ClickHouse's message, `unavailable` where the engine does not load
		 */
		async query(sql: string, projects: string[]): Promise<string> {
			const { connection: parser, tableFunctions } = await own().catch(unavailable);
			const { db, connection } = getScope(projects);
			const refuse = (error: Error) => {
				throw new ApiError('invalid_request', publicMessage(error.message, [db, stored]));
			};
			const statement = await single(parser, sql).catch(refuse);
			const refusal = getRefusal(statement, tableFunctions);
			if (refusal !== undefined) throw new ApiError('invalid_request', `${refusal}.`);
			const lines = await (await connection).run(statement).catch(refuse);
			// The engine stops after the block that reaches the limit, not in the middle of it
			const rows = lines.split('\n').filter(Boolean).slice(0, maxRows);
			return `{"rowCount":${rows.length},"data":[${rows.join(',')}]}`;
		},
		/**
		 * Adds events to those of the start; the roll-ups follow.
		 * @throws ApiError `unavailable` where the engine does not load
		 */
		async add(events: TrafficEvent[]): Promise<void> {
			const { connection } = await own().catch(unavailable);
			added = true;
			await connection.insert(`${stored}.events`, events);
			await recompute(connection, stored);
		},
		/** Removes the events that were added. */
		async reset() {
			if (!added || !owner) return;
			const { connection, traffic: original } = await owner;
			await connection.run(`TRUNCATE TABLE ${stored}.events`);
			if (original.length > 0) await connection.insert(`${stored}.events`, original);
			await recompute(connection, stored);
			added = false;
		},
		async close() {
			const open = [...scopes.values()].map(({ connection }) => connection);
			if (owner) open.push(owner.then(({ connection }) => connection));
			for (const result of await Promise.allSettled(open))
				if (result.status === 'fulfilled') await result.value.close();
			scopes.clear();
			owner = undefined;
		},
	};
}

function unavailable(error: Error): never {
	if (!(error instanceof EngineMissing)) throw error;
	throw new ApiError(
		'unavailable',
		`Analytics needs ClickHouse in the process (chdb), which cannot be installed or loaded on this machine: ${error.message}`,
	);
}

interface Owner {
	connection: Connection;
	/** The events of the start */
	traffic: TrafficEvent[];
	/** Replacement of a table, with arguments */
	tableFunctions: string[];
}

/** Opens the connection with all rights. It stores the data and parses queries, but never runs one. */
async function openOwner(open: Connect, stored: string, traffic: Traffic): Promise<Owner> {
	const connection = await open();
	const { events, rates } = traffic();
	await createTables(connection, stored, events, rates);
	const functions = await connection.run('SELECT name FROM system.table_functions');
	const tableFunctions = getRows<{ name: string }>(functions).map(({ name }) => name);
	return { connection, traffic: events, tableFunctions };
}

/** The query as one line in ClickHouse's own spelling, so that what is checked is what runs. */
async function single(connection: Connection, sql: string): Promise<string> {
	const text = `'${sql.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
	const [{ statement }] = getRows<{ statement: string }>(
		await connection.run(`SELECT formatQuerySingleLine(${text}) AS statement`),
	);
	if (!/^[(\s]*(SELECT|WITH)\b/.test(statement))
		throw new Error('Only a SELECT or WITH statement is available here.');
	return statement;
}
