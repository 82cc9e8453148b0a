import { WorkspaceAutomationError } from '../../shared/errors';
import { requireString, requireText } from '../../shared/validation';
import type { Operation } from '../../shared/n8n/declarative';
import { projectLocator, siteLocator } from '../../shared/n8n/commonFields';
import { textField } from '../../shared/n8n/fields';

/** An absolute path without query string or fragment, of 1 to 2048 characters (API document, POST /shared-previews). */
function requireRoute(field: string, value: unknown): string {
	const route = requireString(field, requireText(field, value), 2048);
	if (!route.startsWith('/'))
		throw new WorkspaceAutomationError(
			`'${field}' doesn't start with a slash`,
			'Enter the path of the page, such as /pricing.',
		);
	const [end] = /[?#]/.exec(route) ?? [];
	if (end === undefined) return route;
	throw new WorkspaceAutomationError(
		`'${field}' has a query string or fragment`,
		`Leave out everything from the "${end}" on: only the path can be shared.`,
	);
}

/** An optional BCP 47 language tag of at most 255 characters. Only its form is checked. */
function optionalLocale(field: string, value: unknown): string | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const locale = requireString(field, value, 255);
	if (/^[a-z0-9]{1,8}(-[a-z0-9]{1,8})*$/i.test(locale)) return locale;
	throw new WorkspaceAutomationError(
		`'${field}' isn't a language tag`,
		'Enter a BCP 47 language tag such as en or pt-BR, or leave it empty.',
	);
}

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
