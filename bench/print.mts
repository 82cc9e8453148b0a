// Tables for people.
import { styleText } from 'node:util';
import { decimals, isMet, type Expectation, type Table } from './benchmark.mts';

/** The lines of a table and of what was expected of it. */
export function lines({ columns, rows, expectations }: Table): string[] {
	const widths = columns.map((_, column) =>
		Math.max(...[columns, ...rows].map((row) => row[column].length)),
	);
	// Figures end where the one above ends; what they are about begins there.
	const line = (row: string[]) =>
		row
			.map((cell, column) =>
				column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
			)
			.join('  ');
	const rule = widths.map((width) => '-'.repeat(width));
	return [line(columns), line(rule), ...rows.map(line), '', ...expectations.map(verdict)];
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
