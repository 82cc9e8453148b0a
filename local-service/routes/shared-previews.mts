// POST /shared-previews
import { ApiError } from '../errors.mts';
import { idOf } from '../ids.mts';
import { findProject, permitted } from './access.mts';
import { ok, type Routes } from './route.mts';

/**
 * A language tag in its one proper spelling, so that `en-us` and `en-US` are one locale.
 * @throws ApiError `invalid_request`
 */
function properLocale(tag: string): string {
	try {
		return Intl.getCanonicalLocales(tag)[0];
	} catch {
		throw new ApiError('invalid_request', 'body/locale must be a BCP 47 language tag');
	}
}

export const sharedPreviewRoutes: Routes = (world) => ({
	createSharedPreview({ body, key, origin }) {
		const { sites, sessions, previews } = world.store;
		const { id: projectId } = findProject(world, key, body.projectId);
		const site = sites.get(body.siteId);
		const { id: siteId, defaultLocale } = permitted(
			key,
			site?.projectId === projectId ? site : undefined,
			'site',
		);
		const locale = body.locale === undefined ? defaultLocale : properLocale(body.locale);
		if (![...sessions.values()].some((session) => session.projectId === projectId)) {
			throw new ApiError(
				'conflict',
				'Start an agent session in the project before sharing a preview.',
			);
		}
		// The id is made from what is shared: asking again recovers the same preview
		const id = idOf(`preview ${siteId} ${locale} ${body.route}`);
		previews.set(id, { id, projectId, siteId, route: body.route, locale });
		return ok({ object: 'shared_preview', id, url: `${origin}/previews/${id}` });
	},
});
