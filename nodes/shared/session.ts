import type { components } from './contract';

// An agent session as the API document describes it (Agent session status object). Reading only.

type Documented = components['schemas'];
export type PermissionInteraction = Documented['PermissionInteraction'];

/** A pending interaction. Only `id` and `type` can be relied on: the document leaves one of the two variants open. */
export type Interaction = { id: string; type: string } & Partial<
	Omit<PermissionInteraction, 'id' | 'type'>
> &
	Record<string, unknown>;

/** The status object with every field that may be missing made safe to use. */
export interface Session {
	sessionId: string;
	dashboardUrl?: string;
	/** `starting`, `running`, `completed`, `failed`, or a value that nobody has documented */
	status: string;
	/** Each interaction once, however often the service lists it */
	pendingInteractions: Interaction[];
	error?: string;
	latestMessage?: Documented['AgentSession']['latestMessage'];
	latestTool?: Documented['AgentSession']['latestTool'];
	lastActivityAt?: string;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** The session in an answer, or undefined where the answer is no status object. */
export function readSession(answer: unknown, sessionId: string): Session | undefined {
	if (!isRecord(answer) || typeof answer.status !== 'string') return undefined;
	const pending = Array.isArray(answer.pendingInteractions)
		? answer.pendingInteractions.filter(isRecord)
		: [];
	const byId = new Map(pending.map((entry) => [String(entry.id ?? ''), entry]));
	return {
		sessionId,
		dashboardUrl: textOf(answer.dashboardUrl),
		status: answer.status,
		pendingInteractions: [...byId].map(([id, entry]) => ({
			...entry,
			id,
			type: String(entry.type ?? ''),
		})),
		error: textOf(answer.error),
		latestMessage: isRecord(answer.latestMessage) ? answer.latestMessage : undefined,
		latestTool: isRecord(answer.latestTool) ? answer.latestTool : undefined,
		lastActivityAt: textOf(answer.lastActivityAt),
	};
}

export const hasEnded = (session: Session) =>
	session.status === 'completed' || session.status === 'failed';

/** Whether two readings show the same moment of a session: nothing was said or done between them. */
export const sameMoment = (a: Session, b: Session) =>
	a.status === b.status &&
	a.lastActivityAt === b.lastActivityAt &&
	a.latestMessage?.createdAt === b.latestMessage?.createdAt;
