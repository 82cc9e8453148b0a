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
	throwIfAborted,
	withSession,
	WorkspaceAutomationError,
} from '../shared/base/errors';
import { errorJson, toNodeError } from '../shared/base/nodeErrors';
import { handsOnErrors, isTool } from '../shared/n8n/aiTool';
import { sessionRecorder } from '../shared/n8n/customData';
import {
	fingerprintOf,
	itemRecord,
	runIndexOf,
	unsavedContext,
	type ItemRecord,
} from '../shared/n8n/executionJournal';
import { getProjects } from '../shared/n8n/listSearch/projects';
import { openApi } from '../shared/api/api';
import { settleConcurrently } from '../shared/transport/concurrency';
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
		const signal = this.getExecutionCancelSignal?.();
		const asTool = isTool(this);
		const continues = handsOnErrors(this);
		const jobs = this.getInputData().map((_, itemIndex) => checked(() => readJob(this, itemIndex)));
		const firstMistake = jobs.findIndex((job) => 'problem' in job);

		try {
			// Retry On Fail comes back even after Stop.
			throwIfAborted(signal);
			if (firstMistake >= 0 && !continues) throw (jobs[firstMistake] as Mistake).problem;
			const dependenciesOf = await createDependencies(this);
			const results = await settleConcurrently(
				jobs,
				readConcurrency(this),
				async (job, itemIndex) => {
					throwIfAborted(signal);
					if ('problem' in job) throw job.problem;
					const { completed, ...dependencies } = dependenciesOf(job.value, itemIndex);
					const result = completed.read() ?? (await runSession(job.value, dependencies));
					// Retry On Fail comes back with all items: what has completed is not asked for again.
					if (result.kind === 'completed') completed.write(result);
					if (result.kind === 'failed' && !asTool)
						throw withSession(sessionFailed(result), sessionOf(result));
					return result;
				},
			);
			throwIfAborted(signal);

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

interface ItemDependencies extends RunDependencies {
	/** The result of an earlier try */
	completed: ItemRecord<RunResult>;
}

/** What the items share: the credential, one rate limit for all, the journal and the list of sessions in the execution's data. */
async function createDependencies(
	context: IExecuteFunctions,
): Promise<(job: Job, itemIndex: number) => ItemDependencies> {
	const api = await openApi(context);
	const nodeContext = context.getContext('node');
	const onSession = sessionRecorder(context);
	return (job, itemIndex) => {
		const place = { runIndex: runIndexOf(context, 0), itemIndex };
		const fingerprint = fingerprintOf(job.target.operation, job.target);
		return {
			api: sessionApi(api),
			journal: itemRecord<Entry>(nodeContext, 'sessions', place, fingerprint),
			completed: itemRecord<RunResult>(unsavedContext(nodeContext), 'results', place, fingerprint),
			clock: api.clock,
			signal: api.signal,
			random: Math.random,
			log: (message, about) =>
				context.logger.info(message, { ...about, node: context.getNode().name, itemIndex }),
			onSession,
		};
	};
}
