// Many updates against a service that allows few requests a second: what is done, what is lost, and how long it takes.
import { decimals, type Table } from './benchmark.mts';
import { loadHttpRequest, type RunHttpRequest } from './httpRequest.mts';
import { run as runNode } from '../test/engine/engine.mts';
import { onStage, type Stage } from './stage.mts';
import { median, timed } from './statistics.mts';
import { byId } from '../n8n-host/workflows.mts';

export const name = 'rate-limit';
export const about =
	'1,000 updates against a service that allows 50 requests a second and answers 429 with Retry-After to the others';

const UPDATES = 1000;
const LIMIT = { perSecond: 50, burst: 50 };
/** One after the other: n8n prepares all items before it sends the first request, and would do so for all executions at once. */
const RUNS = 3;

/**
 * Seconds from the first update to the last one, for someone who sends each as soon as the service takes it: the first `burst` at
 * once, every other one when the bucket (local-service/rate-limit.mts) has got the next token.
 */
const LEAST_S = (UPDATES - LIMIT.burst) / LIMIT.perSecond;

interface Outcome {
	by: string;
	/** From the start of the execution to its end */
	seconds: number;
	/** Until the first request arrived */
	before: number;
	requests: number;
	refused: number;
	done: number;
	twice: number;
}

export async function run(log: (line: string) => void): Promise<Table> {
	return await onStage(async (stage) => {
		const { tasks } = await stage.service.control.seed();
		const ids: string[] = tasks.map(({ id }: { id: string }) => id);
		await stage.service.control.setRateLimit(LIMIT);

		log(
			`${RUNS} executions of the node, each with a key and so with a limit of its own, about ${Math.round(LEAST_S * 1.2)} s each`,
		);
		const ours: Outcome[] = [];
		for (let run = 1; run <= RUNS; run++)
			ours.push(await measure(stage, `node, run ${run}`, ids, updateByNode));
		log("n8n's HTTP Request node at its defaults, with On Error set to continue");
		const runHttpRequest = await loadHttpRequest(log);
		const theirs = await measure(
			stage,
			'HTTP Request',
			ids,
			async (...given) => await updateByHttpRequest(runHttpRequest, ...given),
		);
		return makeTable(ours, theirs);
	});
}

type Update = (
	credentials: Stage['credentials'],
	items: Array<{ id: string; title: string }>,
) => Promise<void>;

/** Has the updates made, each with a title that tells it from all others, and reads in the service's record what became of them. */
async function measure(
	{ service, credentials }: Stage,
	by: string,
	ids: string[],
	update: Update,
): Promise<Outcome> {
	const key = await service.control.createKey({ name: by });
	const items = Array.from({ length: UPDATES }, (_, index) => ({
		id: ids[index % ids.length],
		title: `${by}: ${index}`,
	}));
	const begin = Date.now();
	const { ms } = await timed(async () => await update({ ...credentials, accessToken: key }, items));

	const requests = (await service.requests()).filter((request) => request.key === by);
	const done = requests
		.filter(({ status }) => status === 200)
		.map(({ body }) => body.title as string);
	const different = new Set(done).size;
	const refused = requests.filter(({ status }) => status === 429).length;
	const before = (Date.parse(requests[0].at) - begin) / 1000;
	return {
		by,
		seconds: ms / 1000,
		before,
		requests: requests.length,
		refused,
		done: different,
		twice: done.length - different,
	};
}

async function updateByNode(
	credentials: Stage['credentials'],
	items: Array<{ id: string; title: string }>,
): Promise<void> {
	const parameters = {
		resource: 'task',
		operation: 'update',
		taskId: byId('={{ $json.id }}'),
		updateFields: { title: '={{ $json.title }}' },
	};
	const { error } = await runNode({ node: 'workspaceAutomation', parameters, credentials, items });
	if (error) throw error;
}

async function updateByHttpRequest(
	runHttpRequest: RunHttpRequest,
	{ baseUrl, accessToken, apiVersion }: Stage['credentials'],
	items: Array<{ id: string; title: string }>,
): Promise<void> {
	const headers = [
		{ name: 'Authorization', value: `Bearer ${accessToken}` },
		{ name: 'Service-Api-Version', value: apiVersion },
	];
	const parameters = {
		method: 'PATCH',
		url: `=${baseUrl}/tasks/{{ $json.id }}`,
		sendHeaders: true,
		headerParameters: { parameters: headers },
		sendBody: true,
		bodyParameters: { parameters: [{ name: 'title', value: '={{ $json.title }}' }] },
	};
	await runHttpRequest(parameters, items);
}

function makeTable(ours: Outcome[], theirs: Outcome): Table {
	const worst = (figure: (outcome: Outcome) => number) => Math.max(...ours.map(figure));
	return {
		columns: [
			'1,000 updates by',
			'requests',
			'refused',
			'done',
			'lost',
			'twice',
			'first after s',
			'seconds',
			'seconds / least',
			'from first on / least',
		],
		rows: [
			[
				'least possible',
				String(UPDATES),
				'0',
				String(UPDATES),
				'0',
				'0',
				decimals(0),
				decimals(LEAST_S),
				decimals(1),
				decimals(1),
			],
			...[...ours, theirs].map((outcome) => [
				outcome.by,
				...[
					outcome.requests,
					outcome.refused,
					outcome.done,
					UPDATES - outcome.done,
					outcome.twice,
				].map(String),
				decimals(outcome.before),
				decimals(outcome.seconds),
				// One that gives up is soon finished.
				...[outcome.seconds, outcome.seconds - outcome.before].map((seconds) =>
					outcome.done === UPDATES ? decimals(seconds / LEAST_S) : '-',
				),
			]),
		],
		expectations: [
			{
				what: 'updates lost by the node, worst run',
				measured: worst(({ done }) => UPDATES - done),
				atMost: 0,
			},
			{
				what: 'updates done twice by the node, worst run',
				measured: worst(({ twice }) => twice),
				atMost: 0,
			},
			{
				what: "node's time from its first request on / least possible, median of the runs",
				measured: median(ours.map(({ seconds, before }) => seconds - before)) / LEAST_S,
				atMost: 1.2,
			},
		],
	};
}
