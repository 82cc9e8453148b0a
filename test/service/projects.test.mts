import { expect, test } from '@jest/globals';
import { seed as seedStore } from '../../local-service/seed.mts';
import { noProjectsToken } from '../../local-service/auth.mts';
import { useService, type List, type Schemas } from './support.mts';
import { createServiceClock } from '../support/virtualClock.mts';

type Project = Schemas['Project'];
type ProjectPage = List<Project> & Pick<Schemas['ProjectList'], 'setup_required'>;

const { api, all, keyFor, seed } = useService();

test('130 projects in 3 workspaces, the same at every start', async () => {
	const projects = await all<Project>('/projects', { query: { limit: 100 } });
	expect(projects).toHaveLength(130);
	expect(new Set(projects.map(({ name }) => name)).size).toBe(130);
	expect(new Set(projects.map(({ workspaceId }) => workspaceId)).size).toBe(3);
	expect(projects.map(({ id }) => id)).toEqual(
		seedStore(createServiceClock(0).now())
			.projects.all()
			.map(({ id }) => id),
	);
	expect(projects[0]).toMatchObject({
		object: 'project',
		timeZone: expect.any(String),
		currency: expect.any(String),
		supportEmail: expect.any(String),
	});
});

test('a key sees the projects that it has access to', async () => {
	const { projects } = await seed();
	const some = [projects[3].id, projects[120].id];
	const token = await keyFor({ projects: some });
	const { body } = await api<ProjectPage>('GET', '/projects', { token });
	expect(body.data.map(({ id }) => id)).toEqual(some);
	expect(body.setup_required).toBeUndefined();
});

test('a key without projects gets a setup message', async () => {
	const { body } = await api<ProjectPage>('GET', '/projects', {
		token: noProjectsToken,
	});
	expect(body).toMatchObject({
		data: [],
		has_more: false,
		setup_required: { reason: 'no_compatible_projects', message: expect.any(String) },
	});
	expect(body.setup_required!.eligible_workspaces).toHaveLength(3);
	expect((await api<ProjectPage>('GET', '/projects')).body.setup_required).toBeUndefined();
});
