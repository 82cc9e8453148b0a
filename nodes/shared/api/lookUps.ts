import { resultOrError, WorkspaceAutomationError } from '../base/errors';
import { fieldOf, momentOf } from '../base/values';
import { hasEnded, shownMoment, type Session } from '../session/session';
import type { Fate } from '../transport/transport';
import { filesNamed } from './pages';
import { fetchSession } from './sessions';
import type { Api, CallOptions, Values } from './operations';

// How to find out whether a request of unknown fate took effect. One stale reading proves nothing, so each looks for as long as a
// change may take to show.

type Reconcile = () => Promise<Fate>;

const INTERVAL_MS = 3_000;
/** The least that a look gets, however little time is left for another */
const LOOK_MS = 10_000;
/** How far the clocks of n8n and the service may be apart */
const CLOCK_SKEW_MS = 60_000;
/** How long a new turn, an answered request and a new file may take to show */
export const TURN_MS = 30_000;
const ANSWERED_MS = 10_000;
const FILE_MS = 30_000;

const done = (body: unknown): Fate => ({ status: 200, headers: {}, body });

/** Looks again and again until something is found or the time is over; a look that fails finds nothing. */
async function lookFor(
	{ clock, signal }: Api,
	timeoutMs: number,
	{ deadline = Infinity }: CallOptions,
	look: (options: CallOptions) => Promise<Fate | undefined>,
	otherwise: Fate,
): Promise<Fate> {
	const end = Math.min(deadline, clock.now() + timeoutMs);
	for (;;) {
		const within = Math.min(deadline, Math.max(end, clock.now() + LOOK_MS));
		const found = await resultOrError(look({ deadline: within }));
		const failed = found instanceof WorkspaceAutomationError;
		if (found && !failed) return found;
		if (clock.now() + INTERVAL_MS > end) return failed ? 'unknown' : otherwise;
		await clock.sleep(INTERVAL_MS, signal);
	}
}

/** Whether a session that is at rest has moved, or shows the message itself. That it shows neither is no proof. */
export const messageArrived =
	(api: Api, before: Session, text: string, options: CallOptions = {}): Reconcile =>
	async () => {
		const look = async (within: CallOptions) => {
			const now = await fetchSession(api, before.sessionId, within);
			const shows = ({ latestMessage }: Session) =>
				latestMessage?.role === 'user' && latestMessage.text === text;
			// A session at work moves by itself.
			const moved = hasEnded(before) && shownMoment(before) !== shownMoment(now);
			return moved || (shows(now) && !shows(before)) ? done(now) : undefined;
		};
		return await lookFor(api, TURN_MS, options, look, 'unknown');
	};

async function message(api: Api, values: Values, options: CallOptions): Promise<Reconcile> {
	const before = await fetchSession(api, String(values.sessionId), options);
	return messageArrived(api, before, String(values.text), options);
}

/** Whether a request was answered, told from its being listed no longer. */
async function interaction(api: Api, values: Values, options: CallOptions): Promise<Reconcile> {
	const look = async (within: CallOptions) => {
		const now = await fetchSession(api, String(values.sessionId), within);
		const isPending = now.pendingInteractions.some(({ id }) => id === String(values.interactionId));
		return isPending ? undefined : done(now);
	};
	return async () => await lookFor(api, ANSWERED_MS, options, look, 'undone');
}

/** Whether a file was created. Names are unique among siblings, so one of that name that is new is the one. */
async function file(api: Api, values: Values, options: CallOptions): Promise<Reconcile> {
	const sentAt = api.clock.now();
	const look = async (within: CallOptions): Promise<Fate | undefined> => {
		const named = await filesNamed(api, values, within);
		const found = named.filter(({ kind = values.kind }) => kind === values.kind);
		const isFresh = (createdAt: unknown) => momentOf(createdAt) >= sentAt - CLOCK_SKEW_MS;
		const fresh = found.filter((each) => isFresh(fieldOf(each, 'createdAt')));
		if (fresh.length === 1) return done(fresh[0]);
		return found.length > 0 ? 'unknown' : undefined;
	};
	let looks = 0;
	return async () => {
		// The first time sending again is proof enough: the service refuses a name that exists. Then it has to show.
		// Not to show is no proof: it may have been put elsewhere.
		if (looks++ === 0) return await lookFor(api, 0, options, look, 'undone');
		return await lookFor(api, FILE_MS, options, look, 'unknown');
	};
}

/** By the `look` of an operation's row: called before the request is sent, to return what is called when its fate is unknown */
export const LOOK_UPS = { message, interaction, file };
