// Many sessions under mixed faults, drawn from a seed; afterwards the service's own record is held against what the node returned.
import type { IDataObject } from 'n8n-workflow';
import { createDice } from '../../local-service/faults.mts';
import { run } from '../engine/engine.mts';
import { itemsOn } from '../engine/runAgentSession.mts';
import type { TestService } from '../engine/service.mts';
import { faultsFrom } from './faultRules.mts';
import { getPrompt, rules } from './scripts.mts';
import { byId } from '../../n8n-host/workflows.mts';

const EXPECTED: Record<string, string> = { bash: 'once', edit: 'reject' };

export interface Report {
	sessions: number;
	/** Number of items that completed, asked and failed */
	outcomes: Record<keyof Left, number>;
	faultsMet: number;
	/** Violated rules. If there are any, the node has a bug */
	violations: string[];
}

const UNKNOWN = 'The session may have been started';

const UNREADABLE = ["The session wasn't found", "The session was started and can't be read yet"];

export interface Item {
	index: number;
	prompt: string;
}

/** Items by what became of them, in all runs of the node */
export interface Left {
	completed: any[];
	asked: any[];
	failed: any[];
}

/** Runs the node for all items, and returns what left it. */
export type Execute = (
	items: Item[],
	parameters: IDataObject,
) => Promise<{ left: Left; error?: Error }>;

/** The part of a service's control API that a campaign needs */
type Service = Pick<TestService, 'control' | 'sessions'> & { requests(): Promise<any[]> };

/** In n8n-core's engine */
export const inEngine =
	({ credentials }: TestService): Execute =>
	async (items, parameters) => {
		const execution = await run({
			node: 'runAgentSession',
			credentials,
			items: items as unknown as IDataObject[],
			settings: { onError: 'continueErrorOutput' },
			parameters,
		});
		return {
			left: {
				completed: itemsOn(execution, 'completed'),
				asked: itemsOn(execution, 'needsApproval'),
				failed: itemsOn(execution, 'error'),
			},
			error: execution.error,
		};
	};

/** Runs `count` items under the faults of a seed and judges the result. The service must be as new. `maxWait` is in minutes. */
export async function campaign(
	service: Service,
	execute: Execute,
	seed: number,
	count: number,
	maxWait = 0.6,
): Promise<Report> {
	const dice = createDice(seed);
	const items = Array.from({ length: count }, (_, index) => ({
		index,
		prompt: getPrompt(dice, index),
	}));
	await service.control.addFaults(faultsFrom(dice));
	const { projects } = await service.control.seed();
	const execution = await execute(items, {
		operation: 'start',
		projectId: byId(projects[0].id),
		prompt: '={{ $json.prompt }}',
		permissionPolicy: 'rules',
		permissionRules: { rule: rules },
		defaultDecision: 'ask',
		whileWaiting: 'keepRunning',
		maxWait,
		onMaxWait: 'letRun',
		options: { maxConcurrentSessions: count },
	});
	await service.control.clearFaults();
	const ended = Date.now();
	const requests = await service.requests();
	const violations = execution.error
		? [`the node failed as a whole: ${execution.error.message}`]
		: judge(items, execution.left, await sessionsAsTold(service, requests, ended));
	return {
		sessions: (await service.sessions()).length,
		outcomes: {
			completed: execution.left.completed.length,
			asked: execution.left.asked.length,
			failed: execution.left.failed.length,
		},
		faultsMet: requests.filter((request) => (request as { fault?: unknown }).fault).length,
		violations,
	};
}

/** Faults after which the caller has a reading all the same. */
const READABLE = [
	'latency',
	'content-type',
	'skew',
	'duplicate-interactions',
	'vanishing-interactions',
];

/** A response may reach n8n when Max Wait is over: what was sent in these last milliseconds the node need not know. */
const LAST_MS = 5_000;

/** The service's sessions, each with the last reading that reached the node, which had ended by then: more it cannot know. */
async function sessionsAsTold(service: Service, requests: any[], ended: number): Promise<any[]> {
	const ends = new Set<string>();
	for (const { method, status, answer, fault, at } of requests) {
		// Only a poll is a reading: the response to a decision proves nothing about the session.
		if (method !== 'GET' || Date.parse(at) > ended - LAST_MS) continue;
		if (status !== 200 || !answer?.sessionId || (fault && !READABLE.includes(fault.kind))) continue;
		if (['completed', 'failed'].includes(answer.status)) ends.add(answer.sessionId);
	}
	return (await service.sessions()).map((session) => ({
		...session,
		hadEnded: ends.has(session.sessionId),
	}));
}

/** Each item completes or fails once. A question before that is a notification. */
function judge(items: Item[], { completed, failed }: Left, sessions: any[]): string[] {
	const violations: string[] = [];
	const seen = new Map<number, { isFailed: boolean; json: any }>();
	for (const [isFailed, list] of [[false, completed] as const, [true, failed] as const])
		for (const { json, pairedItem } of list) {
			if (seen.has(pairedItem.item)) violations.push(`item ${pairedItem.item} came out twice`);
			seen.set(pairedItem.item, { isFailed, json });
		}
	for (const { index, prompt } of items) {
		const found = seen.get(index);
		if (!found) violations.push(`item ${index} is lost`);
		else
			violations.push(
				...judgeItem(
					found,
					sessions.filter((session) => session.prompt === prompt),
				).map((what) => `item ${index} (${prompt}): ${what}`),
			);
	}
	return violations;
}

function judgeItem(
	{ isFailed, json }: { isFailed: boolean; json: any },
	sessions: any[],
): string[] {
	// Retry On Fail starts another one for a session that has failed, and for no other.
	const others = sessions.slice(0, -1);
	if (others.some(({ status }) => status !== 'failed'))
		return [`${sessions.length} sessions were started`];
	const session = sessions.at(-1);
	if (isFailed) return judgeError(json, session);
	if (!session) return ['there is no session behind its output'];
	const violations: string[] = [];
	if (json.sessionId !== session.sessionId) violations.push('it names another session');

	if (session.status !== 'completed')
		violations.push(`completed, but the service has it ${session.status}`);

	const decided = session.interactions.filter(({ value }: any) => value !== undefined);
	for (const { permission, value } of decided)
		if (value !== EXPECTED[permission]) violations.push(`${permission} was decided with ${value}`);
	const listed = json.decisions.map(
		({ interactionId, option }: any) => `${interactionId} ${option}`,
	);
	const carriedOut = decided.map(({ id, value }: any) => `${id} ${value}`);
	// A decision without proof at the timeout is reported as such.
	const isReported = (entry: string, fate: string) =>
		json.warnings?.some((warning: string) =>
			warning.startsWith(`Permission request ${entry.split(' ')[0]} ${fate}`),
		);
	for (const entry of listed)
		if (!carriedOut.includes(entry) && !isReported(entry, 'may still be pending'))
			violations.push(`lists ${entry}, which was not carried out`);
	for (const entry of carriedOut)
		if (!listed.includes(entry) && !isReported(entry, 'may have been decided'))
			violations.push(`does not list ${entry}, which was carried out`);
	const twice = json.decisions.filter((_: any, at: number) => listed.indexOf(listed[at]) < at);
	if (twice.length > 0) violations.push(`lists a decision twice: ${JSON.stringify(twice)}`);
	return violations;
}

function judgeError(json: any, session: any): string[] {
	if (json.error === UNKNOWN) return [];
	if (!session)
		return /too many requests|unavailable|couldn.t be reached|No session was started/.test(
			json.error,
		)
			? []
			: [`failed without a session: ${json.error}`];
	if (!json.message.includes(session.sessionId))
		return [`the error does not name the session: ${json.error}`];
	// The last response to the node counts.
	if (json.error.endsWith("It's still running"))
		return session.hadEnded ? ['let run, but it had ended'] : [];
	if (json.error.startsWith('The agent session failed') !== (session.status === 'failed'))
		return [`"${json.error}", but the service has it ${session.status}`];
	// Four 404s in a row are believed, as the API document says; rare, but a fault may do it.
	return session.status === 'failed' || UNREADABLE.includes(json.error)
		? []
		: [`failed with: ${json.error}`];
}
