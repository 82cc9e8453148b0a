// A session as the API shows it.
import { iso } from '../clock.mts';
import type { Interaction, SessionLog, SessionSnapshot } from './model.mts';

/** A pending interaction as the API shows it. */
function showInteraction(interaction: Interaction) {
	const { id, type, askedAt } = interaction;
	if (type === 'question') {
		return {
			type,
			id,
			question: interaction.question,
			response: { type: 'text', instruction: 'Answer with {"type": "question", "answer": "..."}.' },
		};
	}
	const { permission, patterns, options } = interaction;
	return {
		type,
		id,
		permission,
		patterns,
		metadata: { askedAt: iso(askedAt) },
		response: {
			type: 'choice',
			options,
			instruction: `Choose whether the agent may use ${permission}.`,
		},
	};
}

export const dashboardUrl = (origin: string, sessionId: string): string =>
	`${origin}/dashboard/sessions/${sessionId}`;

/** The agent session status object. */
export function showSession(log: SessionLog, snapshot: SessionSnapshot, origin: string) {
	const { message, tool } = snapshot;
	return {
		sessionId: log.id,
		dashboardUrl: dashboardUrl(origin, log.id),
		status: snapshot.status,
		pendingInteractions: snapshot.pending.map(showInteraction),
		...(snapshot.error !== undefined && { error: snapshot.error }),
		latestMessage: {
			role: message.role,
			text: message.text,
			createdAt: iso(message.createdAt),
			...(message.completedAt !== undefined && { completedAt: iso(message.completedAt) }),
		},
		...(tool && { latestTool: { ...tool, at: iso(tool.at) } }),
		lastActivityAt: iso(snapshot.activityAt),
	};
}
