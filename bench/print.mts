// Prints a benchmark.
import { styleText } from 'node:util';
import { tableLines } from '../tools/table.mts';
import { decimals, isMet, type Expectation, type Table } from './benchmark.mts';

/** The lines of a table and of what was expected of it. */
export function lines({ columns, rows, expectations }: Table): string[] {
	// Figures end where the one above ends; what they are about begins there.
	const table = tableLines(columns, rows, (column) => column > 0);
	return [table.head, table.rule, ...table.rows, '', ...expectations.map(verdict)];
}

/** Counts are whole. */
const written = (figure: number) => (Number.isInteger(figure) ? String(figure) : decimals(figure));

function verdict(expectation: Expectation): string {
	const { what, measured, atMost } = expectation;
	const mark = isMet(expectation)
		? styleText('green', 'as expected ')
		: styleText('red', 'NOT EXPECTED');
	return `${mark}  ${what}: ${written(measured)}, expected at most ${written(atMost)}`;
}
