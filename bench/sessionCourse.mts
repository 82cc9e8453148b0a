// Reads the course of a session from the service.
import type { SessionLog } from '../local-service/agent/model.mts';
import { sessionAt } from '../local-service/agent/session.mts';
import { scriptOfPrompt } from '../local-service/agent/story.mts';

/** A session that has ended, as the control API shows it; moments are ISO 8601. */
export interface SessionRecord {
	sessionId: string;
	prompt: string;
	startedAt: string;
	finishedAt: string;
	interactions: Array<{ id: string; askedAt: string; resolvedAt: string; value: string }>;
}

/**
 * A part of a session that takes its time by itself: from its start, or from a decision, to a question or to its end. What
 * happens in it does not depend on when anybody looks, so the polls that it needs can be counted apart from those of the others.
 */
export interface Stretch {
	/** Times of changes, in milliseconds since the stretch began */
	changes: number[];
	/** Time of the request or of the session's end */
	end: number;
}

const SAMPLE_MS = 10;

/** The session's stretches: one more than it asked questions. */
export function getStretches(record: SessionRecord): Stretch[] {
	const { startedAt, finishedAt, interactions } = record;
	const begins = [startedAt, ...interactions.map(({ resolvedAt }) => resolvedAt)].map(Date.parse);
	const ends = [...interactions.map(({ askedAt }) => askedAt), finishedAt].map(Date.parse);
	const changes = getChanges(record);
	return begins.map((begin, index) => ({
		changes: changes
			.filter((moment) => moment > begin && moment <= ends[index])
			.map((moment) => moment - begin),
		end: ends[index] - begin,
	}));
}

/**
 * Every `lastActivityAt` that the session ever showed. The scripted agent is a function of time, so it can be asked again what
 * it showed at moments at which nobody looked.
 */
function getChanges({
	sessionId,
	prompt,
	startedAt,
	finishedAt,
	interactions,
}: SessionRecord): number[] {
	const log: SessionLog = {
		id: sessionId,
		createdAt: Date.parse(startedAt),
		prompt,
		script: scriptOfPrompt(prompt),
		events: interactions.map(({ id, resolvedAt, value }) => ({
			kind: 'resolve',
			at: Date.parse(resolvedAt),
			interactionId: id,
			value,
		})),
	};
	const moments = new Set<number>();
	for (let at = log.createdAt; at < Date.parse(finishedAt) + SAMPLE_MS; at += SAMPLE_MS)
		moments.add(sessionAt(log, at).activityAt);
	return [...moments];
}
