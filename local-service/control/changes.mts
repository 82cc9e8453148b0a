// Changes that the API has no operation for, or that someone else makes: a project is added, a task runs, a domain goes stale.
import { randomUUID } from 'node:crypto';
import type { TrafficEvent } from '../analytics/schema.mts';
import { ApiError, notFound } from '../errors.mts';
import { contentOfText } from '../file-content.mts';
import type { FileItem } from '../file-store.mts';
import { isRule, findNextRun } from '../recurrence.mts';
import type { CustomDomain, Product, Project, ServiceState, Task } from '../state.mts';

/** Body of `POST /state/projects`. Missing fields have the values of the first project. */
export type NewProject = Partial<Omit<Project, 'id'>> & { name: string };
export type ProjectChange = Partial<Omit<Project, 'id'>>;

/** Body of `POST /state/tasks`. Missing fields get invented values. */
export type NewTask = Partial<Pick<Task, 'projectId' | 'title' | 'emoji' | 'rrule' | 'prompt'>>;
export type TaskChange = Partial<Pick<Task, 'title' | 'emoji' | 'rrule' | 'prompt'>>;

/** Body of `POST /state/files`: a text file, or a folder. */
export interface NewFile {
	projectId: string;
	name: string;
	/** Left out: My Files */
	parentId?: string;
	kind?: 'file' | 'folder';
	text?: string;
}
export interface FileChange {
	name?: string;
	/** Null: My Files */
	parentId?: string | null;
	text?: string;
}

/** Body of `POST /state/domains`. By default active and not stale. */
export type NewDomain = Pick<CustomDomain, 'siteId' | 'domain'> &
	Partial<Pick<CustomDomain, 'status' | 'stale'>>;
export type DomainChange = Partial<Pick<CustomDomain, 'domain' | 'status' | 'stale'>>;

/** Body of `POST /state/products`: any fields beside the project. */
export type NewProduct = Record<string, unknown> & { projectId: string };
export type ProductChange = Record<string, unknown>;

/** Body of `POST /state/events`. By default, `date` (ISO 8601) is now, and the visit is new. */
export interface NewEvent {
	projectId: string;
	name?: TrafficEvent['name'];
	date?: string;
	path?: string;
	title?: string;
	source?: string;
	/** Paid, in the project's currency */
	amount?: number;
	/** UUID of the visit */
	subject?: string;
	/** So many of them, each with its own visit unless `subject` names one; default 1 */
	count?: number;
}

/** Changes of one kind of thing. Everything throws ApiError: `not_found`, `conflict`, `invalid_request`. */
export interface Changes<New, Change, Thing> {
	add(given: New): Thing;
	change(id: string, change: Change): Thing;
	remove(id: string): void;
}

const required = <T,>(thing: T | undefined, what: string): T => {
	if (thing === undefined) throw notFound(what);
	return thing;
};

const requireRule = (rrule: string | undefined) => {
	if (rrule !== undefined && !isRule(rrule))
		throw new ApiError('invalid_request', 'body/rrule must be a recurrence rule');
};

/** The changes to a service's state; they read `state.store` at every call, so it may be replaced. */
export function getChanges(state: ServiceState) {
	const { clock } = state;
	const project = (id: string) => required(state.store.projects.get(id), 'project');

	const projects: Changes<NewProject, ProjectChange, Project> = {
		add(given) {
			const [{ checkoutProvider: _, ...first }] = state.store.projects.all();
			return state.store.projects.add({ ...first, ...given, id: randomUUID() }, clock.now());
		},
		change: (id, change) => Object.assign(project(id), change),
		remove(id) {
			state.store.projects.delete(project(id).id);
		},
	};

	const task = (id: string) => required(state.store.tasks.get(id), 'task');
	const tasks: Changes<NewTask, TaskChange, Task> & { run(id: string): Task } = {
		add({ projectId = state.store.projects.all()[0].id, ...given }) {
			requireRule(given.rrule);
			const now = clock.now();
			const made = {
				title: 'Task',
				emoji: '📌',
				rrule: 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0',
				prompt: 'Look after the site.',
				...given,
				id: randomUUID(),
				projectId: project(projectId).id,
				createdAt: now,
				updatedAt: now,
			};
			return state.store.tasks.add(made, now);
		},
		change(id, change) {
			requireRule(change.rrule);
			const found = task(id);
			if (change.rrule !== undefined && change.rrule !== found.rrule) delete found.ranUntil;
			return Object.assign(found, change, { updatedAt: clock.now() });
		},
		remove(id) {
			state.store.tasks.delete(task(id).id);
		},
		/** Runs a task ahead of time: its next run becomes the one after. */
		run(id) {
			const found = task(id);
			const next = findNextRun(found, clock.now());
			if (next === undefined) throw new ApiError('invalid_request', 'The task has no further run.');
			return Object.assign(found, { ranUntil: next });
		},
	};

	const file = (id: string) => required(state.store.files.get(id), 'file');
	function requireFree(place: Pick<FileItem, 'projectId' | 'parentId' | 'name'>, mover?: FileItem) {
		const there = state.store.files.at(place);
		if (there && there !== mover)
			throw new ApiError('conflict', `There is already an item named ${place.name} here.`);
	}
	function folder(id: string, projectId: string): string {
		const found = file(id);
		if (found.kind !== 'folder' || found.projectId !== projectId) throw notFound('folder');
		return id;
	}
	const files: Changes<NewFile, FileChange, FileItem> = {
		add({ projectId, name, parentId, kind = 'file', text = '' }) {
			const now = clock.now();
			const place = {
				projectId: project(projectId).id,
				...(parentId !== undefined && { parentId: folder(parentId, projectId) }),
				name,
			};
			requireFree(place);
			return state.store.files.add({
				id: randomUUID(),
				...place,
				kind,
				...(kind === 'folder' ? { content: Buffer.alloc(0) } : contentOfText(name, text)),
				createdAt: now,
				updatedAt: now,
			});
		},
		change(id, { name, parentId, text }) {
			const found = file(id);
			const to = {
				name: name ?? found.name,
				parentId:
					parentId === undefined
						? found.parentId
						: parentId === null
							? undefined
							: folder(parentId, found.projectId),
			};
			requireFree({ projectId: found.projectId, ...to }, found);
			if (text !== undefined) Object.assign(found, contentOfText(to.name, text));
			return state.store.files.change(found, to, clock.now());
		},
		remove(id) {
			state.store.files.delete(file(id));
		},
	};

	const domain = (id: string) => required(state.store.domains.get(id), 'custom domain');
	const domains: Changes<NewDomain, DomainChange, CustomDomain> = {
		add({ siteId, ...given }) {
			const now = clock.now();
			const made = {
				status: 'active',
				stale: false,
				...given,
				id: randomUUID(),
				siteId: required(state.store.sites.get(siteId), 'site').id,
				tokenExpiresAt: now + 5 * 86_400_000,
			};
			return state.store.domains.add(made, now);
		},
		change: (id, change) => Object.assign(domain(id), change),
		remove(id) {
			state.store.domains.delete(domain(id).id);
		},
	};

	const product = (id: string) => required(state.store.products.get(id), 'product');
	const products: Changes<NewProduct, ProductChange, Product> = {
		add: ({ projectId, ...fields }) =>
			state.store.products.add(
				{ ...fields, id: randomUUID(), projectId: project(projectId).id },
				clock.now(),
			),
		change: (id, { id: _, projectId: __, ...fields }) => Object.assign(product(id), fields),
		remove(id) {
			state.store.products.delete(product(id).id);
		},
	};

	/** Adds rows to the analytics tables. */
	async function addEvents(given: NewEvent[]): Promise<number> {
		const events = given.flatMap(({ count = 1, ...event }) =>
			Array.from({ length: count }, () => getEvent(project(event.projectId), event, clock.now())),
		);
		await state.analytics.add(events);
		return events.length;
	}

	return { projects, tasks, files, domains, products, addEvents };
}

const slug = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

function getEvent(project: Project, event: NewEvent, now: number): TrafficEvent {
	const { name = 'page_view', path = '/', title = '', source = '', amount = 0 } = event;
	return {
		project: project.id,
		namespace: project.workspaceId,
		subject: event.subject ?? randomUUID(),
		date: new Date(event.date ?? now).toISOString().slice(0, 23).replace('T', ' '),
		name,
		domain: `www.${slug(project.name)}.example`,
		path,
		title,
		utm_source: source,
		currencyCode: project.currency,
		amount,
	};
}
