// What the control API shows of the service's state.
import type { Interaction } from '../agent/model.mts';
import { sessionAt } from '../agent/session.mts';
import { mainToken, noProjectsToken } from '../auth.mts';
import type { Clock } from '../clock.mts';
import type { Speech } from '../dialects/speech.mts';
import type { FileItem } from '../file-store.mts';
import type { ServiceState, Session } from '../state.mts';

/** A moment in wall time, so that tests can compare it with their own clock. */
const onWall = (clock: Clock, serviceTime: number) =>
	new Date(clock.toWall(serviceTime)).toISOString();
const maybeOnWall = (clock: Clock, serviceTime: number | undefined) =>
	serviceTime === undefined ? undefined : onWall(clock, serviceTime);

function showInteraction(clock: Clock, interaction: Interaction) {
	const { id, type, value } = interaction;
	return {
		id,
		type,
		...(interaction.type === 'permission'
			? { permission: interaction.permission, patterns: interaction.patterns }
			: { question: interaction.question }),
		askedAt: onWall(clock, interaction.askedAt),
		resolvedAt: maybeOnWall(clock, interaction.resolvedAt),
		value,
	};
}

function showSession(clock: Clock, session: Session) {
	const snapshot = sessionAt(session, clock.now());
	return {
		sessionId: session.id,
		projectId: session.projectId,
		prompt: session.prompt,
		status: snapshot.status,
		startedAt: onWall(clock, session.createdAt),
		finishedAt: maybeOnWall(clock, snapshot.finishedAt),
		aborted: session.events.some(({ kind }) => kind === 'abort'),
		turns: snapshot.turns,
		polls: session.polls,
		interactions: snapshot.interactions.map((interaction) => showInteraction(clock, interaction)),
	};
}

/** Every session as it really is now, oldest first. */
export const showSessions = ({ clock, store }: ServiceState) =>
	[...store.sessions.values()].map((session) => showSession(clock, session));

const showPlace = ({ id, projectId, parentId, name }: FileItem) => ({
	id,
	projectId,
	parentId,
	name,
});

/** A product with the fields that callers gave it. */
type ShownProduct = Record<string, unknown> & { id: string | number; projectId: string };

/** What exists now, oldest first: ids, as callers of the API know them, and what tells things apart. */
export function showSeed({ store }: ServiceState, speech: Speech) {
	const files = store.files.all();
	const ids = speech.showIds(store);
	return {
		workspaces: store.workspaces,
		projects: store.projects.all().map(({ id, name, workspaceId }) => ({ id, name, workspaceId })),
		sites: store.sites.all(),
		tasks: store.tasks
			.all()
			.map(({ id, projectId, title, prompt }) => ({ id, projectId, title, prompt })),
		folders: files.filter(({ kind }) => kind === 'folder').map(showPlace),
		files: files
			.filter(({ kind }) => kind === 'file')
			.map((file) => ({
				...showPlace(file),
				contentType: file.contentType,
				sizeBytes: file.content.length,
			})),
		assets: store.assets.all().map(({ content, ...asset }) => ({
			...asset,
			id: ids.asset(asset.id),
			sizeBytes: content.length,
		})),
		domains: store.domains
			.all()
			.map(({ id, siteId, domain, status }) => ({ id, siteId, domain, status })),
		products: store.products.all().map((product): ShownProduct => ({
			...product,
			id: ids.product(product.id),
		})),
		keys: { main: mainToken, noProjects: noProjectsToken },
	};
}

export type SessionView = ReturnType<typeof showSessions>[number];
export type SeedView = ReturnType<typeof showSeed>;
