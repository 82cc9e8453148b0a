// A session as the API shows it.
import { iso } from '../clock.mts';
import type { Interaction, SessionLog, SessionState } from './model.mts';

/** What stands beside the fields of every interaction of a type. */
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
export function showSession(log: SessionLog, state: SessionState, origin: string) {
	const { message, tool } = state;
	return {
		sessionId: log.id,
		dashboardUrl: dashboardUrl(origin, log.id),
		status: state.status,
		pendingInteractions: state.pending.map(showInteraction),
		...(state.error !== undefined && { error: state.error }),
		latestMessage: {
			role: message.role,
			text: message.text,
			createdAt: iso(message.createdAt),
			...(message.completedAt !== undefined && { completedAt: iso(message.completedAt) }),
		},
		...(tool && { latestTool: { ...tool, at: iso(tool.at) } }),
		lastActivityAt: iso(state.activityAt),
	};
}
