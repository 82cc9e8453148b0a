// A large result of analytics through the node, beside reading and parsing the same body.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import axios from 'axios';
import { startGuarded } from '../n8n-host/guarded.mts';
import { decimals, type Table } from './benchmark.mts';
import type { Read, Reading, Way } from './rowsRun.mts';
import { onStage } from './stage.mts';
import { median } from './statistics.mts';
import { apiHeaders } from '../local-service/caller.mts';

export const name = 'analytics';
export const about =
	'processor time and memory that 100,000 rows of 7 columns take, beside reading and parsing the same body';

const ROWS = 100_000;
const ROUNDS = 9;
const WAYS: Way[] = ['parse', 'items', 'one item'];
const AT_MOST = { cpuMs: 1.2, growth: 1.2 };
const program = fileURLToPath(new URL('./rowsRun.mts', import.meta.url));

/** Seven columns of the kinds that people ask for */
const query = (rows: number) => `
	SELECT toDate('2026-01-01') + number % 300 AS day, 'www.juniper-coffee.example' AS domain, concat('/shop/item-', toString(number % 5000)) AS path,
		number % 997 AS views, toUInt64(number % 997 * 0.7) AS sessions, round(number % 9973 / 7, 2) AS revenue_usd, toString(toUUID('5f3ab873-2160-4034-856c-f981ef6c0c20')) AS subject
	FROM numbers(${rows})`;

export async function run(log: (line: string) => void): Promise<Table> {
	return await onStage(async ({ credentials }) => {
		const ask = async (rows: number) => {
			const headers = apiHeaders(credentials.accessToken);
			return (
				await axios.post<Buffer>(
					`${credentials.baseUrl}/analytics/query`,
					{ query: query(rows) },
					{ headers, responseType: 'arraybuffer' },
				)
			).data;
		};
		const answers = { few: await ask(100), many: await ask(ROWS) };
		log(
			`the local service answered with ${decimals(answers.many.length / 1e6)} MB; from here on a bare server repeats that answer`,
		);
		log(`${ROUNDS} rounds, each way in a fresh process`);
		return makeTable(await measured(answers, credentials));
	});
}

/** What each way took, round after round. */
async function measured(
	answers: { few: Buffer; many: Buffer },
	credentials: Reading['credentials'],
): Promise<Map<Way, Read[]>> {
	const server = createServer((request, response) => {
		request.setEncoding('utf8').on('data', (body: string) => {
			response
				.setHeader('content-type', 'application/json; charset=utf-8')
				.end(body.includes('many') ? answers.many : answers.few);
		});
	});
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
	const figures = new Map<Way, Read[]>(WAYS.map((way) => [way, []]));
	try {
		for (let round = 0; round < ROUNDS; round++) {
			for (const way of WAYS)
				figures.get(way)!.push(await read({ way, credentials: { ...credentials, baseUrl } }));
		}
	} finally {
		server.close();
	}
	return figures;
}

/** Reads the response in a separate process. */
async function read(reading: Reading): Promise<Read> {
	let answer: string | undefined;
	const child = startGuarded(process.execPath, ['--expose-gc', program, JSON.stringify(reading)], {
		onLine: (line) => line.startsWith('{"rows"') && (answer = line),
	});
	const code = await child.exited;
	if (code !== 0 || answer === undefined)
		throw new Error(`The rows were not read:\n${child.tail()}`);
	return JSON.parse(answer) as Read;
}

function makeTable(figures: Map<Way, Read[]>): Table {
	const middle = (way: Way, figure: 'cpuMs' | 'parseMs' | 'growth') =>
		median(figures.get(way)!.map((one) => one[figure]!));
	/** Against reading and parsing in the same round */
	const ratio = (way: Way, figure: 'cpuMs' | 'parseMs' | 'growth') => {
		const reads = figures.get('parse')!;
		return median(
			figures
				.get(way)!
				.map((one, round) => one[figure]! / reads[round][figure === 'parseMs' ? 'cpuMs' : figure]),
		);
	};
	const title = (way: Way) =>
		way === 'parse'
			? 'read with axios, JSON.parse'
			: `the node, rows ${way === 'items' ? 'as items' : 'in one item'}`;
	return {
		columns: ['100,000 rows', 'CPU ms', 'MB', 'CPU ms / read and parse', 'MB / read and parse'],
		rows: [
			[
				'JSON.parse alone',
				middle('parse', 'parseMs').toFixed(0),
				'',
				decimals(ratio('parse', 'parseMs')),
				'',
			],
			...WAYS.map((way) => [
				title(way),
				middle(way, 'cpuMs').toFixed(0),
				(middle(way, 'growth') / 1e6).toFixed(0),
				decimals(ratio(way, 'cpuMs')),
				decimals(ratio(way, 'growth')),
			]),
		],
		expectations: WAYS.filter((way) => way !== 'parse').flatMap((way) => [
			{
				what: `rows that are missing, ${title(way)}`,
				measured: ROWS - Math.min(...figures.get(way)!.map(({ rows }) => rows)),
				atMost: 0,
			},
			{
				what: `processor time / reading and parsing the same body, ${title(way)}, median of the rounds`,
				measured: ratio(way, 'cpuMs'),
				atMost: AT_MOST.cpuMs,
			},
			{
				what: `peak growth of memory / reading and parsing the same body, ${title(way)}, median of the rounds`,
				measured: ratio(way, 'growth'),
				atMost: AT_MOST.growth,
			},
		]),
	};
}
