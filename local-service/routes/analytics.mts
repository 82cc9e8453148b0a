// POST /analytics/query
import { mayActOn } from '../auth.mts';
import { okText, type Routes } from './route.mts';

export const analyticsRoutes: Routes = (world) => ({
	async queryAnalytics({ body, key }) {
		const projects = world.store.projects.all().filter(({ id }) => mayActOn(key, id));
		return okText(
			await world.analytics.query(
				body.query,
				projects.map(({ id }) => id),
			),
		);
	},
});
