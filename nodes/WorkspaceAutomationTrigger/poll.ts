import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { openApi } from '../shared/api/api';
import type { Api } from '../shared/api/types';
import { WorkspaceAutomationError } from '../shared/base/errors';
import { toNodeError } from '../shared/base/nodeErrors';
import { requireNumber, requireOneOf } from '../shared/base/validation';
import { digest, inWords } from '../shared/base/values';
import { ageOrder, compare, NOTHING, type List, type Memory } from './compare';
import { EVENTS, type TriggerEvent } from './events';
import { failureOf, isError, MistakeError } from './failures';
import { toEntry, toItem } from './items';
import { SOURCES, type Panel } from './sources';
import { seenIn, toState, type State } from './state';

// One poll: everything is read, then compared, then remembered.

/** Losing access looks like a removal. */
const GONE_AFTER = 3;

/** What this process knows of a trigger. n8n saves a trigger's data with what it emits only, so it is no place for this. */
interface Watch {
	isPolling: boolean;
	failures: number;
	missing: Memory['missing'];
	/** What a poll without items came to, and the digest of what it came from: n8n 2.41's durable scheduler forgets it */
	unsaved?: { from: string; state: State };
}

/** By workflow and node; a trigger that is not here has not been polled since n8n started. */
const watches = new Map<string, Watch>();

/** What the panel asks for */
interface Watched {
	event: TriggerEvent;
	api: Api;
	/** Stands for all of it: what was kept for another is of no use */
	scope: string;
	existing: boolean;
	most: number;
	read: () => Promise<List[]>;
}

/** @throws MistakeError for what has to be entered otherwise */
async function openWatched(context: IPollFunctions): Promise<Watched> {
	const open = async (): Promise<Watched> => {
		const { existing, maxEvents = 100 } = context.getNodeParameter('options', {}) as IDataObject;
		const most = Math.floor(requireNumber('Max Events per Poll', maxEvents, 1));
		const values = EVENTS.map(({ value }) => value);
		const value = requireOneOf('Trigger On', context.getNodeParameter('event'), values);
		const event = EVENTS[values.indexOf(value)];
		// n8n types it for other contexts only; all have it.
		const source = SOURCES[event.resource](context as unknown as Panel);
		const api = await openApi(context);
		const overrides = api.digestOf(source.operation);
		const parts = [context.getWorkflow().id, value, source.target, api.baseUrl, overrides];
		const scope = digest(JSON.stringify(parts));
		const read = async () =>
			await source.read(api, {
				deadline: api.clock.now() + (context.getPollBudgetMs?.() ?? source.patienceMs),
				warn: (message) => context.logger.warn(message, { node: context.getNode().name }),
				toEntry: (thing, id) => toEntry(thing, id, event, scope),
			});
		return { event, api, scope, existing: existing === true, most, read };
	};
	return await open().catch((error: unknown) => {
		if (!(error instanceof WorkspaceAutomationError)) throw error;
		throw new MistakeError(error.message, error.description);
	});
}

const digestOf = (state: unknown) => digest(JSON.stringify(state) ?? '');
const parsedMark = (mark: string) => JSON.parse(mark) as IDataObject;

/** What the last poll has left, if it was about the same. */
function lastState(context: IPollFunctions, { unsaved }: Watch, { event, scope }: Watched) {
	const data = context.getWorkflowStaticData('node');
	const from = digestOf(data.state);
	const state = unsaved?.from === from ? unsaved.state : (data.state as State | undefined);
	return { data, from, turn: state?.turn ?? 0, seen: seenIn(state, event.keeping, scope) };
}

/** The changes since the last poll. Its state is touched once, at the end, and only where it is another. */
function changesIn(
	watch: Watch,
	{ event, api, scope, existing, most }: Watched,
	last: ReturnType<typeof lastState>,
	lists: List[],
): IDataObject[] {
	const now = api.clock.now();
	const { on, isChange, resource, keeping } = event;
	const { data, from, seen } = last;
	const { changes, memory } = compare(seen ? { seen, missing: watch.missing } : NOTHING, lists, {
		on,
		existing,
		isChange: isChange && ((before, after) => isChange(parsedMark(before), parsedMark(after), now)),
		goneAfter: resource === 'row' ? 1 : GONE_AFTER,
		most,
	});
	const turn = seen ? last.turn + (changes.length > 0 ? 1 : 0) : now;
	watch.missing = memory.missing;
	const state = toState(memory, keeping, { scope, turn });
	if (digestOf(state) !== from) data.state = state as unknown as IDataObject;
	// What was emitted is no business of this: n8n may have discarded it together with its state.
	watch.unsaved = changes.length === 0 ? { from, state } : undefined;
	return changes.map((change) => toItem(change, event, seen && turn));
}

async function pollOnce(
	context: IPollFunctions,
	watch: Watch,
	isFirst: boolean,
): Promise<IDataObject[]> {
	let hasBaseline = false;
	const read = async () => {
		const watched = await openWatched(context);
		const last = lastState(context, watch, watched);
		hasBaseline = last.seen !== undefined;
		const items = changesIn(watch, watched, last, await watched.read());
		watch.failures = 0;
		return items;
	};
	return await read().catch((error: unknown) => {
		const activation = context.getActivationMode();
		watch.failures++;
		if (isError(error, { activation, isFirst, hasBaseline, failures: watch.failures })) throw error;
		const { name: node } = context.getNode();
		const { message } = error as Error;
		context.logger.warn(`A poll of "${node}" failed; the next one tries again. ${message}`, {
			node,
		});
		return [];
	});
}

/** The newest thing there is, as the event would bring it. The state is left alone. */
async function sample(context: IPollFunctions): Promise<IDataObject[]> {
	const { event, api, read } = await openWatched(context);
	const lists = await read();
	const all = lists.flatMap(({ name, entries }) => entries.map((entry) => ({ list: name, entry })));
	const noun = inWords(event.resource);
	if (all.length === 0)
		throw new MistakeError(
			`There is no ${noun} to show as a sample`,
			`Fetch Test Event shows the newest ${noun} that exists, and there is none. The trigger works all the same: publish or activate the workflow.`,
		);
	const { list, entry } = all.reduce((newest, each) =>
		ageOrder(each.entry.json) > ageOrder(newest.entry.json) ? each : newest,
	);
	const change = { list, key: entry.key, before: entry.mark };
	const shown = event.on === 'removed' ? change : { ...change, entry };
	return [toItem(shown, event, api.clock.now())];
}

/** n8n's error for a failed poll, with what n8n 2.41 wants to know of it. */
function pollError(context: IPollFunctions, thrown: unknown): Error {
	const error = toNodeError(context.getNode(), thrown, 0);
	if ('getPollBudgetMs' in context) error.failure = failureOf(thrown);
	// n8n 1.123 never starts a trigger again whose message has this word in it.
	error.message = error.message.replaceAll('Authorization', 'authorization');
	return error;
}

const toOutput = (items: IDataObject[]): INodeExecutionData[][] | null =>
	items.length === 0 ? null : [items.map((json) => ({ json }))];

/** What n8n calls on schedule, once when the trigger is switched on, and for Fetch Test Event. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const failed = (error: unknown): never => {
		throw pollError(context, error);
	};
	if (context.getMode() === 'manual') return toOutput(await sample(context).catch(failed));

	const key = `${context.getWorkflow().id} ${context.getNode().id}`;
	const known = watches.get(key);
	// The poll before it is still at work, and will have found what there is.
	if (known?.isPolling) return null;
	const watch: Watch = known ?? { isPolling: false, failures: 0, missing: new Map() };
	watches.set(key, watch);
	watch.isPolling = true;
	try {
		return toOutput(await pollOnce(context, watch, known === undefined).catch(failed));
	} finally {
		watch.isPolling = false;
	}
}
