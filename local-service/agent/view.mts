// A session as the API shows it.
import { iso } from '../clock.mts';
import { showChange } from './change.mts';
import type { Interaction, QuestionInteraction, SessionLog, SessionSnapshot } from './model.mts';

/** A question, whose fields the API document doesn't show. */
function showQuestion({ id, type, text, options }: QuestionInteraction) {
	const response = options
		? { type: 'choice', options }
		: { type: 'text', instruction: 'Answer in your own words.' };
	return { type, id, question: text, response };
}

/** A pending interaction as the API shows it. */
function showInteraction(interaction: Interaction) {
	if (interaction.type !== 'permission') return showQuestion(interaction);
	const { id, type, permission, patterns, options, change } = interaction;
	return {
		type,
		id,
		permission,
		patterns,
		metadata: change ? showChange(change, patterns) : {},
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
