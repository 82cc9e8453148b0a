import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { createClient } from '../shared/client';
import { clockWith, Stopped, type Clock } from '../shared/clock';
import { CREDENTIAL } from '../shared/connection';
import { settleConcurrently } from '../shared/lanes';
import { getProjects } from '../shared/listSearch/projects';
import { errorJson, inSession, toNodeError } from '../shared/problem';
import { sessionApi } from '../shared/sessions';
import { handsOnErrors, isTool } from '../shared/tool';
import { withoutCancelSignal } from '../shared/transport';
import { sessionRecorder } from '../shared/customData';
import { journalFor } from './journal';
import { sessionFailed, toJson, toOutputs } from './output';
import { readConcurrency, readJob } from './parameters';
import { properties } from './properties';
import { runSession, type Job, type World } from './runSession';

export class RunAgentSession implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Run Agent Session',
		name: 'runAgentSession',
		icon: { light: 'file:runAgentSession.svg', dark: 'file:runAgentSession.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter["operation"] === "continue" ? "Continue a session" : "Start a session" }}',
		description:
			'Start an agent session in a project, or continue one, and wait for its outcome: completed, failed, still running, or waiting for a human to approve something',
		defaults: { name: 'Run Agent Session' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main, NodeConnectionTypes.Main],
		outputNames: ['Completed', 'Needs Approval', 'Still Running'],
		credentials: [{ name: CREDENTIAL, required: true }],
		properties,
	};

	methods = { listSearch: { getProjects } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const clock = clockWith(this.getExecutionCancelSignal?.());
		const asTool = isTool(this);
		const continues = handsOnErrors(this);
		const jobs = this.getInputData().map((_, itemIndex) => checked(() => readJob(this, itemIndex)));
		const firstMistake = jobs.findIndex((job) => 'problem' in job);

		try {
			// Retry On Fail comes back even after Stop.
			clock.throwIfStopped();
			if (firstMistake >= 0 && !continues) throw (jobs[firstMistake] as Mistake).problem;
			const world = await createWorld(this, clock);
			const results = await settleConcurrently(
				jobs,
				readConcurrency(this),
				async (job, itemIndex) => {
					clock.throwIfStopped();
					if ('problem' in job) throw job.problem;
					const outcome = await runSession(job.value, world(job.value, itemIndex));
					if (outcome.kind === 'failed' && !asTool)
						throw inSession(sessionFailed(outcome), outcome.session);
					return outcome;
				},
			);
			clock.throwIfStopped();

			const items = results.map((result, itemIndex) => {
				const pairedItem = { item: itemIndex };
				if (result.status === 'fulfilled') {
					return {
						kind: result.value.kind,
						item: { json: toJson(result.value, asTool), pairedItem },
					};
				}
				const error = toNodeError(this.getNode(), result.reason, itemIndex);
				if (!continues) throw error;
				return {
					kind: 'error' as const,
					item: { json: errorJson(this.getNode(), error), pairedItem },
				};
			});
			return toOutputs(items, asTool);
		} catch (error) {
			if (error instanceof Stopped)
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

/** What the items share: the credential, one pace for all, the journal's home and the list of sessions in the execution's data. */
async function createWorld(
	context: IExecuteFunctions,
	clock: Clock,
): Promise<(job: Job, itemIndex: number) => World> {
	const client = await createClient(context, { clock });
	const afterStop = await createClient(withoutCancelSignal(context));
	const shelf = context.getContext('node');
	const runIndex = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
	const record = sessionRecorder(context);
	return (job, itemIndex) => ({
		api: sessionApi(client),
		apiAfterStop: sessionApi(afterStop),
		journal: journalFor(shelf, runIndex, itemIndex, JSON.stringify(job.target)),
		clock,
		random: Math.random,
		log: (message, about) =>
			context.logger.info(message, { ...about, node: context.getNode().name, itemIndex }),
		onSession: record,
	});
}
