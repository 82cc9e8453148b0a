import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { toNodeError } from '../shared/base/nodeErrors';
import { openApi } from '../shared/api/api';
import type { Api } from '../shared/api/types';
import { requireNumber, requireOneOf } from '../shared/base/validation';
import { compare, createdAt, NOTHING, type List, type Memory } from './compare';
import { EVENTS, type TriggerEvent } from './events';
import { failureOf, isError } from './failures';
import { toEntry, toItem } from './items';
import { MistakeError, SOURCES, type Panel, type Source } from './sources';
import { seenIn, shortKey, toState, type State } from './state';

// One poll: everything is read, then compared, then remembered.

/** Where n8n before 2.41 does not say how long a poll may take */
const PATIENCE_MS = 30_000;
/** Losing access looks like a removal. */
const GONE_AFTER = 3;

/** What this process knows of a trigger. n8n saves a trigger's data with what it emits only, so it is no place for this. */
interface Watch {
	isPolling: boolean;
	failures: number;
	missing: Memory['missing'];
	/** What a poll without items came to, and from what: n8n 2.41's durable scheduler forgets it */
	unsaved?: { from: string; state: State };
}

/** By workflow and node; a trigger that is not here has not been polled since n8n started. */
const watches = new Map<string, Watch>();

interface Watched {
	event: TriggerEvent;
	source: Source;
	api: Api;
}

async function openWatched(context: IPollFunctions): Promise<Watched> {
	const value = requireOneOf(
		'Trigger On',
		context.getNodeParameter('event'),
		EVENTS.map((event) => event.value),
	);
	const event = EVENTS.find((each) => each.value === value)!;
	// n8n types it for other contexts only; all have it.
	const source = SOURCES[event.resource](context as unknown as Panel);
	return { event, source, api: await openApi(context) };
}

async function readLists(
	context: IPollFunctions,
	{ event, source, api }: Watched,
): Promise<List[]> {
	const budget = context.getPollBudgetMs?.() ?? PATIENCE_MS;
	const read = await source.read(api, {
		deadline: api.clock.now() + budget,
		warn: (message) => context.logger.warn(message, { node: context.getNode().name }),
	});
	return read.map(({ name, things, isWhole }) => ({
		name,
		entries: things.map((thing) => toEntry(thing, event, source)),
		isWhole,
	}));
}

/** The changes since the last poll. Its state is touched once, at the end, and only where it is another. */
function changesIn(
	context: IPollFunctions,
	watch: Watch,
	{ event, source, api }: Watched,
	lists: List[],
): IDataObject[] {
	const { existing = false, maxEvents = 100 } = context.getNodeParameter(
		'options',
		{},
	) as IDataObject;
	const most = Math.floor(requireNumber('Max Events per Poll', maxEvents, 1));
	const { on, isChange, keeping, resource } = event;
	const data = context.getWorkflowStaticData('node');
	const from = JSON.stringify(data.state) ?? '';
	const saved =
		watch.unsaved?.from === from ? watch.unsaved.state : (data.state as unknown as State);
	const scope = scopeOf({ event, source, api });
	const seen = seenIn(saved, keeping, scope);
	const isBaseline = seen === undefined && existing !== true;
	const goneAfter = resource === 'row' ? 1 : GONE_AFTER;

	const { changes, memory } = compare(
		seen === undefined ? NOTHING : { seen, missing: watch.missing },
		lists,
		// Nothing has been removed from what was not known.
		{ on: isBaseline ? 'removed' : on, isChange, goneAfter, most },
	);
	const last = seen === undefined ? api.clock.now() : saved.turn;
	const turn = last + (changes.length > 0 ? 1 : 0);
	watch.missing = memory.missing;
	const state = toState(memory, keeping, { scope, turn });
	if (JSON.stringify(state) !== from) data.state = state as unknown as IDataObject;
	// What was emitted is no business of this: n8n may have discarded it together with its state.
	watch.unsaved = changes.length === 0 ? { from, state } : undefined;
	return changes.map((change) => toItem(change, event, source, turn));
}

const scopeOf = ({ event, source, api }: Watched): string =>
	shortKey(JSON.stringify([event.value, source.target, api.baseUrl]));

async function pollOnce(
	context: IPollFunctions,
	watch: Watch,
	isFirst: boolean,
): Promise<IDataObject[]> {
	const watched = await openWatched(context);
	const lists = await readLists(context, watched).catch((error: unknown) => {
		const { state } = context.getWorkflowStaticData('node');
		const hasBaseline = seenIn(state, watched.event.keeping, scopeOf(watched)) !== undefined;
		const activation = context.getActivationMode();
		watch.failures++;
		if (isError(error, { activation, isFirst, hasBaseline, failures: watch.failures })) throw error;
		const { name } = context.getNode();
		const { message } = error as Error;
		context.logger.warn(`A poll of "${name}" failed; the next one tries again. ${message}`, {
			node: name,
		});
		return undefined;
	});
	if (!lists) return [];
	const changes = changesIn(context, watch, watched, lists);
	watch.failures = 0;
	return changes;
}

/** The newest thing there is, as the event would bring it. The state is left alone. */
async function sample(context: IPollFunctions): Promise<IDataObject[]> {
	const watched = await openWatched(context);
	const { event, source, api } = watched;
	const lists = await readLists(context, watched);
	const all = lists.flatMap(({ name, entries }) => entries.map((entry) => ({ list: name, entry })));
	if (all.length === 0)
		throw new MistakeError(
			`There is no ${source.noun} to show as a sample`,
			`Fetch Test Event shows the newest ${source.noun} that exists, and there is none. The trigger works all the same: publish or activate the workflow.`,
		);
	const { list, entry } = all.reduce((newest, each) =>
		createdAt(each.entry.json) > createdAt(newest.entry.json) ? each : newest,
	);
	const change = { list, key: entry.key, before: entry.mark };
	return [
		toItem(event.on === 'removed' ? change : { ...change, entry }, event, source, api.clock.now()),
	];
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
