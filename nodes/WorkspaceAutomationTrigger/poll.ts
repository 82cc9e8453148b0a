import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { createClient } from '../shared/client/createClient';
import { toNodeError, WorkspaceAutomationError } from '../shared/errors';
import { readParameter, type Panel } from '../shared/n8n/fields';
import { fingerprint, toWords } from '../shared/values';
import { creationTime, findChanges, NOTHING_SEEN, type SeenState } from './compare';
import { EVENTS } from './events';
import { toPollFailure, shouldThrow, ConfigurationError } from './failures';
import { event as eventField, includeExisting, maxEvents } from './panel';
import { SOURCES } from './sources';
import { readSeen, toItem, toState, type TriggerState } from './state';

// One poll: everything is read, then compared, then remembered.

/** Losing access looks like a removal. */
const MIN_READS_WITHOUT = 3;

/** State of a trigger in this process. n8n saves a trigger's data only with its items, so it can't be there. */
interface Watch {
	isPolling: boolean;
	hasBaseline: boolean;
	failures: number;
	missing: SeenState['missing'];
	/** State after a poll without items, and the digest of the state before: n8n 2.41's durable scheduler forgets it */
	unsaved?: { from: string; state: TriggerState };
}

/** By workflow and node; a trigger that is not here has not been polled since n8n started. */
const watches = new Map<string, Watch>();

/** Settings of the panel */
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

/** An error before the first request is an error in the settings. */
const toConfigurationError = (error: unknown): never => {
	if (!(error instanceof WorkspaceAutomationError)) throw error;
	throw new ConfigurationError(error.message, error.description);
};

const scopeFingerprint = (state: unknown) => fingerprint(JSON.stringify(state) ?? '');

/** The changes since the last poll. Its state is touched once, at the end, and only where it is another. */
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

async function pollChanges(context: IPollFunctions): Promise<IDataObject[]> {
	const { id, name: node } = context.getNode();
	const key = `${context.getWorkflow().id} ${id}`;
	const known = watches.get(key);
	// The poll before it is still at work, and will have found what there is.
	if (known?.isPolling) return [];
	const watch: Watch = known ?? {
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
		if (shouldThrow(error, { ...watch, activation, isFirst: known === undefined })) throw error;
		const { message } = error as Error;
		context.logger.warn(`A poll of "${node}" failed. The next one retries. ${message}`, {
			node,
		});
		return [];
	});
	return await items.finally(() => (watch.isPolling = false));
}

/** The newest thing there is, as the event would bring it. The state is left alone. */
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
	const shown = event.on === 'removed' ? change : { ...change, entry };
	return [toItem(shown, event, api.clock.now())];
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
		// n8n 1.123 never starts a trigger again whose message has this word in it.
		error.message = error.message.replaceAll('Authorization', 'authorization');
		throw error;
	}
}
