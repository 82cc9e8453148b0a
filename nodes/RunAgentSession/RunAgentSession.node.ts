import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { CREDENTIAL } from '../shared/transport/credential';
import { CanceledError, throwIfAborted, toNodeError } from '../shared/base/errors';
import { handsOnErrors, isTool } from '../shared/n8n/aiTool';
import { rememberSession } from '../shared/n8n/customData';
import { runIndexOf } from '../shared/n8n/executionJournal';
import { getProjects } from '../shared/n8n/listSearch';
import { hintAtLooseEnd, park, putOffUntil, requireWayBack } from '../shared/n8n/parking';
import { openApi } from '../shared/api/api';
import { optionWords } from '../shared/api/sessions';
import type { Api } from '../shared/api/operations';
import { realClock } from '../shared/transport/clock';
import { settleConcurrently } from '../shared/transport/concurrency';
import { carriedBy, isWaitedFor, ownRecord, sessionOf } from './carried';
import { applyAnswers, look } from './look';
import {
	allFailures,
	canceled,
	heldFailure,
	OUTPUTS,
	sessionFailed,
	tellTracing,
	toOutputs,
	type Results,
} from './output';
import { answerOnPage, soonAfter, takeAnswered } from './page/webhook';
import { readConcurrency, readJob, waitOf } from './parameters';
import { properties } from './properties';
import type { Job, Journal, RunDependencies } from './run';
import { runSession } from './runSession';
import { tryAll } from './tryRules';

/** Outputs, as n8n's expressions give them */
const named = (names: object): string =>
	JSON.stringify(
		Object.values(names).map((displayName) => ({ type: NodeConnectionTypes.Main, displayName })),
	);

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
		outputs: `={{ $parameter.wait === "database" && $parameter.operation !== "tryRules" ? ${named(OUTPUTS.database)} : ${named(OUTPUTS.memory)} }}`,
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
		return await answerOnPage(this);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		if (this.getNodeParameter('operation', 0) === 'tryRules') return [tryAll(this), [], []];
		const wait = waitOf(this);
		const parks = wait === 'database';
		const input = this.getInputData();
		const carried = input.map((_, itemIndex) => carriedBy(this, itemIndex));
		if (parks && carried.every((record) => isWaitedFor(this, record))) return [[], [], []];
		const putOff = parks ? putOffUntil(this, realClock.now()) : undefined;
		if (putOff !== undefined) return await park(this, [input, [], []], putOff);

		const signal = this.getExecutionCancelSignal?.();
		const asTool = isTool(this);
		const continues = handsOnErrors(this);
		const runIndex = runIndexOf(this, 0);
		const readAll = carried.map(async (record, itemIndex) =>
			readJob(this, itemIndex, record && sessionOf(record, runIndex)),
		);
		const jobs = await Promise.allSettled(readAll);
		const mistake = jobs.findIndex(({ status }) => status === 'rejected');
		let results: Results = [];
		try {
			// Retry On Fail comes back even after Stop.
			throwIfAborted(signal);
			if (parks) requireWayBack(this);
			if (mistake >= 0 && !continues) await readAll[mistake];
			const api = await openApi(this);
			const answered = parks && takeAnswered(this);
			if (answered) {
				for (const [itemIndex, job] of jobs.entries())
					if (job.status === 'fulfilled' && carried[itemIndex]?.read()?.sessionId === answered)
						await applyAnswers(
							job.value,
							dependenciesOf(this, api, job.value, carried[itemIndex], itemIndex),
						);
				return await park(this, [input, [], []], soonAfter(this, realClock.now()));
			}
			results = await settleConcurrently(jobs, readConcurrency(this), async (job, itemIndex) => {
				throwIfAborted(signal);
				const held = parks && heldFailure(this, input[itemIndex]);
				if (held) throw held;
				if (job.status === 'rejected') throw job.reason;
				const journal = carried[itemIndex] ?? ownRecord(this, itemIndex, job.value);
				const effects = dependenciesOf(this, api, job.value, journal, itemIndex);
				const run = job.value.patience ? look : runSession;
				const result = await run(job.value, effects);
				if (result.kind === 'failed' && !asTool) throw sessionFailed(result);
				if (result.kind === 'completed')
					journal.write({ ...journal.read()!, completedIn: runIndex });
				return result;
			});
			throwIfAborted(signal);
			const looks = results.flatMap((result) =>
				result.status === 'fulfilled' ? (result.value.lookAt ?? []) : [],
			);
			const failure = continues || looks.length > 0 ? undefined : allFailures(this, results);
			if (failure) throw failure;
			const outputs = toOutputs(this, results, wait, !continues && looks.length > 0);
			tellTracing(this, results);
			for (const [output, name] of Object.values(OUTPUTS[wait]).entries())
				if (outputs[output].length > 0 && name !== 'Completed') hintAtLooseEnd(this, output, name);
			return parks ? await park(this, outputs, Math.min(...looks)) : outputs;
		} catch (error) {
			if (error instanceof CanceledError) throw canceled(this, results);
			throw toNodeError(this.getNode(), error, Math.max(0, mistake));
		}
	}
}

/** What the run of an item needs: the items share one way to the API, and with it one rate limit. */
function dependenciesOf(
	context: IExecuteFunctions,
	api: Api,
	{ policy }: Job,
	journal: Journal,
	itemIndex: number,
): RunDependencies {
	// The credential's words for options count where the node has none.
	for (const decision of ['approve', 'deny'] as const)
		if (!policy[`${decision}Values`]?.length)
			policy[`${decision}Values`] = optionWords(api, decision);
	return {
		api,
		journal,
		random: Math.random,
		log: (message, about) =>
			context.logger.info(message, { ...about, node: context.getNode().name, itemIndex }),
		onSession: (session) => rememberSession(context, session),
	};
}
