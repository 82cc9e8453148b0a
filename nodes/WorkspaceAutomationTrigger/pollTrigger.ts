import type {
	Failure,
	IDataObject,
	INodeExecutionData,
	IPollFunctions,
	WorkflowActivateMode,
} from 'n8n-workflow';

import { createClient } from '../shared/client/createClient';
import { isPassingRefusal, isRejection } from '../shared/client/retryPolicy';
import { toNodeError, WorkspaceAutomationError } from '../shared/errors';
import { readParameter, type Panel } from '../shared/n8n/fields';
import { fingerprint, toWords } from '../shared/values';
import { creationTime, findChanges, NOTHING_SEEN, type SeenState } from './compare';
import { EVENTS } from './events';
import { event as eventField, includeExisting, maxEvents } from './panel';
import { SOURCES } from './sources';
import { ConfigurationError, readSeen, toItem, toState, type TriggerState } from './state';

/** Losing access looks like a removal, so a single read isn't enough. */
const MIN_READS_WITHOUT = 3;

/** n8n saves a trigger's data only with its items, so this state stays in the process. */
interface Watch {
	isPolling: boolean;
	hasBaseline: boolean;
	failures: number;
	missing: SeenState['missing'];
	/** The state after a poll without items, which n8n 2.41's durable scheduler forgets, and the fingerprint of the state before */
	unsaved?: { from: string; state: TriggerState };
}

/** By workflow and node. Spares a removal two more polls. A missing trigger hasn't been polled since n8n started. */
const watches = new Map<string, Watch>();

async function openWatched(context: IPollFunctions, warnings: string[] = []) {
	const panel = context as unknown as Panel;
	const existing = readParameter(panel, includeExisting, 'options.');
	const most = readParameter(panel, maxEvents, 'options.');
	const value = readParameter(panel, eventField);
	const event = EVENTS.find((each) => each.value === value)!;
	const source = SOURCES[event.resource](panel);
	const api = await createClient(context);
	const overrides = api.overrideFingerprint(source.operation);
	const parts = [context.getWorkflow().id, value, source.target, api.baseUrl, overrides];
	const scope = fingerprint(JSON.stringify(parts));
	const deadline = api.clock.monotonicMs() + (context.getPollBudgetMs?.() ?? source.patienceMs);
	const warn = (message: string) => {
		warnings.push(message);
		context.logger.warn(message, { node: context.getNode().name });
	};
	return { source, event, api, scope, existing, most, deadline, warn };
}

/** Before the first request, every error is in the settings. */
const toConfigurationError = (error: unknown): never => {
	if (!(error instanceof WorkspaceAutomationError)) throw error;
	throw new ConfigurationError(error.message, error.description);
};

const scopeFingerprint = (state: unknown) => fingerprint(JSON.stringify(state) ?? '');

/** Returns the changes. Writes the state once, at the end, and only if it differs. */
async function changedItems(context: IPollFunctions, watch: Watch): Promise<IDataObject[]> {
	const watched = await openWatched(context).catch(toConfigurationError);
	const { source, event, api, scope, existing, most } = watched;
	const { on, isChange, resource, keeping } = event;
	const data = context.getWorkflowStaticData('node');
	const from = scopeFingerprint(data.state);
	const last =
		watch.unsaved?.from === from ? watch.unsaved.state : (data.state as TriggerState | undefined);
	const seen = readSeen(last, keeping, scope);
	watch.hasBaseline = seen !== undefined;

	const lists = await source.read(watched);
	const now = api.clock.now();
	const { changes, memory } = findChanges(
		seen ? { seen, missing: watch.missing } : NOTHING_SEEN,
		lists,
		{
			on,
			existing,
			isChange:
				isChange &&
				((...marks) => {
					const [before, after] = marks.map((mark) => JSON.parse(mark) as IDataObject);
					return isChange(before, after, now);
				}),
			goneAfter: resource === 'row' ? 1 : MIN_READS_WITHOUT,
			most,
		},
	);

	const turn = seen ? (last?.turn ?? 0) + (changes.length > 0 ? 1 : 0) : now;
	const state = toState(memory, keeping, { scope, turn });
	if (scopeFingerprint(state) !== from) data.state = state as unknown as IDataObject;
	watch.missing = memory.missing;
	watch.failures = 0;
	// Emitted items don't count here: n8n may have discarded them together with the state.
	watch.unsaved = changes.length === 0 ? { from, state } : undefined;
	return changes.map((change) => toItem(change, event, seen && turn));
}

/** Consecutive failures that are only logged while the service is in trouble */
const MAX_QUIET_FAILURES = 2;

interface PollSituation {
	/** The reason why n8n started the trigger, the same for all of its polls */
	activation: WorkflowActivateMode;
	isFirst: boolean;
	hasBaseline: boolean;
	/** Consecutive failed polls, including this one */
	failures: number;
}

/** Returns whether the next poll may succeed: the service is in trouble, or the watched things aren't found for now. */
function isTransient(error: unknown): boolean {
	if (!(error instanceof WorkspaceAutomationError) || error instanceof ConfigurationError)
		return false;
	const { httpStatus } = error.context;
	const isFound = httpStatus !== undefined && httpStatus !== 404;
	return !isFound || !isRejection(httpStatus) || isPassingRefusal(error);
}

/** Returns whether to throw: at once after publishing, never in the first poll after n8n starts, as it would end the trigger (2.41). */
function shouldThrow(
	error: unknown,
	{ activation, isFirst, hasBaseline, failures }: PollSituation,
): boolean {
	const isStart = activation === 'init' || activation === 'leadershipChange';
	if (isStart && isFirst) return false;
	return !isTransient(error) || (!hasBaseline && !isStart) || failures > MAX_QUIET_FAILURES;
}

/** Describes a failure for n8n 2.41, which decides about its next poll. */
function toPollFailure(error: unknown): Failure {
	const { httpStatus: status, retryAfter } =
		error instanceof WorkspaceAutomationError ? error.context : {};
	const retryAfterMs = retryAfter === undefined ? undefined : retryAfter * 1000;
	if (status === 429) return { cause: 'rate-limited', retryAfterMs };
	if (status === 401 || status === 403) return { cause: 'credential-invalid' };
	if (!isTransient(error) || status === 404) return { cause: 'configuration-invalid' };
	return { cause: 'temporarily-unavailable' };
}

async function pollChanges(context: IPollFunctions): Promise<IDataObject[]> {
	const { id, name: node } = context.getNode();
	const key = `${context.getWorkflow().id} ${id}`;
	const knownWatch = watches.get(key);
	// The earlier poll is still running and will find the changes.
	if (knownWatch?.isPolling) return [];
	const watch: Watch = knownWatch ?? {
		isPolling: true,
		hasBaseline: false,
		failures: 0,
		missing: new Map(),
	};
	watches.set(key, watch);
	watch.isPolling = true;
	const items = changedItems(context, watch).catch((error: unknown) => {
		watch.failures++;
		const activation = context.getActivationMode();
		if (shouldThrow(error, { ...watch, activation, isFirst: knownWatch === undefined }))
			throw error;
		const { message } = error as Error;
		context.logger.warn(`A poll of "${node}" failed. The next one retries. ${message}`, {
			node,
		});
		return [];
	});
	return await items.finally(() => (watch.isPolling = false));
}

/** Returns the newest entry as the event would emit it, without a change to the state. */
async function fetchSample(context: IPollFunctions): Promise<IDataObject[]> {
	const warnings: string[] = [];
	const watched = await openWatched(context, warnings).catch(toConfigurationError);
	const { event, api } = watched;
	const lists = await watched.source.read(watched);
	const all = lists.flatMap(({ name, entries }) => entries.map((entry) => ({ list: name, entry })));
	const noun = toWords(event.resource);
	if (all.length === 0)
		throw new ConfigurationError(
			`There is no ${noun} to show as a sample`,
			[
				`Fetch Test Event shows the newest ${noun} that exists, and there is none. The trigger works all the same: publish or activate the workflow.`,
				...warnings,
			].join(' '),
		);
	const { list, entry } = all.reduce((newest, each) =>
		creationTime(each.entry.json) > creationTime(newest.entry.json) ? each : newest,
	);
	const change = { list, key: entry.key, before: entry.mark };
	const sample = event.on === 'removed' ? change : { ...change, entry };
	return [toItem(sample, event, api.clock.now())];
}

/** n8n calls this function on schedule, once at publishing, and for Fetch Test Event. */
export async function pollTrigger(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	try {
		const items = await (context.getMode() === 'manual'
			? fetchSample(context)
			: pollChanges(context));
		return items.length === 0 ? null : [items.map((json) => ({ json }))];
	} catch (thrown) {
		const error = toNodeError(context.getNode(), thrown, 0);
		// For n8n 2.41 only
		if ('getPollBudgetMs' in context) error.failure = toPollFailure(thrown);
		// n8n 1.123 never restarts a trigger whose error message contains this word.
		error.message = error.message.replaceAll('Authorization', 'authorization');
		throw error;
	}
}
