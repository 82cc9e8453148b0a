// Which columns of which benchmark's table are drawn in docs/benchmarks.md.
import type { Chart } from './chart.mts';

/** By the name of the benchmark */
export const charts: Record<string, Chart> = {
	analytics: {
		title: '100,000 rows of 7 columns: the node beside reading and parsing alone',
		panels: [
			{ column: 'CPU ms', heading: 'Processor time, ms' },
			{ column: 'MB', heading: 'Peak growth of memory, MB' },
		],
		isOurs: (row) => row.startsWith('the node'),
	},
	'big-file': {
		title: 'A file of 10 MiB on its way',
		panels: [
			{ column: 'median MiB', heading: 'Peak growth of memory, MiB' },
			{ column: 'median / file', heading: 'Against the file' },
		],
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
	decisions: {
		title: 'Requests that rules decide, 59 s apart: In the Database beside In Memory',
		panels: [
			{ column: 'in memory s', heading: 'In Memory, s' },
			{ column: 'in the database s', heading: 'In the Database, s' },
			{ column: 'longer s', heading: 'Longer, s' },
		],
	},
	hostile: {
		title: 'One look at a session whose answer was made to be slow to read',
		panels: [{ column: 'ms of processor time', heading: 'Processor time, ms' }],
	},
	hour: {
		title: 'A session of an hour: Run Agent Session, and the workflow built by hand',
		panels: [
			{ column: 'requests', heading: 'Requests' },
			{ column: 'node runs', heading: 'Node runs' },
			{ column: 'KiB written', heading: 'Written, KiB' },
		],
		isOurs: (row) => row.startsWith('node'),
	},
	lists: {
		title: 'A list of 10,000 files: the node beside a minimal n8n node and a loop around axios',
		panels: [
			{ column: 'requests', heading: 'Requests' },
			{ column: 'seconds', heading: 'Time, s' },
		],
		shows: (row) => !row.includes('Limit'),
		isOurs: (row) => row.startsWith('node,'),
	},
	'many-waiting': {
		title: 'Sessions that wait in one execution',
		panels: [
			{ column: 'processor %', heading: 'Processor, %' },
			{ column: 'KiB each', heading: 'Memory each, KiB' },
			{ column: 'late ms, 99 %', heading: 'Timers late, 99 %, ms' },
		],
	},
	paused: {
		title: '200 sessions of one execution while they are waited for',
		panels: [
			{ column: 'processor ms a second', heading: 'Processor, ms a second' },
			{ column: 'requests a second', heading: 'Requests a second' },
		],
		isOurs: (row) => row.includes('sessions'),
	},
	'poll-plan': {
		title: 'Polls of 40,000 sessions of 10 s to 1 h',
		panels: [
			{ column: 'polls', heading: 'Polls a session' },
			{ column: 'delay / length %', heading: 'Delay / length, %' },
		],
		isOurs: (row) => row === 'the node',
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
	sessions: {
		title:
			'Sessions of a minute: requests against the least possible, and how late their end is seen',
		panels: [
			{ column: 'sent / least', heading: 'Requests / least' },
			{ column: 'delay s', heading: 'Delay, s' },
		],
	},
	'shared-key': {
		title: 'Sessions with one key where the service allows 10 requests a second',
		panels: [
			{ column: 'refused %', heading: 'Refused requests, %' },
			{ column: 'most refusals', heading: 'Most for one session' },
			{ column: 'took / least', heading: 'Time / least possible' },
		],
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
	'two-workers': {
		title: 'The same key on two workers that do not know of each other',
		panels: [
			{ column: 'requests', heading: 'Requests' },
			{ column: 'refused %', heading: 'Refused, %' },
			{ column: 'took s', heading: 'Time, s' },
		],
	},
};
