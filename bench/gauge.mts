// Loaded into an n8n by NODE_OPTIONS: says every ten seconds, on its own line, what n8n has in use and how much of the processor it has taken.
// The garbage that is collected for it is not counted.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Content of a line after `gauge `: milliseconds since n8n began, and bytes of the heap and of external memory */
export interface Gauge {
	cpuMs: number;
	heap: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
let ofGauge = 0;

const processorMs = () => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
};

function say(): void {
	const before = processorMs();
	for (let time = 0; time < 3; time++) collect();
	const { heapUsed, external } = process.memoryUsage();
	const gauge: Gauge = { cpuMs: before - ofGauge, heap: heapUsed + external };
	console.log(`gauge ${JSON.stringify(gauge)}`);
	ofGauge += processorMs() - before;
}

// Not in what n8n starts itself
if (process.argv[1]?.endsWith('n8n')) setInterval(say, 10_000).unref();
