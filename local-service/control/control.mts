// The control API under /_control: what tests and demonstrations use to check the service and to change it.
// It requires no key, and answers programs on this machine only. `client.mts` is its typed client.
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { ApiParts } from '../api.mts';
import { allScopes } from '../auth.mts';
import { envelope, notFound } from '../errors.mts';
import type { FaultRule } from '../faults.mts';
import type { RateSetting } from '../rate-limit.mts';
import { seed } from '../seed.mts';
import { registerChanges } from './change-routes.mts';
import { fillFiles } from './fill.mts';
import { isLocal, getRefusal } from './guard.mts';
import * as schemas from './schemas.mts';
import { validatorFor } from './validators.mts';
import { showSeed, showSessions } from './views.mts';

/** The body of `POST /keys`. */
export interface NewKey {
	/** Name of the key in the record of requests */
	name: string;
	/** Default: all */
	scopes?: string[];
	/** Ids of the projects that the key can act on; default: all */
	projects?: 'all' | string[];
}

/** Registers the control API; the README describes its requests and answers. */
export function registerControl(
	app: FastifyInstance,
	{ state, record, faults, rateLimit, layer }: ApiParts,
): void {
	const { clock } = state;
	app.setValidatorCompiler(validatorFor);

	app.addHook('onRequest', async (request, reply) => {
		if (!isLocal(request)) return reply.status(404).send(envelope('not_found', notFound().message));
		const refusal = getRefusal(request);
		if (refusal !== undefined) return reply.status(403).send(envelope('forbidden', refusal));
	});

	app.get<{ Querystring: { since?: string } }>('/requests', ({ query }) => ({
		requests: record.since(Number(query.since ?? 0)),
	}));
	app.delete('/requests', () => {
		record.clear();
		return { requests: [] };
	});

	app.get('/sessions', () => ({ sessions: showSessions(state) }));
	registerChanges(app, state, layer);
	app.get('/seed', () => showSeed(state, layer));

	app.post<{ Body: NewKey }>(
		'/keys',
		{ schema: { body: schemas.key } },
		({ body: { name, scopes = allScopes, projects = 'all' } }) => {
			const token = `wa_local_${randomBytes(12).toString('hex')}`;
			state.store.keys.set(token, {
				token,
				name,
				scopes: new Set(scopes),
				projects: projects === 'all' ? projects : new Set(projects),
			});
			return { key: token };
		},
	);

	app.post('/reset', async () => {
		await state.analytics.reset();
		state.store = seed(clock.now());
		faults.clear();
		rateLimit.set(null);
		record.reset();
		return { reset: true };
	});

	app.post<{ Body: { speed: number } }>(
		'/speed',
		{ schema: { body: schemas.speed } },
		({ body }) => {
			clock.setSpeed(body.speed);
			return { speed: clock.speed() };
		},
	);

	app.post<{ Body: RateSetting | { perSecond: null } }>(
		'/rate-limit',
		{ schema: { body: schemas.rateLimit } },
		({ body }) => {
			rateLimit.set(body.perSecond === null ? null : body);
			return body;
		},
	);

	app.get('/faults', () => ({ faults: faults.list() }));
	app.post<{ Body: FaultRule | FaultRule[] }>(
		'/faults',
		{ schema: { body: schemas.faults } },
		({ body }) => ({ faults: faults.add([body].flat()) }),
	);
	app.delete('/faults', () => {
		faults.clear();
		return { faults: [] };
	});

	app.post<{ Body: { projectId: string; count: number } }>(
		'/files',
		{ schema: { body: schemas.files } },
		({ body }, reply) => {
			if (!state.store.projects.get(body.projectId))
				return reply.status(404).send(envelope('not_found', 'There is no such project.'));
			return fillFiles(state, body.projectId, body.count);
		},
	);
}
