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
import { sessionRecorder } from '../shared/n8n/customData';
import {
	fingerprintOf,
	itemRecord,
	recordOf,
	runIndexOf,
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
			'Start an agent session in a project, or continue one, and wait for its outcome: completed, failed, still running, or waiting for a person to approve something',
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
		const jobs = this.getInputData().map((_, itemIndex) =>
			checked(() => readJob(this, itemIndex, startedFor(this, itemIndex)?.read()?.sessionId)),
		);
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
					const result = await runSession(job.value, dependenciesOf(job.value, itemIndex));
					if (result.kind === 'failed' && !asTool)
						throw withSession(sessionFailed(result), sessionOf(result));
					return result;
				},
			);
			if (signal?.aborted) throw canceled(this, results);

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
): Promise<(job: Job, itemIndex: number) => RunDependencies> {
	const opened = await openApi(context);
	const { clock, signal } = opened;
	const api = sessionApi(opened);
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
			signal,
			random: Math.random,
			log: (message, about) =>
				context.logger.info(message, { ...about, node: context.getNode().name, itemIndex }),
			onSession,
		};
	};
}
