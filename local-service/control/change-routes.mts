// POST, PATCH and DELETE /_control/state/...: the changes of `changes.mts` over HTTP.
import type { FastifyInstance } from 'fastify';
import { startSession } from '../agent/start.mts';
import type { DialectLayer } from '../dialects/layer.mts';
import type { Product, ServiceState, Task } from '../state.mts';
import { getChanges, type Changes, type NewEvent } from './changes.mts';
import * as schemas from './schemas.mts';
import { showDomain, showFile, showProduct, showProject, showTaskAt } from './views.mts';

type Body = Record<string, unknown>;

/** One kind of thing: where, what it takes, and how it is shown. */
interface Kind {
	path: string;
	schemas: { add: object; change: object };
	add(body: Body): object;
	change(id: string, body: Body): object;
	remove(id: string): void;
}

function kind<New, Change, Thing>(
	path: string,
	bodies: Kind['schemas'],
	changes: Changes<New, Change, Thing>,
	show: (thing: Thing) => object,
	/** The id of a thing by the one that callers know */
	ownId: (id: string) => string = (id) => id,
): Kind {
	return {
		path,
		schemas: bodies,
		// The schemas say what these bodies are
		add: (body) => show(changes.add(body as New)),
		change: (id, body) => show(changes.change(ownId(id), body as Change)),
		remove: (id) => changes.remove(ownId(id)),
	};
}

/** Registers them; each answers with the thing as `GET /seed` shows it. */
export function registerChanges(
	app: FastifyInstance,
	state: ServiceState,
	layer: DialectLayer,
): void {
	const { projects, tasks, files, domains, products, addEvents } = getChanges(state);
	const shownProduct = (product: Product) => showProduct(product, layer.shownIds(state.store));
	const productId = (id: string) =>
		state.store.products.all().find((product) => String(shownProduct(product).id) === id)?.id ?? id;
	const showTask = (task: Task) => showTaskAt(task, state.clock.now());

	const kinds: Kind[] = [
		kind('projects', schemas.projects, projects, showProject),
		kind('tasks', schemas.tasks, tasks, showTask),
		kind('files', schemas.textFiles, files, showFile),
		kind('domains', schemas.domains, domains, showDomain),
		kind('products', schemas.products, products, shownProduct, productId),
	];
	for (const { path, schemas: bodies, ...changes } of kinds) {
		app.post<{ Body: Body }>(`/state/${path}`, { schema: { body: bodies.add } }, ({ body }) =>
			changes.add(body),
		);
		app.patch<{ Params: { id: string }; Body: Body }>(
			`/state/${path}/:id`,
			{ schema: { body: bodies.change } },
			({ params, body }) => changes.change(params.id, body),
		);
		app.delete<{ Params: { id: string } }>(`/state/${path}/:id`, ({ params }) => {
			changes.remove(params.id);
			return { removed: true };
		});
	}
	app.post<{ Params: { id: string } }>('/state/tasks/:id/run', ({ params }) =>
		showTask(tasks.run(params.id)),
	);
	app.post<{ Body: { projectId: string; prompt: string } }>(
		'/state/sessions',
		{ schema: { body: schemas.session } },
		({ body }) => ({ sessionId: startSession(state, body).id }),
	);
	app.post<{ Body: NewEvent | NewEvent[] }>(
		'/state/events',
		{ schema: { body: schemas.events } },
		async ({ body }) => ({ added: await addEvents([body].flat()) }),
	);
}
