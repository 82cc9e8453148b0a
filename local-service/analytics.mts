// Rows that look like a project's traffic. Which columns a query selects plays no part: every row has the same ones.
import { numberOf } from './ids.mts';

/** The document's limit */
export const maxRows = 100_000;
const usualRows = 10;

const pages = [
	{ path: '/', title: 'Home' },
	{ path: '/shop', title: 'Shop' },
	{ path: '/about', title: 'About us' },
	{ path: '/blog/spring', title: 'Spring is here' },
];

/** The statement without comments, quoted texts and a closing semicolon: what is left can be judged by its words. */
const bare = (query: string) =>
	query
		.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
		.replaceAll(/'(?:[^'\\]|\\.|'')*'/g, "''")
		.trim()
		.replace(/;$/, '');

/** Whether the query is one SELECT or WITH statement. */
export const isReadOnly = (query: string): boolean => /^\(*\s*(select|with)\b[^;]*$/i.test(bare(query));

/** The number of rows that a query asks for, at most the limit. */
export function rowsWanted(query: string): number {
	const [, limit] = /\blimit\s+(\d+)\s*$/i.exec(bare(query)) ?? [];
	return Math.min(limit === undefined ? usualRows : Number(limit), maxRows);
}

/** Always the same rows; the latest day is that of `now` (milliseconds). */
export function fixedRows(count: number, now: number): Array<Record<string, unknown>> {
	return Array.from({ length: count }, (_, index) => {
		const views = 20 + ((index * 37) % 400);
		return {
			day: new Date(now - Math.floor(index / pages.length) * 86_400_000).toISOString().slice(0, 10),
			...pages[index % pages.length],
			views,
			sessions: Math.ceil(views * 0.7),
			revenueUsd: numberOf(`revenue:${index % 500}`, 90_000) / 100,
		};
	});
}
