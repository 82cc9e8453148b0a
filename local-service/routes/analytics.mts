// POST /analytics/query
import { mayActOn } from '../auth.mts';
import { okText, type Routes } from './route.mts';

export const analyticsRoutes: Routes = (state) => ({
	async queryAnalytics({ body, key }) {
		const projects = state.store.projects.all().filter(({ id }) => mayActOn(key, id));
		return okText(
			await state.analytics.query(
				body.query,
				projects.map(({ id }) => id),
			),
		);
	},
});
