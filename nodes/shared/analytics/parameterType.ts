import { endOf } from './scan';

// The type of a query parameter, such as the one in {names:Array(String)}: https://clickhouse.com/docs/reference/data-types

type Piece = 'start' | 'word' | 'number' | 'string' | '(' | ')' | ',' | '=';

const PIECES: ReadonlyArray<[piece: Piece, pattern: RegExp]> = [
	['word', /[A-Za-z_]\w*/y],
	['number', /-?\d+(?:\.\d+)?\b/y],
	['string', /'(?:[^'\\\0]|\\[^\0])*'/y],
	['(', /\(/y],
	[')', /\)/y],
	[',', /,/y],
	['=', /=/y],
];

/** What may follow what: Enum8('a' = 1), Tuple(x UInt8, y Array(String)), DateTime64(3, 'UTC'), double precision */
const FOLLOWERS: Record<Piece, readonly Piece[]> = {
	start: ['word'],
	word: ['word', '(', ')', ','],
	number: [')', ','],
	string: [')', ',', '='],
	'(': ['word', 'number', 'string'],
	')': [')', ','],
	',': ['word', 'number', 'string'],
	'=': ['number'],
};

const SPACE = /\s+/y;

/**
 * Where the ClickHouse type that starts at `start` ends, with the space around it.
 * @returns an offset in `sql`; undefined where no type starts, or it is not finished
 */
export function typeEnd(sql: string, start: number): number | undefined {
	let last: Piece = 'start';
	let depth = 0;
	let end = endOf(SPACE, sql, start);
	for (;;) {
		const found = PIECES.find(
			([piece, pattern]) => FOLLOWERS[last].includes(piece) && endOf(pattern, sql, end) > end,
		);
		if (!found) return depth === 0 && (last === 'word' || last === ')') ? end : undefined;
		const [piece, pattern] = found;
		depth += Number(piece === '(') - Number(piece === ')');
		if (depth < 0 || (depth === 0 && piece === ',')) return undefined;
		last = piece;
		end = endOf(SPACE, sql, endOf(pattern, sql, end));
	}
}
