// Which columns of which benchmark's table are drawn in docs/benchmarks.md.
import type { Chart } from './chart.mts';

/** By the name of the benchmark; a table that says little as a picture has none. */
export const charts: Record<string, Chart> = {
	analytics: {
		title: '100,000 rows of 7 columns: the node beside reading and parsing alone',
		panels: [
			{ column: 'ms', heading: 'Time, ms' },
			{ column: 'MB', heading: 'Peak growth of memory, MB' },
		],
		isOurs: (row) => row.startsWith('the node'),
	},
	'by-hand': {
		title: 'One execution without faults: Run Agent Session, and the workflow built by hand',
		panels: [
			{ column: 'node runs', heading: 'Node runs' },
			{ column: 'KiB written', heading: 'Written, KiB' },
			{ column: 'KiB kept', heading: 'Kept, KiB' },
		],
		shows: (row) => row.includes('no faults'),
		isOurs: (row) => row.startsWith('node'),
	},
	'cold-start': {
		title: "What a package takes of n8n's start",
		panels: [
			{ column: 'files loaded', heading: 'Files loaded' },
			{ column: 'load ms', heading: 'Time, ms' },
			{ column: 'heap MB', heading: 'Heap, MB' },
		],
		isOurs: (row) => row === 'this package',
	},
	lists: {
		title: 'A list of 10,000 files: the node beside a loop around axios',
		panels: [
			{ column: 'requests', heading: 'Requests' },
			{ column: 'seconds', heading: 'Time, s' },
		],
		shows: (row) => !row.includes('Limit'),
		isOurs: (row) => row.startsWith('node'),
	},
	'rate-limit': {
		title: '1,000 updates where the service allows 50 requests a second',
		panels: [
			{ column: 'done', heading: 'Updates done' },
			{ column: 'lost', heading: 'Updates lost' },
			{ column: 'seconds', heading: 'Time, s' },
		],
		isOurs: (row) => row.startsWith('node'),
	},
	'shared-key': {
		title: 'Sessions with one key, and what they were before a gate spaced their requests',
		panels: [
			{ column: 'refused %', heading: 'Refused requests, %' },
			{ column: 'most refusals', heading: 'Most for one session' },
			{ column: 'took / least', heading: 'Time / least possible' },
		],
		isOurs: (row) => !row.endsWith(', before'),
	},
	trigger: {
		title: 'A look at 10,000 files of which none is new',
		panels: [
			{ column: 's', heading: 'Time, s' },
			{ column: 'MB', heading: 'Memory, MB' },
			{ column: 'kB written an execution', heading: 'Written, kB' },
		],
		isOurs: (row) => row.startsWith('trigger'),
	},
};
