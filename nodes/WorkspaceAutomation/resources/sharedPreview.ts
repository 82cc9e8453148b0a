import { optionalLocale, requireRoute } from '../../shared/validation';
import type { Operation } from '../../shared/n8n/sendOperation';
import { projectLocator, siteLocator } from '../../shared/n8n/commonFields';
import { textField } from '../../shared/n8n/fields';

export const sharedPreview: Record<string, Operation> = {
	create: {
		description:
			'Create a durable link to a page of a site, or get the existing one. Start a session in the project first.',
		request: 'createSharedPreview',
		fields: [
			projectLocator,
			siteLocator,
			textField('Route', 'route', {
				default: '/',
				required: true,
				placeholder: 'e.g. /pricing',
				description:
					'The path of the page, without query string or fragment. The page is checked when someone opens the link.',
				check: requireRoute,
			}),
			textField<string | undefined>('Locale', 'locale', {
				placeholder: 'e.g. pt-BR',
				description: "The language of the page. Leave it empty for the site's default.",
				check: optionalLocale,
			}),
		],
	},
};
