// The control API under /_control: what tests and demonstrations use to look at the service and to change it.
// It asks for no key and answers this machine only.
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { ApiParts } from './api.mts';
import { allScopes, mainToken, noProjectsToken } from './auth.mts';
import { fillFiles, showSeed, showSessions } from './control-views.mts';
import * as schemas from './control-schemas.mts';
import { envelope, notFound } from './errors.mts';
import type { FaultRule } from './faults.mts';
import type { RateSetting } from './rate-limit.mts';
import { seed } from './seed.mts';

const isLoopback = (ip: string) => ip === '::1' || /^(::ffff:)?127\./.test(ip);

/** Registers the control API; see the README for its shapes. */
export function registerControl(
	app: FastifyInstance,
	{ world, record, faults, rateLimit }: ApiParts,
): void {
	const { clock } = world;

	app.addHook('onRequest', async (request, reply) => {
		if (!isLoopback(request.ip))
			return reply.status(404).send(envelope('not_found', notFound().message));
	});

	app.get<{ Querystring: { since?: string } }>('/requests', ({ query }) => ({
		requests: record.since(Number(query.since ?? 0)),
	}));
	app.delete('/requests', () => {
		record.clear();
		return { requests: [] };
	});

	app.get('/sessions', () => ({ sessions: showSessions(world) }));
	app.get('/seed', () => ({
		...showSeed(world),
		keys: { main: mainToken, noProjects: noProjectsToken },
	}));

	app.post<{ Body: { name: string; scopes?: string[]; projects?: 'all' | string[] } }>(
		'/keys',
		{ schema: { body: schemas.key } },
		({ body: { name, scopes = allScopes, projects = 'all' } }) => {
			const token = `wa_local_${randomBytes(12).toString('hex')}`;
			const key = {
				token,
				name,
				scopes: new Set(scopes),
				projects: projects === 'all' ? projects : new Set(projects),
			};
			world.store.keys.set(token, key);
			return { key: token };
		},
	);

	app.post('/reset', () => {
		world.store = seed(clock.now());
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
		({ body }) => ({
			faults: faults.add([body].flat()),
		}),
	);
	app.delete('/faults', () => {
		faults.clear();
		return { faults: [] };
	});

	app.post<{ Body: { projectId: string; count: number } }>(
		'/files',
		{ schema: { body: schemas.files } },
		({ body }, reply) => {
			if (!world.store.projects.get(body.projectId))
				return reply.status(404).send(envelope('not_found', 'No such project'));
			return fillFiles(world, body.projectId, body.count);
		},
	);
}
