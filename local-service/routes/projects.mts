// GET /projects
import { mayActOn } from '../auth.mts';
import { listed } from '../lateness.mts';
import { mapPage, page } from '../paging.mts';
import { ok, type Routes } from './route.mts';

export const projectRoutes: Routes = (state) => ({
	listProjects({ query, limit, key }) {
		const { projects, workspaces } = state.store;
		const list = page(
			'projects',
			{ ...query, limit },
			(sequence) => listed(state, projects.after('', sequence)),
			({ id }) => mayActOn(key, id),
		);
		const actsOnNone = !projects.all().some(({ id }) => mayActOn(key, id));
		return ok({
			...mapPage(list, (project) => ({ object: 'project', ...project })),
			...(actsOnNone && {
				setup_required: {
					reason: 'no_compatible_projects',
					message:
						'The key cannot act on any project. Create one in an eligible workspace, or give the key access to one.',
					eligible_workspaces: workspaces,
				},
			}),
		});
	},
});
