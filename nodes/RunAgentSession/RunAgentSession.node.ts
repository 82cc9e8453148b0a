import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { CREDENTIAL } from '../shared/client/credential';
import { CanceledError, throwIfAborted, toNodeError } from '../shared/errors';
import { continuesOnError, isTool } from '../shared/n8n/aiTool';
import { setSessionCustomData } from '../shared/n8n/customData';
import { readRunIndex } from '../shared/n8n/journal';
import { getProjects } from '../shared/n8n/listSearch';
import {
	warnIfUnconnected,
	pauseExecution,
	deferredUntil,
	requireSelfConnection,
} from './session/pause';
import { createClient } from '../shared/client/createClient';
import { readOptionWords } from '../shared/client/sessions';
import type { ApiClient } from '../shared/client/operations';
import { realClock } from '../shared/client/clock';
import { settleConcurrently } from './session/concurrency';
import {
	findItemRecord,
	isAwaitingApproval,
	openItemRecord,
	requireOpenSession,
} from './session/journal';
import { applyAnswers, look } from './session/look';
import {
	combineFailures,
	canceledError,
	heldFailure,
	sessionFailedError,
	reportToTracing,
	toOutputs,
	type Results,
} from './output';
import { handleWebhook, nextWakeAfterAnswer, takeAnswered } from './approval/page/webhook';
import { readConcurrency, readJob, readWaitMode } from './panel/parameters';
import { OUTPUTS } from './outputs';
import { properties } from './panel/properties';
import type { ItemSettings, SessionJournal, RunDependencies } from './session/run';
import { runSession } from './session/runSession';
import { runTryRules } from './tryRules';

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
				"Connect every output. If 'wait' is 'database', connect Still Running to this node's own input and to nothing else.",
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: Object.values(OUTPUTS).map(() => NodeConnectionTypes.Main),
		outputNames: Object.values(OUTPUTS),
		waitingNodeTooltip:
			'=The session goes on, and is looked at about once a minute. Until then n8n keeps the execution in its database.',
		credentials: [
			{
				name: CREDENTIAL,
				required: true,
				displayOptions: { show: { operation: ['start', 'continue'] } },
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'GET,HEAD,POST',
				path: '={{ $nodeId }}',
				restartWebhook: true,
				isFullPath: true,
				responseMode: 'onReceived',
				responseData: '',
			},
		],
		properties,
	};

	methods = { listSearch: { getProjects } };

	/** Nothing has to be set up: n8n has the webhook while the execution is parked. Its linter asks for these. */
	webhookMethods = {
		default: {
			checkExists: async () => true,
			create: async () => true,
			delete: async () => true,
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await handleWebhook(this);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		if (this.getNodeParameter('operation', 0) === 'tryRules') {
			const items = runTryRules(this);
			return isTool(this) ? [items, [], []] : [[], items, []];
		}
		const wait = readWaitMode(this);
		const parks = wait === 'database';
		const input = this.getInputData();
		const carried = input.map((_, itemIndex) => findItemRecord(this, itemIndex));
		if (parks && carried.every((record) => isAwaitingApproval(this, record))) return [[], [], []];
		const putOff = parks ? deferredUntil(this, realClock.now()) : undefined;
		if (putOff !== undefined) return await pauseExecution(this, [input, [], []], putOff);

		const signal = this.getExecutionCancelSignal?.();
		const asTool = isTool(this);
		const continues = continuesOnError(this);
		const runIndex = readRunIndex(this, 0);
		const readAll = carried.map(async (record, itemIndex) =>
			readJob(this, itemIndex, record && requireOpenSession(record, runIndex)),
		);
		const jobs = await Promise.allSettled(readAll);
		const mistake = jobs.findIndex(({ status }) => status === 'rejected');
		let results: Results = [];
		try {
			// Retry On Fail comes back even after Stop.
			throwIfAborted(signal);
			if (parks) requireSelfConnection(this);
			if (mistake >= 0 && !continues) await readAll[mistake];
			const api = await createClient(this);
			const answered = parks && takeAnswered(this);
			if (answered) {
				for (const [itemIndex, job] of jobs.entries())
					if (job.status === 'fulfilled' && carried[itemIndex]?.read()?.sessionId === answered)
						await applyAnswers(
							job.value,
							createDependencies(this, api, job.value, carried[itemIndex], itemIndex),
						);
				return await pauseExecution(
					this,
					[input, [], []],
					nextWakeAfterAnswer(this, realClock.now()),
				);
			}
			results = await settleConcurrently(jobs, readConcurrency(this), async (job, itemIndex) => {
				throwIfAborted(signal);
				const held = parks && heldFailure(this, input[itemIndex]);
				if (held) throw held;
				if (job.status === 'rejected') throw job.reason;
				const journal = carried[itemIndex] ?? openItemRecord(this, itemIndex, job.value);
				const effects = createDependencies(this, api, job.value, journal, itemIndex);
				const run = job.value.timeouts ? look : runSession;
				const result = await run(job.value, effects);
				if (result.kind === 'failed' && !asTool) throw sessionFailedError(result);
				if (result.kind === 'completed')
					journal.write({ ...journal.read()!, completedIn: runIndex });
				return result;
			});
			throwIfAborted(signal);
			const looks = results.flatMap((result) =>
				result.status === 'fulfilled' ? (result.value.lookAt ?? []) : [],
			);
			const failure = continues || looks.length > 0 ? undefined : combineFailures(this, results);
			if (failure) throw failure;
			const outputs = toOutputs(this, results, !continues && looks.length > 0);
			reportToTracing(this, results);
			for (const [output, name] of Object.values(OUTPUTS).entries())
				if (outputs[output].length > 0 && name !== 'Completed')
					warnIfUnconnected(this, output, name);
			return parks ? await pauseExecution(this, outputs, Math.min(...looks)) : outputs;
		} catch (error) {
			if (error instanceof CanceledError) throw canceledError(this, results);
			throw toNodeError(this.getNode(), error, Math.max(0, mistake));
		}
	}
}

/** What the run of an item needs: the items share one way to the API, and with it one rate limit. */
function createDependencies(
	context: IExecuteFunctions,
	api: ApiClient,
	{ policy }: ItemSettings,
	journal: SessionJournal,
	itemIndex: number,
): RunDependencies {
	// The credential's words for options count where the node has none.
	for (const decision of ['approve', 'deny'] as const)
		if (!policy[`${decision}Values`]?.length)
			policy[`${decision}Values`] = readOptionWords(api, decision);
	return {
		api,
		journal,
		random: Math.random,
		log: (message, about) =>
			context.logger.info(message, { ...about, node: context.getNode().name, itemIndex }),
		onSession: (session) => setSessionCustomData(context, session),
	};
}
