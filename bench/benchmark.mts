// Types of a benchmark. Each is a file `<name>.bench.mts` in this folder that exports `name`, `about` and `run`.

export interface Benchmark {
	/** As it is given on the command line */
	name: string;
	/** The measurement, in one sentence */
	about: string;
	/** Measures, and tells meanwhile what it is doing. */
	run(log: (line: string) => void): Promise<Table>;
}

export interface Table {
	columns: string[];
	/** Title of the row, then its figures */
	rows: string[][];
	expectations: Expectation[];
}

/** A figure that speaks without knowing the machine: a ratio of two things measured in the same run, or a count. */
export interface Expectation {
	what: string;
	measured: number;
	atMost: number;
}

/** Formats a ratio or a number of seconds. */
export const decimals = (figure: number): string => figure.toFixed(2);

/** Judged by the figure as it is printed: a millisecond beyond the limit is no finding. */
export const isMet = ({ measured, atMost }: Expectation): boolean =>
	Number(decimals(measured)) <= atMost;
