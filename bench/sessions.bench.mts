// Requests and delay of Run Agent Session at its default settings, for sessions of a minute.
import type { ServedRequest } from '../tools/demoService.mts';
import { decimals, type Table } from './benchmark.mts';
import { run as runNode } from '../test/engine/engine.mts';
import { requestBounds } from './pollBounds.mts';
import { readPolls, getRequests } from './pollRecord.mts';
import { getStretches, type SessionRecord } from './sessionCourse.mts';
import { onStage, type Stage } from './stage.mts';
import { byId } from '../n8n-host/workflows.mts';

export const name = 'sessions';
export const about =
	'requests sent for sessions of 60 s, and how long after their end the node puts them out';

const SHAPES: Array<[shape: string, prompt: string]> = [
	['busy', '[work 60s] [say Done]'],
	['silent', '[idle 60s] [say Done]'],
	['busy, silent, busy', '[work 20s] [idle 20s] [work 20s] [say Done]'],
	['asks a permission', '[work 30s] [ask bash: npm run build] [work 30s] [say Done]'],
];
/** The jitter is left to chance, so one session of each shape would say little. */
const OF_EACH = 3;

interface Measured {
	shape: string;
	/** Polls of the policy, with the best and the worst jitter */
	least: number;
	most: number;
	/** Sent polls */
	requests: number;
	early: number;
	/** From the session's end to the node's output, in milliseconds */
	delay: number;
	/** The interval in force at the end, with the full jitter that it may have */
	interval: number;
}

/** Runs all sessions side by side, each in its own execution. */
export async function run(log: (line: string) => void): Promise<Table> {
	const plan = SHAPES.flatMap((shape) => Array.from({ length: OF_EACH }, () => shape));
	log(`${plan.length} sessions side by side, a little more than a minute`);
	return await onStage(async (stage) => {
		const ended = await Promise.all(
			plan.map(async ([shape, prompt]) => await runToItsEnd(stage, shape, prompt)),
		);
		// Only now: the counting would hold up the executions that are still continuing.
		const [sessions, requests] = await Promise.all([
			stage.service.sessions() as Promise<SessionRecord[]>,
			stage.service.requests(),
		]);
		return makeTable(ended.map((one) => measure(one, sessions, requests)));
	});
}

interface Ended {
	shape: string;
	sessionId: string;
	outputAt: number;
}

async function runToItsEnd(
	{ credentials, projectId }: Stage,
	shape: string,
	prompt: string,
): Promise<Ended> {
	const parameters = {
		operation: 'start',
		projectId: byId(projectId),
		prompt,
		permissionPolicy: 'approve',
		whileWaiting: 'keepRunning',
	};
	const { outputs, error } = await runNode({ node: 'runAgentSession', parameters, credentials });
	const outputAt = Date.now();
	const [completed] = outputs[0] ?? [];
	if (!completed) throw error ?? new Error(`The session "${shape}" did not leave by Completed.`);
	return { shape, sessionId: completed.json.sessionId, outputAt };
}

function measure(
	{ shape, sessionId, outputAt }: Ended,
	sessions: SessionRecord[],
	served: ServedRequest[],
): Measured {
	const session = sessions.find((one) => one.sessionId === sessionId)!;
	const { fewest: least, most } = requestBounds(getStretches(session));
	const { requests, early, lastInterval } = readPolls(getRequests(sessionId, served));
	return {
		shape,
		least,
		most,
		requests,
		early,
		delay: outputAt - Date.parse(session.finishedAt),
		interval: lastInterval * (1 + 1 / 5),
	};
}

function makeTable(sessions: Measured[]): Table {
	const worst = (figure: (session: Measured) => number) => Math.max(...sessions.map(figure));
	const sum = (figure: (session: Measured) => number) =>
		sessions.reduce((total, session) => total + figure(session), 0);
	return {
		columns: [
			'sessions',
			'least',
			'most',
			'sent, most',
			'sent / least',
			'early',
			'interval s',
			'delay s',
			'delay / interval, worst',
		],
		rows: [...new Set(sessions.map(({ shape }) => shape))].map((shape) =>
			rowOf(sessions.filter((session) => session.shape === shape)),
		),
		expectations: [
			{
				what: 'polls sooner than the policy says, worst session',
				measured: worst(({ early }) => early),
				atMost: 0,
			},
			{
				what: 'requests sent / most that the policy needs, worst session',
				measured: worst(({ requests, most }) => requests / most),
				atMost: 1,
			},
			{
				what: 'requests sent / least possible, all sessions together',
				measured: sum(({ requests }) => requests) / sum(({ least }) => least),
				atMost: sum(({ most }) => most) / sum(({ least }) => least),
			},
			{
				what: "delay after the session's end / interval in force, worst session",
				measured: worst(({ delay, interval }) => delay / interval),
				atMost: 1,
			},
		],
	};
}

/** Sessions of the same course have the same bounds and interval. */
function rowOf(sessions: Measured[]): string[] {
	const [{ shape, least, most, interval }] = sessions;
	const requests = sessions.map((session) => session.requests);
	const delays = sessions.map(({ delay }) => delay);
	const sum = (figures: number[]) => figures.reduce((total, figure) => total + figure, 0);
	return [
		`${sessions.length}: ${shape}`,
		String(least),
		String(most),
		String(Math.max(...requests)),
		decimals(sum(requests) / sessions.length / least),
		String(sum(sessions.map(({ early }) => early))),
		decimals(interval / 1000),
		decimals(sum(delays) / sessions.length / 1000),
		decimals(Math.max(...delays) / interval),
	];
}
