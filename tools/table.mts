// Tables for people who read a terminal.

/**
 * The lines of a table, with a rule below the head.
 * @param alignedRight whether the cells of a column end one below the other, as figures do; all begin one below the other by default
 */
export function tableLines(
	head: string[],
	rows: string[][],
	alignedRight: (column: number) => boolean = () => false,
): { head: string; rule: string; rows: string[] } {
	const widths = head.map((_, column) =>
		Math.max(...[head, ...rows].map((row) => row[column].length)),
	);
	const line = (row: string[]) =>
		row
			.map((cell, column) =>
				alignedRight(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
			)
			.join('  ')
			.trimEnd();
	return {
		head: line(head),
		rule: line(widths.map((width) => '-'.repeat(width))),
		rows: rows.map(line),
	};
}
