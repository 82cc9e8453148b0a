import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { CREDENTIAL } from '../shared/transport/credential';
import {
	CanceledError,
	hadNoEffect,
	IndeterminateError,
	throwIfAborted,
	withSession,
	WorkspaceAutomationError,
} from '../shared/base/errors';
import { errorJson, toNodeError } from '../shared/base/nodeErrors';
import { handsOnErrors, isTool } from '../shared/n8n/aiTool';
import { LONGEST_VALUE, sessionRecorder, trace } from '../shared/n8n/customData';
import {
	fingerprintOf,
	itemRecord,
	recordOf,
	runIndexOf,
	type ItemRecord,
} from '../shared/n8n/executionJournal';
import { getProjects } from '../shared/n8n/listSearch/projects';
import { park, putOffUntil } from '../shared/n8n/parking';
import { ancestorOf, comesFromItself, followersOf, hintAtLooseEnd } from '../shared/n8n/wires';
import { openApi } from '../shared/api/api';
import { optionWords } from '../shared/api/sessions';
import type { Api } from '../shared/api/types';
import { realClock } from '../shared/transport/clock';
import { settleConcurrently } from '../shared/transport/concurrency';
import type { Entry } from './journal';
import {
	failedItem,
	heldFailure,
	OUTPUT_NAMES,
	parkedItem,
	sessionFailed,
	toJson,
	toOutputs,
} from './output';
import { look } from './look';
import { isDurable, readConcurrency, readJob, readTrial } from './parameters';
import type { Policy } from './permissionPolicy';
import { properties } from './properties';
import { tryRules } from './tryRules';
import { runSession, type Job, type RunDependencies, type RunResult } from './runSession';
import { sessionApi } from './sessionApi';

/** Outputs, as n8n's expressions give them */
const named = (outputs: readonly string[]): string =>
	JSON.stringify(outputs.map((displayName) => ({ type: NodeConnectionTypes.Main, displayName })));

export class RunAgentSession implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Run Agent Session',
		name: 'runAgentSession',
		icon: { light: 'file:runAgentSession.svg', dark: 'file:runAgentSession.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ { start: "Start a session", continue: "Continue a session", tryRules: "Try rules" }[$parameter["operation"]] }}',
		description:
			'Start an agent session in a project, or continue one, and wait for its outcome: completed, failed, still running, or waiting for a person to approve something',
		defaults: { name: 'Run Agent Session' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				"Connect every output. Where 'wait' is 'database', connect the first, Waiting, with this node's own input and with nothing else.",
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: `={{ $parameter.wait === "database" && $parameter.operation !== "tryRules" ? ${named(OUTPUT_NAMES.database)} : ${named(OUTPUT_NAMES.memory)} }}`,
		waitingNodeTooltip:
			'=The session goes on, and is looked at about once a minute. Until then n8n keeps the execution in its database.',
		credentials: [
			{
				name: CREDENTIAL,
				required: true,
				displayOptions: { show: { operation: ['start', 'continue'] } },
			},
		],
		properties,
	};

	methods = { listSearch: { getProjects } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		if (this.getNodeParameter('operation', 0) === 'tryRules') return tryAllRules(this);
		const signal = this.getExecutionCancelSignal?.();
		const asTool = isTool(this);
		const continues = handsOnErrors(this);
		const durable = isDurable(this);
		const runIndex = runIndexOf(this, 0);
		const input = this.getInputData();
		const putOff = durable ? putOffUntil(this, realClock.now()) : undefined;
		if (putOff !== undefined) return await park(this, [input, [], []], putOff);
		const held = input.map((item) =>
			durable && comesFromItself(this) ? heldFailure(item) : undefined,
		);
		const jobs = input.map((_, itemIndex) =>
			checked(() => {
				if (held[itemIndex]) throw held[itemIndex];
				const carried = carriedBy(this, itemIndex)?.read();
				if ((carried?.completedIn ?? runIndex) < runIndex) throw handedOnBefore(carried!);
				return readJob(this, itemIndex, carried?.sessionId);
			}),
		);
		const firstMistake = jobs.findIndex((job, itemIndex) => 'problem' in job && !held[itemIndex]);

		try {
			// Retry On Fail comes back even after Stop.
			throwIfAborted(signal);
			const wiredWrongly = durable && wayBackProblem(this);
			if (wiredWrongly) throw wiredWrongly;
			if (firstMistake >= 0 && !continues) throw (jobs[firstMistake] as Mistake).problem;
			const dependenciesOf = await createDependencies(this);
			const results = await settleConcurrently(
				jobs,
				readConcurrency(this),
				async (job, itemIndex) => {
					throwIfAborted(signal);
					if ('problem' in job) throw job.problem;
					const dependencies = dependenciesOf(job.value, itemIndex);
					const { patience } = job.value;
					const result = patience
						? await look(job.value, patience, dependencies)
						: await runSession(job.value, dependencies);
					if (result.kind === 'failed' && !asTool)
						throw withSession(sessionFailed(result), sessionOf(result));
					return result;
				},
			);
			if (signal?.aborted) throw canceled(this, results);

			const failed = results.flatMap((result, itemIndex) =>
				result.status === 'rejected' ? [{ itemIndex, reason: result.reason as unknown }] : [],
			);
			const looks = results.flatMap((result) =>
				result.status === 'fulfilled' ? (result.value.lookAt ?? []) : [],
			);
			const holds = !continues && looks.length > 0;
			if (failed.length > 0 && !continues && !holds) throw allFailures(this, failed);
			const items = results.map((result, itemIndex) => {
				const pairedItem = { item: itemIndex };
				const item = { ...input[itemIndex], pairedItem };
				if (result.status === 'fulfilled') {
					const { kind, lookAt, session } = result.value;
					if (kind === 'completed') noteCompletion(this, session.sessionId, runIndex);
					if (lookAt !== undefined) return { kind, item: parkedItem(item, result.value) };
					return { kind, item: { json: toJson(result.value, asTool), pairedItem } };
				}
				if (holds) return { kind: 'stillRunning' as const, item: failedItem(item, result.reason) };
				const error = toNodeError(this.getNode(), result.reason, itemIndex);
				return {
					kind: 'error' as const,
					item: { json: errorJson(this.getNode(), error), pairedItem },
				};
			});
			const wait = durable ? 'database' : 'memory';
			const outputs = toOutputs(items, asTool, wait);
			tellTracing(this, results);
			for (const [output, { length }] of outputs.entries())
				if (length > 0 && !asTool && OUTPUT_NAMES[wait][output] !== 'Completed')
					hintAtLooseEnd(this, output, OUTPUT_NAMES[wait][output]);
			if (!durable) return outputs;
			return await park(this, outputs, Math.min(...looks));
		} catch (error) {
			if (error instanceof CanceledError) throw canceled(this);
			throw toNodeError(this.getNode(), error, Math.max(0, firstMistake));
		}
	}
}

/** The error after Stop, which drops all items. It says where nobody knows what became of a request. */
function canceled(
	context: IExecuteFunctions,
	results: ReadonlyArray<PromiseSettledResult<RunResult>> = [],
): Error {
	const unknown = results.flatMap((result, itemIndex) => {
		const reason: unknown = result.status === 'rejected' && result.reason;
		const isKnown = reason instanceof CanceledError || reason instanceof IndeterminateError;
		return isKnown && !hadNoEffect(reason) ? [`Item ${itemIndex}`] : [];
	});
	const description = `${unknown.join(', ')}: it is not known whether a request that was under way took effect. It may have started a session: look in the dashboard before you run the workflow again.`;
	return new NodeOperationError(context.getNode(), 'The execution was canceled', {
		description: unknown.length > 0 ? description : undefined,
	});
}

/** Where the node's context keeps the records of its sessions */
const SESSIONS = 'sessions';

type Mistake = { problem: unknown };

function checked(read: () => Job): { value: Job } | Mistake {
	try {
		return { value: read() };
	} catch (problem) {
		return { problem };
	}
}

/** The operation Try Rules: an item for each request of each input item. Nothing is sent. */
function tryAllRules(context: IExecuteFunctions): INodeExecutionData[][] {
	const items = context.getInputData().flatMap((_, itemIndex): INodeExecutionData[] => {
		const pairedItem = { item: itemIndex };
		try {
			const { requests, policy } = readTrial(context, itemIndex);
			return tryRules(requests, policy).map((trial) => ({ json: { ...trial }, pairedItem }));
		} catch (thrown) {
			const error = toNodeError(context.getNode(), thrown, itemIndex);
			if (!handsOnErrors(context)) throw error;
			return [{ json: errorJson(context.getNode(), error), pairedItem }];
		}
	});
	return [items, [], []];
}

/** The error of the first item that failed, which names all the others: the node stops, and nobody else tells of them. */
function allFailures(
	context: IExecuteFunctions,
	[first, ...others]: Array<{ itemIndex: number; reason: unknown }>,
): Error {
	const error = toNodeError(context.getNode(), first.reason, first.itemIndex);
	if (others.length === 0) return error;
	const named = others.map(({ itemIndex, reason }) => {
		const { sessionId, dashboardUrl } =
			reason instanceof WorkspaceAutomationError ? reason.context : {};
		const session = sessionId
			? ` (session ${[sessionId, dashboardUrl].filter(Boolean).join(', ')})`
			: '';
		return `Item ${itemIndex}: ${(reason as Error).message}${session}.`;
	});
	error.description = [error.description, 'Other items failed as well.', ...named].join(' ');
	return error;
}

/** The session of a result, as errors name it. */
const sessionOf = ({ session: { sessionId, dashboardUrl }, decisions }: RunResult) => ({
	sessionId,
	dashboardUrl,
	...(decisions.length > 0 && { decisions }),
});

/** Tells n8n's tracing of the sessions, each with what became of it. */
function tellTracing(
	context: IExecuteFunctions,
	results: ReadonlyArray<PromiseSettledResult<RunResult>>,
): void {
	const ended = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
	const all = (of: (result: RunResult) => string) => ended.map(of).join().slice(0, LONGEST_VALUE);
	trace(context, {
		'workspaceAutomation.sessions': all(({ session }) => session.sessionId),
		'workspaceAutomation.statuses': all(({ session }) => session.status),
		'workspaceAutomation.decisions': ended.flatMap(({ decisions }) => decisions).length,
	});
}

/** What is parked comes back by the first output, so that has to lead to the node itself and nowhere else. */
function wayBackProblem(context: IExecuteFunctions): WorkspaceAutomationError | undefined {
	const followers = followersOf(context, 0) ?? [context.getNode().name];
	if (followers.length === 1 && followers[0] === context.getNode().name) return undefined;
	return new WorkspaceAutomationError(
		"'Waiting' does not lead back into this node",
		"Connect the output 'Waiting' of this node with its own input, and with nothing else: what is parked comes back that way. Nothing was started.",
	);
}

/**
 * The record of the session that an item carries, itself or as what it descends from, where this node started it in this execution: however
 * the node is wired into itself, it starts no second one. One that n8n parks goes on without its message, too.
 */
function carriedBy(context: IExecuteFunctions, itemIndex: number): ItemRecord<Entry> | undefined {
	const nodeContext = context.getContext('node');
	const starts = context.getNodeParameter('operation', itemIndex) === 'start';
	for (const item of [context.getInputData()[itemIndex], ancestorOf(context, itemIndex)]) {
		const sessionId = item?.json.sessionId;
		const isIt = (entry: Entry) =>
			entry.sessionId === sessionId &&
			(starts || (entry.parked !== undefined && entry.completedIn === undefined));
		const record = typeof sessionId === 'string' && recordOf<Entry>(nodeContext, SESSIONS, isIt);
		if (record) return record;
	}
	return undefined;
}

/** Notes that a session is over, for an item that comes back with it. */
function noteCompletion(context: IExecuteFunctions, sessionId: string, runIndex: number): void {
	const isIt = (entry: Entry) => entry.sessionId === sessionId;
	const record = recordOf<Entry>(context.getContext('node'), SESSIONS, isIt);
	record?.write({ ...record.read()!, completedIn: runIndex });
}

/** Otherwise a loop would go round for ever. */
const handedOnBefore = ({ sessionId, dashboardUrl }: Entry) =>
	new WorkspaceAutomationError(
		'The session of this item has completed, and was handed on before',
		"What follows 'Completed' leads back into the node that started the session. To give the session another turn, lead it into a Run Agent Session that continues it with a message; for another session, into a node of its own.",
		{ sessionId, dashboardUrl },
	);

/** Lets a policy know the credential's words for options; the node's own win. */
function withWords(policy: Policy, api: Api): void {
	for (const decision of ['approve', 'deny'] as const) {
		const own = policy[`${decision}Values`];
		if (!own?.length) policy[`${decision}Values`] = optionWords(api, decision);
	}
}

/** What the items share: the credential, one rate limit for all, the journal and the list of sessions in the execution's data. */
async function createDependencies(
	context: IExecuteFunctions,
): Promise<(job: Job, itemIndex: number) => RunDependencies> {
	const opened = await openApi(context);
	const { clock, signal } = opened;
	const api = sessionApi(opened);
	const nodeContext = context.getContext('node');
	const onSession = sessionRecorder(context);
	return (job, itemIndex) => {
		const place = { runIndex: runIndexOf(context, 0), itemIndex };
		const fingerprint = fingerprintOf(job.target.operation, job.target);
		withWords(job.policy, opened);
		return {
			api,
			journal:
				carriedBy(context, itemIndex) ??
				itemRecord<Entry>(nodeContext, SESSIONS, place, fingerprint),
			clock,
			signal,
			random: Math.random,
			log: (message, about) =>
				context.logger.info(message, { ...about, node: context.getNode().name, itemIndex }),
			onSession,
		};
	};
}
