// Requests and time that a long list takes, against the shortest program that reads it.
import axios from 'axios';
import { decimals, type Table } from './benchmark.mts';
import { run as runNode } from '../test/engine/engine.mts';
import { onStage, type Stage } from './stage.mts';
import { median, timed } from './statistics.mts';
import { byId } from '../n8n-host/workflows.mts';
import { apiHeaders } from '../local-service/caller.mts';

export const name = 'lists';
export const about =
	'requests and time for a list of 10,000 files, and requests for a limit of 150';

const FILES = 10_000;
const LARGEST_PAGE = 100;
const LIMIT = 150;
const ROUNDS = 15;

interface Listing {
	ids: string[];
	ms: number;
	/** Limits of the requests */
	asked: number[];
}

export async function run(log: (line: string) => void): Promise<Table> {
	return await onStage(async (stage) => {
		log(`${FILES} files in one folder`);
		const { folderId } = await stage.service.control.fillFiles(stage.projectId, FILES);
		const byNode = async (parameters: object) =>
			await listing(stage, async () => await readByNode(stage, folderId, parameters));
		const byLoop = async () => await listing(stage, async () => await readByLoop(stage, folderId));

		log(`${ROUNDS} rounds of each, in turns, after one that does not count`);
		const rounds: Array<{ node: Listing; loop: Listing }> = [];
		for (let round = 0; round <= ROUNDS; round++) {
			// Who goes first changes, so that neither gets what the other has warmed up.
			const loopFirst = round % 2 === 0 ? await byLoop() : undefined;
			const node = await byNode({ returnAll: true });
			rounds.push({ node, loop: loopFirst ?? (await byLoop()) });
		}
		return makeTable(rounds.slice(1), await byNode({ limit: LIMIT }));
	});
}

/** Reads a list and looks up what the service was asked meanwhile. */
async function listing({ service }: Stage, read: () => Promise<string[]>): Promise<Listing> {
	await service.control.clearRequests();
	const { result: ids, ms } = await timed(read);
	const requests = await service.requests();
	return { ids, ms, asked: requests.map(({ query }) => Number(query.limit)) };
}

async function readByNode(
	{ credentials, projectId }: Stage,
	folderId: string,
	how: object,
): Promise<string[]> {
	const parameters = {
		resource: 'file',
		operation: 'getAll',
		projectId: byId(projectId),
		filters: { parentId: byId(folderId) },
		...how,
	};
	const { outputs, error } = await runNode({
		node: 'workspaceAutomation',
		parameters,
		credentials,
	});
	if (error) throw error;
	return outputs[0].map(({ json }) => json.id);
}

/** Reads the list with a simple loop. */
async function readByLoop({ credentials, projectId }: Stage, parentId: string): Promise<string[]> {
	const { baseUrl, accessToken } = credentials;
	const headers = apiHeaders(accessToken);
	const ids: string[] = [];
	let cursor: string | undefined;
	do {
		const { data } = await axios.get(`${baseUrl}/files`, {
			headers,
			params: { projectId, parentId, limit: LARGEST_PAGE, cursor },
		});
		for (const file of data.data) ids.push(file.id);
		cursor = data.next_cursor ?? undefined;
	} while (cursor !== undefined);
	return ids;
}

function makeTable(rounds: Array<{ node: Listing; loop: Listing }>, limited: Listing): Table {
	const nodes = rounds.map(({ node }) => node);
	const loops = rounds.map(({ loop }) => loop);
	const middle = (listings: Listing[]) => median(listings.map(({ ms }) => ms));
	const ratio = median(rounds.map(({ node, loop }) => node.ms / loop.ms));
	const requests = (listings: Listing[]) => Math.max(...listings.map(({ asked }) => asked.length));
	const missing = ({ ids }: Listing, wanted: number) =>
		Math.abs(wanted - ids.length) + ids.length - new Set(ids).size;
	const row = (what: string, listings: Listing[], figure: string) => [
		what,
		String(listings[0].ids.length),
		String(requests(listings)),
		pages(listings[0].asked),
		decimals(middle(listings) / 1000),
		figure,
	];
	return {
		columns: ['read by', 'files', 'requests', 'asked for', 'seconds', 'seconds / loop'],
		rows: [
			row('axios loop', loops, ''),
			row('node, Return All', nodes, decimals(ratio)),
			row(`node, Limit ${LIMIT}`, [limited], ''),
		],
		expectations: [
			{
				what: 'files missing or double, Return All, worst round',
				measured: Math.max(...nodes.map((node) => missing(node, FILES))),
				atMost: 0,
			},
			{
				what: 'requests, Return All, worst round',
				measured: requests(nodes),
				atMost: FILES / LARGEST_PAGE,
			},
			{ what: "node's time / loop's time, median of the rounds", measured: ratio, atMost: 1.3 },
			{
				what: `files missing or double, Limit ${LIMIT}`,
				measured: missing(limited, LIMIT),
				atMost: 0,
			},
			{
				what: `requests, Limit ${LIMIT}`,
				measured: limited.asked.length,
				atMost: Math.ceil(LIMIT / LARGEST_PAGE),
			},
			{
				what: `files asked for, Limit ${LIMIT}`,
				measured: limited.asked.reduce((sum, asked) => sum + asked, 0),
				atMost: LIMIT,
			},
		],
	};
}

/** `100 x 100`, or `100 + 50` */
function pages(asked: number[]): string {
	const [first] = asked;
	return asked.length > 2 && asked.every((size) => size === first)
		? `${asked.length} x ${first}`
		: asked.join(' + ');
}
