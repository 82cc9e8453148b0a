import { expect, test } from '@jest/globals';
import { useService, type List, type Schemas } from './support.mts';

type Project = Schemas['Project'];
type ProjectPage = List<Project> & Pick<Schemas['ProjectList'], 'setup_required'>;

const { api, keyFor, seed } = useService();

test('a key sees the projects that it has access to', async () => {
	const { projects } = await seed();
	const some = [projects[3].id, projects[120].id];
	const token = await keyFor({ projects: some });
	const { body } = await api<ProjectPage>('GET', '/projects', { token });
	expect(body.data.map(({ id }) => id)).toEqual(some);
	expect(body.setup_required).toBeUndefined();
});
