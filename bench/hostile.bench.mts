// Answers that are made to cost as much as they can, of the largest size that is read of a session: what one check each takes of the
// processor.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { run as runNode } from '../test/engine/engine.mts';
import { decimals, type Table } from './benchmark.mts';
import { median } from './statistics.mts';
import { byId } from '../n8n-host/workflows.mts';
import { credentialFor } from '../local-service/caller.mts';

export const name = 'hostile';
export const about =
	'processor time of one look at a session whose answer of 1 MiB is made to be slow to read, with 20 rules';

const ROUNDS = 5;
/** Answers in the table beside the ordinary one: the slowest */
const SHOWN = 5;
const AT_MOST_MS = 200;
const SIZE = 1024 * 1024;
const SESSION = '5f3ab873-2160-4034-856c-f981ef6c0c20';
const KEY = 'wa_live/aaaa+key';

/** An answer of the largest size: `text` is repeated where the template has its place */
function filled(template: string, text: string, size = SIZE): string {
	const room = size - 2_000 - template.length;
	return template.replace('@', () => text.repeat(Math.floor(room / text.length)));
}

const asking = (request: string) =>
	`{"status":"running","pendingInteractions":[{"id":"1","type":"permission",${request}}]}`;
const OPTIONS = '"response":{"options":[{"value":"once","label":"Once"}]}';

const ANSWERS: Record<string, string> = {
	'an ordinary session': asking(`"permission":"bash","patterns":["npm test"],${OPTIONS}`),
	'escaped slashes': filled(`{"status":"running","error":"@"}`, '\\/'),
	'escaped letters': filled(`{"status":"running","error":"@"}`, '\\u0061'),
	'half the key, again and again': filled(`{"status":"running","error":"@"}`, 'wa_live\\/aaaa+'),
	'lists in lists': `{"status":"running","x":${'['.repeat(250_000)}${']'.repeat(250_000)}}`,
	'short keys': filled(`{"status":"running","x":{@"z":0}}`, '"a":0,'),
	'one long command': filled(asking(`"permission":"bash","patterns":["@"],${OPTIONS}`), 'a '),
	'commands in a row': filled(asking(`"permission":"bash","patterns":["@"],${OPTIONS}`), 'a;'),
	// Longer ones are left to a person without a comparison.
	'the longest command that rules read': filled(
		asking(`"permission":"bash","patterns":["@"],${OPTIONS}`),
		'a;',
		100_000,
	),
	'as many brackets': filled(
		asking(`"permission":"bash","patterns":["@"],${OPTIONS}`),
		'(',
		100_000,
	),
	'open brackets': filled(asking(`"permission":"bash","patterns":["@"],${OPTIONS}`), '('),
	'many patterns': filled(asking(`"permission":"bash","patterns":[@"x"],${OPTIONS}`), '"a*b",'),
	'many options': filled(
		asking(`"permission":"bash","patterns":["npm test"],"response":{"options":[@{}]}`),
		'{"value":"allow","label":"yes"},',
	),
	'many requests': filled(
		`{"status":"running","pendingInteractions":[@{}]}`,
		'{"id":"1","type":"permission","permission":"bash","patterns":["a;b"]},',
	),
	metadata: filled(
		asking(`"permission":"edit","patterns":["x"],"metadata":{"diff":"@"},${OPTIONS}`),
		'\\n<@everyone>',
	),
};

const rules = Array.from({ length: 20 }, (_, index) => ({
	permission: 'bash',
	pattern: `*a*${index}*b`,
	decision: index % 2 === 0 ? 'deny' : 'approve',
}));

export async function run(log: (line: string) => void): Promise<Table> {
	let answer = '';
	let polls = 0;
	const server = createServer(({ method }, response) => {
		if (method === 'GET') polls++;
		response.setHeader('content-type', 'application/json').end(answer);
	});
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	const { port } = server.address() as AddressInfo;
	const look = async () => {
		const pollsBefore = polls;
		const before = process.cpuUsage();
		const { error } = await runNode({
			node: 'runAgentSession',
			credentials: credentialFor({ baseUrl: `http://127.0.0.1:${port}/v1`, key: KEY }),
			parameters: {
				operation: 'continue',
				sessionId: byId(SESSION),
				permissionPolicy: 'rules',
				permissionRules: { rule: rules },
				defaultDecision: 'ask',
				whileWaiting: 'keepRunning',
				// One poll
				maxWait: 0,
				onMaxWait: 'letRun',
			},
		});
		if (error && !/still running|status of the session|too large/.test(error.message)) throw error;
		const { user, system } = process.cpuUsage(before);
		if (polls === pollsBefore) throw new Error('The node has not polled the session.');
		return (user + system) / 1_000;
	};
	log(
		`${ROUNDS} rounds of each; the time is that of the whole execution, and of the server that answers`,
	);
	const rows: Array<{ of: string; ms: number }> = [];
	for (const [of, text] of Object.entries(ANSWERS)) {
		answer = text;
		await look();
		const times: number[] = [];
		for (let round = 0; round < ROUNDS; round++) times.push(await look());
		rows.push({ of, ms: median(times) });
	}
	server.close();
	const [ordinary, ...others] = rows;
	const slowest = others.sort((one, other) => other.ms - one.ms);
	const [worst] = slowest;
	return {
		columns: ['an answer of', 'ms of processor time'],
		rows: [ordinary, ...slowest.slice(0, SHOWN)].map(({ of, ms }) => [of, decimals(ms)]),
		expectations: [{ what: `ms, at worst (${worst.of})`, measured: worst.ms, atMost: AT_MOST_MS }],
	};
}
