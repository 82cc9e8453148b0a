// What the control API shows of the state, and how it fills it.
import { randomUUID } from 'node:crypto';
import type { Interaction } from './agent/model.mts';
import { sessionAt } from './agent/session.mts';
import type { Clock } from './clock.mts';
import type { FileItem } from './file-store.mts';
import type { Session, World } from './world.mts';

/** Moments as the wall saw them, so that they can be compared with a test's own clock */
const onWall = (clock: Clock, serviceTime: number | undefined) =>
	serviceTime === undefined ? undefined : new Date(clock.toWall(serviceTime)).toISOString();

function showInteraction(clock: Clock, interaction: Interaction) {
	const { id, type, value } = interaction;
	return {
		id,
		type,
		...(interaction.type === 'permission'
			? { permission: interaction.permission, patterns: interaction.patterns }
			: { question: interaction.question }),
		askedAt: onWall(clock, interaction.askedAt),
		resolvedAt: onWall(clock, interaction.resolvedAt),
		value,
	};
}

function showSession(clock: Clock, session: Session) {
	const state = sessionAt(session, clock.now());
	return {
		sessionId: session.id,
		projectId: session.projectId,
		prompt: session.prompt,
		status: state.status,
		startedAt: onWall(clock, session.createdAt),
		finishedAt: onWall(clock, state.finishedAt),
		aborted: session.events.some(({ kind }) => kind === 'abort'),
		turns: state.turns,
		polls: session.polls,
		interactions: state.interactions.map((interaction) => showInteraction(clock, interaction)),
	};
}

/** Every session, oldest first. */
export const showSessions = ({ clock, store }: World) =>
	[...store.sessions.values()].map((session) => showSession(clock, session));

const showFile = ({ id, projectId, parentId, name }: FileItem) => ({
	id,
	projectId,
	parentId,
	name,
});

/** What there is now, in order of creation: ids, and what tells them apart. */
export function showSeed({ store }: World) {
	const files = store.files.all();
	return {
		workspaces: store.workspaces,
		projects: store.projects.all().map(({ id, name, workspaceId }) => ({ id, name, workspaceId })),
		sites: store.sites.all(),
		tasks: store.tasks
			.all()
			.map(({ id, projectId, title, prompt }) => ({ id, projectId, title, prompt })),
		folders: files.filter(({ kind }) => kind === 'folder').map(showFile),
		files: files
			.filter(({ kind }) => kind === 'file')
			.map(({ content, contentType, ...file }) => ({
				...showFile(file as FileItem),
				contentType,
				sizeBytes: content.length,
			})),
		assets: store.assets
			.all()
			.map(({ content, ...asset }) => ({ ...asset, sizeBytes: content.length })),
		domains: store.domains
			.all()
			.map(({ id, siteId, domain, status }) => ({ id, siteId, domain, status })),
		products: store.products.all(),
	};
}

/** Puts many small files into a new folder of their own. */
export function fillFiles(
	{ clock, store }: World,
	projectId: string,
	count: number,
): { folderId: string; created: number } {
	const now = clock.now();
	const common = { projectId, createdAt: now, updatedAt: now };
	const folderId = randomUUID();
	store.files.add({
		...common,
		id: folderId,
		name: `Many ${folderId}`,
		kind: 'folder',
		content: Buffer.alloc(0),
	});
	for (let index = 1; index <= count; index++) {
		const name = `file-${String(index).padStart(7, '0')}.txt`;
		const content = Buffer.from(`${name}\n`);
		store.files.add({
			...common,
			id: randomUUID(),
			parentId: folderId,
			name,
			kind: 'file',
			content,
			contentType: 'text/plain',
		});
	}
	return { folderId, created: count };
}
