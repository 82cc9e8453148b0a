// Requests and time that a long list takes, against the shortest n8n node and the shortest program that read it.
import axios from 'axios';
import { decimals, type Table } from './benchmark.mts';
import { run as runNode } from '../test/engine/engine.mts';
import { readByMinimalNode } from './minimalNode.mts';
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
const ROUNDS = 31;
/** The engine compiles our code and n8n's only while they run. */
const WARM_UP_ROUNDS = 5;

interface Listing {
	ids: string[];
	ms: number;
	/** The limit of each request, in order */
	asked: number[];
}

type Round = Record<'node' | 'minimal' | 'loop', Listing>;

export async function run(log: (line: string) => void): Promise<Table> {
	return await onStage(async (stage) => {
		log(`${FILES} files in one folder`);
		const { folderId } = await stage.service.control.fillFiles(stage.projectId, FILES);
		const byNode = async (parameters: object) =>
			await listing(stage, async () => await readByNode(stage, folderId, parameters));
		const ways: Array<[keyof Round, () => Promise<Listing>]> = [
			['node', async () => await byNode({ returnAll: true })],
			[
				'minimal',
				async () => await listing(stage, async () => await readByMinimal(stage, folderId)),
			],
			['loop', async () => await listing(stage, async () => await readByLoop(stage, folderId))],
		];
		log(`${ROUNDS} rounds of each, in turns, after ${WARM_UP_ROUNDS} that don't count`);
		const rounds: Round[] = [];
		for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
			// Who goes first changes, so that none gets what the others have warmed up.
			const first = round % ways.length;
			const listings: Partial<Round> = {};
			for (const [way, read] of [...ways.slice(first), ...ways.slice(0, first)])
				listings[way] = await read();
			rounds.push(listings as Round);
		}
		return makeTable(rounds.slice(WARM_UP_ROUNDS), await byNode({ limit: LIMIT }));
	});
}

/** Reads a list and looks up the requests in the record of the service. */
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

async function readByMinimal({ credentials, projectId }: Stage, parentId: string) {
	const query = { projectId, parentId, limit: LARGEST_PAGE };
	const files = await readByMinimalNode(credentials, '/files', query);
	return files.map(({ id }) => String(id));
}

/** The shortest loop that reads the list. */
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

function makeTable(rounds: Round[], limited: Listing): Table {
	const nodes = rounds.map(({ node }) => node);
	const middle = (listings: Listing[]) => median(listings.map(({ ms }) => ms));
	const ratio = (one: keyof Round, other: keyof Round) =>
		median(rounds.map((round) => round[one].ms / round[other].ms));
	const requests = (listings: Listing[]) => Math.max(...listings.map(({ asked }) => asked.length));
	const missing = ({ ids }: Listing, wanted: number) =>
		Math.abs(wanted - ids.length) + ids.length - new Set(ids).size;
	const row = (what: string, listings: Listing[], ...ratios: string[]) => [
		what,
		String(listings[0].ids.length),
		String(requests(listings)),
		pages(listings[0].asked),
		decimals(middle(listings) / 1000),
		...ratios,
	];
	return {
		columns: [
			'read by',
			'files',
			'requests',
			'asked for',
			'seconds',
			'seconds / minimal node',
			'seconds / loop',
		],
		rows: [
			row(
				'node, Return All',
				nodes,
				...[ratio('node', 'minimal'), ratio('node', 'loop')].map(decimals),
			),
			row(
				'minimal n8n node',
				rounds.map(({ minimal }) => minimal),
				'1.00',
				decimals(ratio('minimal', 'loop')),
			),
			row(
				'axios loop',
				rounds.map(({ loop }) => loop),
				'',
				'1.00',
			),
			row(`node, Limit ${LIMIT}`, [limited], '', ''),
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
			{
				what: "node's time / minimal n8n node's time, median of the rounds",
				measured: ratio('node', 'minimal'),
				atMost: 1.2,
			},
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
