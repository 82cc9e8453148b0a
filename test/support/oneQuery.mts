// Represents ClickHouse, which takes seconds to load.
import type { Connect } from '../../local-service/analytics/engine.mts';

/** Returns a ClickHouse that answers one query, with a number. */
export const oneQuery =
	(name: string, value: number): Connect =>
	async () => {
		const query = `SELECT ${value} AS ${name}`;
		return {
			async run(sql) {
				if (sql.includes('formatQuerySingleLine')) return JSON.stringify({ statement: query });
				return sql.includes(query) ? JSON.stringify({ [name]: value }) : '';
			},
			insert: async () => {},
			close: async () => {},
		};
	};
