// POST /analytics/query
import { fixedRows, isReadOnly, rowsWanted } from '../analytics.mts';
import { mayActOn } from '../auth.mts';
import { ApiError } from '../errors.mts';
import { ok, type Routes } from './route.mts';

export const analyticsRoutes: Routes = (world) => ({
	queryAnalytics({ body, key }) {
		if (!isReadOnly(body.query)) throw new ApiError('invalid_request', 'body/query must be a single SELECT or WITH statement');
		// Scoped to the key's projects: with none, there is nothing to count
		const actsOnSome = world.store.projects.all().some(({ id }) => mayActOn(key, id));
		const data = actsOnSome ? fixedRows(rowsWanted(body.query), world.clock.now()) : [];
		return ok({ rowCount: data.length, data });
	},
});
