// POST /shared-previews
import { ApiError } from '../errors.mts';
import { getId } from '../ids.mts';
import { findProject, permitted } from './access.mts';
import { ok, type Routes } from './route.mts';

/**
 * A language tag in its canonical spelling: `en-us` and `en-US` are one locale.
 * @throws ApiError `invalid_request`
 */
function canonicalLocale(tag: string): string {
	try {
		return Intl.getCanonicalLocales(tag)[0];
	} catch {
		throw new ApiError('invalid_request', 'body/locale must be a BCP 47 language tag');
	}
}

export const sharedPreviewRoutes: Routes = (state) => ({
	createSharedPreview({ body, key, origin }) {
		const { sites, sessions, previews } = state.store;
		const { id: projectId } = findProject(state, key, body.projectId);
		const site = sites.get(body.siteId);
		const { id: siteId, defaultLocale } = permitted(
			key,
			site?.projectId === projectId ? site : undefined,
			'site',
		);
		const locale = body.locale === undefined ? defaultLocale : canonicalLocale(body.locale);
		if (![...sessions.values()].some((session) => session.projectId === projectId)) {
			throw new ApiError(
				'conflict',
				'Start an agent session in the project before sharing a preview.',
			);
		}
		// The id is derived from what is shared, so that a repeated request recovers the same preview
		const id = getId(`preview ${siteId} ${locale} ${body.route}`);
		previews.set(id, { id, projectId, siteId, route: body.route, locale });
		return ok({ object: 'shared_preview', id, url: `${origin}/previews/${id}` });
	},
});
