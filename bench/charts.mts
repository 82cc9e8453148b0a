// Which columns of which benchmark's table are drawn in docs/benchmarks.md.
import type { Chart } from './chart.mts';

/** By the name of the benchmark */
export const charts: Record<string, Chart> = {
	analytics: {
		title: '100,000 rows of 7 columns: the node beside reading and parsing alone',
		panels: { 'CPU ms': 'Processor time, ms', MB: 'Peak growth of memory, MB' },
		isOurs: (row) => row.startsWith('the node'),
	},
	'big-file': {
		title: 'A file of 10 MiB on its way',
		panels: { 'median MiB': 'Peak growth of memory, MiB', 'median / file': 'Against the file' },
	},
	'by-hand': {
		title: 'One execution without faults: Run Agent Session, and the workflow built by hand',
		panels: { 'node runs': 'Node runs', 'KiB written': 'Written, KiB', 'KiB kept': 'Kept, KiB' },
		shows: (row) => row.includes('no faults'),
		isOurs: (row) => row.startsWith('node'),
	},
	'cold-start': {
		title: "What a package takes of n8n's start",
		panels: { 'files loaded': 'Files loaded', 'load ms': 'Time, ms', 'heap MB': 'Heap, MB' },
		isOurs: (row) => row === 'this package',
	},
	decisions: {
		title: 'Requests that rules decide, 59 s apart: paused, and kept running',
		panels: {
			'running s': 'Running, s',
			'paused s': 'Paused, s',
			'longer s': 'Longer, s',
		},
	},
	matching: {
		title: 'Processor time of a decision by 1,000 rules',
		panels: { '1000 B ms': '1,000 characters, ms', '1 MiB ms': '1 MiB, ms' },
	},
	hostile: {
		title: 'One look at a session whose answer was made to be slow to read',
		panels: { 'ms of processor time': 'Processor time, ms' },
	},
	lists: {
		title: 'A list of 10,000 files: the node beside a minimal n8n node and a loop around axios',
		panels: { requests: 'Requests', seconds: 'Time, s' },
		shows: (row) => !row.includes('Limit'),
		isOurs: (row) => row.startsWith('node,'),
	},
	'many-waiting': {
		title: 'Sessions that wait in one execution',
		panels: {
			'processor %': 'Processor, %',
			'KiB each': 'Memory each, KiB',
			'late ms, 99 %': 'Timers late, 99 %, ms',
		},
	},
	paused: {
		title: '200 sessions of one execution while they are waited for',
		panels: {
			'processor ms a second': 'Processor, ms a second',
			'requests a second': 'Requests a second',
		},
		isOurs: (row) => row.includes('sessions'),
	},
	'rate-limit': {
		title: '1,000 updates where the service allows 50 requests a second',
		panels: { done: 'Updates done', lost: 'Updates lost', seconds: 'Time, s' },
		isOurs: (row) => row.startsWith('node'),
	},
	sessions: {
		title:
			'Sessions of a minute: requests against the least possible, and how late their end is seen',
		panels: { 'sent / least': 'Requests / least', 'delay s': 'Delay, s' },
	},
	'shared-key': {
		title: 'Sessions with one key where the service allows 10 requests a second',
		panels: {
			'refused %': 'Refused requests, %',
			'most refusals': 'Most for one session',
			'took / least': 'Time / least possible',
		},
	},
	trigger: {
		title: 'A look at 10,000 files of which none is new',
		panels: { s: 'Time, s', MB: 'Memory, MB', 'kB written an execution': 'Written, kB' },
		isOurs: (row) => row.startsWith('trigger'),
	},
	'two-workers': {
		title: 'The same key on two workers that do not know of each other',
		panels: { requests: 'Requests', 'refused %': 'Refused, %', 'took s': 'Time, s' },
	},
};
