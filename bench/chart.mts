// A picture of a benchmark's table: columns of it as bars, side by side. It is drawn from the figures as the table has them, so that the
// two cannot differ.
import type { TopLevelSpec } from 'vega-lite';
import type { Table } from './benchmark.mts';

/** Part of a table that a chart draws */
export interface Chart {
	title: string;
	/** The heading of each drawn column of the table, with the unit */
	panels: Record<string, string>;
	/** True if a row is drawn, by what it is about; all are by default */
	shows?: (row: string) => boolean;
	/** True if a row is about this package, which stands out; all are by default */
	isOurs?: (row: string) => boolean;
}

type Scheme = keyof typeof COLORS;

/** As GitHub's own pages, where the pictures are shown. Blue beside grey is seen by everybody, and differs in brightness too. */
const COLORS = {
	light: { text: '#1f2328', quiet: '#59636e', ours: '#0969da', others: '#afb8c1' },
	dark: { text: '#f0f6fc', quiet: '#9198a1', ours: '#4493f8', others: '#57606a' },
};

const WIDTH = 800;
const GAP = 24;
const FONT_SIZE = 13;
/** Average width of a letter */
const LETTER = 7.5;
/** Height of a row */
const STEP = 26;
const ROW_AXIS = { domain: false, ticks: false, title: null, labelPadding: 8 };
/** The title, and the headings of the panels */
const HEADS = 64;
const AIR = 12;
/** Room for the figure at the end of the longest bar */
const FIGURE = 56;

/** The chart of a table as SVG. The same figures give the same text. */
export async function draw(chart: Chart, table: Table, scheme: Scheme): Promise<string> {
	const shown = table.rows.filter(([row]) => chart.shows?.(row) ?? true);
	if (shown.length === 0) throw new Error(`There is nothing to draw for "${chart.title}".`);
	const labels = LETTER * Math.max(...shown.map(([row]) => row.length)) + AIR;
	const frame = {
		// Left to itself, Vega takes the texts to be much longer than they are, since nothing here can measure them.
		autosize: 'none' as const,
		padding: { left: labels, right: 0, top: HEADS, bottom: AIR },
		width: WIDTH - labels,
		height: STEP * shown.length,
	};
	const { parse, View } = await import('vega');
	const { compile } = await import('vega-lite');
	const { spec } = compile(specification(chart, { ...table, rows: shown }, frame.width, scheme));
	const view = new View(parse({ ...spec, ...frame }), { renderer: 'none' });
	try {
		return `${await view.toSVG()}\n`;
	} finally {
		view.finalize();
	}
}

function specification(
	{ title, panels, isOurs = () => true }: Chart,
	{ columns, rows }: Table,
	allWidth: number,
	scheme: Scheme,
): TopLevelSpec {
	const { text, quiet, ours, others } = COLORS[scheme];
	const drawn = Object.entries(panels);
	const width = (allWidth - GAP * (drawn.length - 1)) / drawn.length;
	return {
		background: 'transparent',
		title: { text: title, dx: allWidth - WIDTH + 2, offset: 24 },
		spacing: GAP,
		bounds: 'flush',
		hconcat: drawn.map(([column, heading], panel) => {
			const index = columns.indexOf(column);
			if (index < 0) throw new Error(`The table has no column "${column}".`);
			// A cell that is empty or has no figure gets no bar.
			const bars = rows
				.map((cells, place) => ({
					place,
					row: cells[0],
					figure: cells[index],
					value: parseFloat(cells[index]),
				}))
				.filter(({ value }) => !Number.isNaN(value))
				.map((bar) => ({ ...bar, color: isOurs(bar.row) ? ours : others }));
			const most = Math.max(...bars.map(({ value }) => value), 0) || 1;
			return {
				title: { text: heading, color: quiet, fontWeight: 'normal', fontSize: FONT_SIZE },
				width,
				height: { step: STEP },
				data: { values: bars },
				encoding: {
					y: {
						// By its place: several rows may be about the same.
						field: 'place',
						type: 'nominal',
						scale: { domain: rows.map((_, place) => place) },
						axis:
							panel === 0
								? {
										...ROW_AXIS,
										labelExpr: `${JSON.stringify(rows.map(([row]) => row))}[datum.value]`,
									}
								: null,
					},
					x: {
						field: 'value',
						type: 'quantitative',
						axis: null,
						scale: { domain: [0, (most * width) / (width - FIGURE)], nice: false },
					},
				},
				layer: [
					{
						mark: { type: 'bar', height: 16 },
						encoding: { color: { field: 'color', type: 'nominal', scale: null } },
					},
					{
						mark: { type: 'text', align: 'left', baseline: 'middle', dx: 5 },
						encoding: { text: { field: 'figure', type: 'nominal' } },
					},
				],
			};
		}),
		config: {
			// GitHub shows the picture as one, with its own text beside it.
			aria: false,
			font: '-apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif',
			view: { stroke: null },
			axis: { labelColor: text, labelFontSize: FONT_SIZE, labelLimit: 0 },
			text: { color: text, fontSize: FONT_SIZE },
			title: {
				frame: 'group',
				anchor: 'start',
				color: text,
				fontSize: FONT_SIZE + 1,
				fontWeight: 600,
			},
		},
	};
}
