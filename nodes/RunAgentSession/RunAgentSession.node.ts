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
	withSession,
	WorkspaceAutomationError,
} from '../shared/base/errors';
import { errorJson, toNodeError } from '../shared/base/nodeErrors';
import { handsOnErrors, isTool } from '../shared/n8n/aiTool';
import { sessionRecorder } from '../shared/n8n/customData';
import {
	fingerprintOf,
	itemRecord,
	recordOf,
	runIndexOf,
	type ItemRecord,
} from '../shared/n8n/executionJournal';
import { getProjects } from '../shared/n8n/listSearch/projects';
import { createApiClient } from '../shared/transport/apiClient';
import { clockWith, type Clock } from '../shared/transport/clock';
import { settleConcurrently } from '../shared/transport/concurrency';
import { withoutCancelSignal } from '../shared/transport/httpRequest';
import type { Entry } from './journal';
import { sessionFailed, toJson, toOutputs } from './output';
import { readConcurrency, readJob, readTrial } from './parameters';
import { properties } from './properties';
import { tryRules } from './tryRules';
import { runSession, type Job, type RunDependencies, type RunResult } from './runSession';
import { sessionApi } from './sessionApi';

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
			'Start an agent session in a project, or continue one, and wait for its outcome: completed, failed, still running, or waiting for a human to approve something',
		defaults: { name: 'Run Agent Session' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main, NodeConnectionTypes.Main],
		outputNames: ['Completed', 'Needs Approval', 'Still Running'],
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
		const clock = clockWith(this.getExecutionCancelSignal?.());
		const asTool = isTool(this);
		const continues = handsOnErrors(this);
		const jobs = this.getInputData().map((_, itemIndex) =>
			checked(() => readJob(this, itemIndex, startedFor(this, itemIndex)?.read()?.sessionId)),
		);
		const firstMistake = jobs.findIndex((job) => 'problem' in job);

		try {
			// Retry On Fail comes back even after Stop.
			clock.throwIfAborted();
			if (firstMistake >= 0 && !continues) throw (jobs[firstMistake] as Mistake).problem;
			const dependenciesOf = await createDependencies(this, clock);
			const results = await settleConcurrently(
				jobs,
				readConcurrency(this),
				async (job, itemIndex) => {
					clock.throwIfAborted();
					if ('problem' in job) throw job.problem;
					const result = await runSession(job.value, dependenciesOf(job.value, itemIndex));
					if (result.kind === 'failed' && !asTool)
						throw withSession(sessionFailed(result), sessionOf(result));
					return result;
				},
			);
			throwIfCanceled(this, clock, results);

			const failed = results.flatMap((result, itemIndex) =>
				result.status === 'rejected' ? [{ itemIndex, reason: result.reason as unknown }] : [],
			);
			if (failed.length > 0 && !continues) throw allFailures(this, failed);
			const items = results.map((result, itemIndex) => {
				const pairedItem = { item: itemIndex };
				if (result.status === 'fulfilled') {
					return {
						kind: result.value.kind,
						item: { json: toJson(result.value, asTool), pairedItem },
					};
				}
				const error = toNodeError(this.getNode(), result.reason, itemIndex);
				return {
					kind: 'error' as const,
					item: { json: errorJson(this.getNode(), error), pairedItem },
				};
			});
			return toOutputs(items, asTool);
		} catch (error) {
			if (error instanceof CanceledError)
				throw new NodeOperationError(this.getNode(), 'The execution was canceled');
			throw toNodeError(this.getNode(), error, Math.max(0, firstMistake));
		}
	}
}

/** After Stop every item is dropped; a request of which nobody knows what became is not. */
function throwIfCanceled(
	context: IExecuteFunctions,
	clock: Clock,
	results: Array<PromiseSettledResult<RunResult>>,
): void {
	try {
		clock.throwIfAborted();
	} catch {
		const unknown = results.flatMap((result, itemIndex) => {
			const reason: unknown = result.status === 'rejected' && result.reason;
			const isUnknown = reason instanceof CanceledError || reason instanceof IndeterminateError;
			return isUnknown && !hadNoEffect(reason) ? [`Item ${itemIndex}`] : [];
		});
		const description =
			unknown.length === 0
				? undefined
				: `${unknown.join(', ')}: it is not known whether a request that was under way took effect. A session may have been started: look in the dashboard before you run the workflow again.`;
		throw new NodeOperationError(context.getNode(), 'The execution was canceled', { description });
	}
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

/**
 * The record of the session that an item carries, where this node started it in this execution: however the node is wired into
 * itself, it starts no second one.
 */
function startedFor(context: IExecuteFunctions, itemIndex: number): ItemRecord<Entry> | undefined {
	const { sessionId } = context.getInputData()[itemIndex].json;
	if (typeof sessionId !== 'string' || context.getNodeParameter('operation', itemIndex) !== 'start')
		return undefined;
	const isIt = (entry: Entry) => entry.sessionId === sessionId;
	return recordOf<Entry>(context.getContext('node'), SESSIONS, isIt);
}

/** What the items share: the credential, one rate limit for all, the journal and the list of sessions in the execution's data. */
async function createDependencies(
	context: IExecuteFunctions,
	clock: Clock,
): Promise<(job: Job, itemIndex: number) => RunDependencies> {
	const client = await createApiClient(context, { clock });
	const afterStop = await createApiClient(withoutCancelSignal(context));
	const api = sessionApi(client, afterStop);
	const nodeContext = context.getContext('node');
	const onSession = sessionRecorder(context);
	return (job, itemIndex) => {
		const place = { runIndex: runIndexOf(context, 0), itemIndex };
		const fingerprint = fingerprintOf(job.target.operation, job.target);
		return {
			api,
			journal:
				startedFor(context, itemIndex) ??
				itemRecord<Entry>(nodeContext, SESSIONS, place, fingerprint),
			clock,
			random: Math.random,
			log: (message, about) =>
				context.logger.info(message, { ...about, node: context.getNode().name, itemIndex }),
			onSession,
		};
	};
}
