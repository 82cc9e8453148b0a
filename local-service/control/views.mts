// Views of the service's state for the control API.
import type { Interaction } from '../agent/model.mts';
import { sessionAt } from '../agent/session.mts';
import { mainToken, noProjectsToken } from '../auth.mts';
import { iso, type Clock } from '../clock.mts';
import type { DialectLayer } from '../dialects/layer.mts';
import type { FileItem } from '../file-store.mts';
import { findNextRun } from '../recurrence.mts';
import type { CustomDomain, Product, Project, ServiceState, Session, Task } from '../state.mts';

/** A moment in wall time, so that tests can compare it with their own clock. */
const onWall = (clock: Clock, serviceTime: number) =>
	new Date(clock.toWall(serviceTime)).toISOString();
const maybeOnWall = (clock: Clock, serviceTime: number | undefined) =>
	serviceTime === undefined ? undefined : onWall(clock, serviceTime);

function showInteraction(clock: Clock, interaction: Interaction) {
	const { id, type, value, reason } = interaction;
	return {
		id,
		type,
		...(interaction.type === 'permission'
			? { permission: interaction.permission, patterns: interaction.patterns }
			: { question: interaction.text }),
		askedAt: onWall(clock, interaction.askedAt),
		resolvedAt: maybeOnWall(clock, interaction.resolvedAt),
		value,
		...(reason !== undefined && { reason }),
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

export const showProject = ({ id, name, workspaceId }: Project) => ({ id, name, workspaceId });

const showTask = ({ id, projectId, title, prompt }: Task) => ({ id, projectId, title, prompt });

/** A task with its next run, which the clock moves on. */
export function showTaskAt(task: Task, now: number) {
	const next = findNextRun(task, now);
	return { ...showTask(task), ...(next !== undefined && { nextRunAt: iso(next) }) };
}

const showPlace = ({ id, projectId, parentId, name }: FileItem) => ({
	id,
	projectId,
	parentId,
	name,
});

export const showFile = (file: FileItem) => ({
	...showPlace(file),
	contentType: file.contentType,
	sizeBytes: file.content.length,
});

export const showDomain = ({ id, siteId, domain, status, stale }: CustomDomain) => ({
	id,
	siteId,
	domain,
	status,
	stale,
});

/** A product with the fields that callers gave it, and its id as they know it. */
export const showProduct = (
	product: Product,
	ids: ReturnType<DialectLayer['shownIds']>,
): Record<string, unknown> & { id: string | number; projectId: string } => ({
	...product,
	id: ids.product(product.id),
});

/** Returns the current things, oldest first: the ids that callers know, and distinguishing fields. */
export function showSeed({ store }: ServiceState, layer: DialectLayer) {
	const files = store.files.all();
	const ids = layer.shownIds(store);
	return {
		workspaces: store.workspaces,
		projects: store.projects.all().map(showProject),
		sites: store.sites.all(),
		tasks: store.tasks.all().map(showTask),
		folders: files.filter(({ kind }) => kind === 'folder').map(showPlace),
		files: files.filter(({ kind }) => kind === 'file').map(showFile),
		assets: store.assets.all().map(({ content, ...asset }) => ({
			...asset,
			id: ids.asset(asset.id),
			sizeBytes: content.length,
		})),
		domains: store.domains.all().map(showDomain),
		products: store.products.all().map((product) => showProduct(product, ids)),
		keys: { main: mainToken, noProjects: noProjectsToken },
	};
}

export type SessionView = ReturnType<typeof showSessions>[number];
export type SeedView = ReturnType<typeof showSeed>;
export type ProjectView = ReturnType<typeof showProject>;
export type TaskView = ReturnType<typeof showTaskAt>;
export type FileView = ReturnType<typeof showFile>;
export type DomainView = ReturnType<typeof showDomain>;
export type ProductView = ReturnType<typeof showProduct>;
