import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { projectLocator, UUID_EXAMPLE } from '../../../shared/descriptions';
import { Problem } from '../../../shared/problem';
import { checked } from '../../../shared/routed';
import { requireId, requireString, requireText } from '../../../shared/validate';

const showOnlyForPreviewCreate = { resource: ['sharedPreview'], operation: ['create'] };

/** An absolute path without query string or fragment, of 1 to 2048 characters (API document, POST /shared-previews). */
function requireRoute(field: string, value: unknown): void {
	const route = requireString(field, requireText(field, value), 2048);
	if (!route.startsWith('/'))
		throw new Problem(
			`${field} does not start with a slash`,
			`Enter the path of the page, such as /pricing.`,
		);
	if (/[?#]/.test(route))
		throw new Problem(
			`${field} has a query string or fragment`,
			`Leave out everything from the "${/[?#]/.exec(route)![0]}" on: only the path can be shared.`,
		);
}

/** A language tag of at most 255 characters; may be left out. */
function optionalLocale(field: string, value: unknown): void {
	if (value === undefined || value === '') return;
	const locale = requireString(field, value, 255);
	if (!/^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(locale))
		throw new Problem(
			`${field} is not a language tag`,
			'Enter a BCP 47 language tag such as en or pt-BR, or leave it empty.',
		);
}

export const operation: INodePropertyOptions = {
	name: 'Create',
	value: 'create',
	action: 'Create a shared preview',
	description:
		'Create a durable link to a page of a site, or get the one there is; an agent session must have been started in the project before',
	routing: {
		request: { method: 'POST', url: '/shared-previews' },
		send: {
			paginate: true,
			preSend: [
				checked('Project', 'projectId', requireId),
				checked('Site ID', 'siteId', requireId),
				checked('Route', 'route', requireRoute),
				checked('Locale', 'locale', optionalLocale),
			],
		},
	},
};

export const fields: INodeProperties[] = [
	{
		...projectLocator,
		displayOptions: { show: showOnlyForPreviewCreate },
		routing: { send: { type: 'body', property: 'projectId' } },
	},
	{
		displayName: 'Site ID',
		name: 'siteId',
		type: 'string',
		default: '',
		required: true,
		placeholder: UUID_EXAMPLE,
		description: 'The site that the page belongs to',
		displayOptions: { show: showOnlyForPreviewCreate },
		routing: { send: { type: 'body', property: 'siteId', value: '={{ $value.trim() }}' } },
	},
	{
		displayName: 'Route',
		name: 'route',
		type: 'string',
		default: '/',
		required: true,
		placeholder: 'e.g. /pricing',
		description:
			'The path of the page, without query string or fragment. Whether the page exists is checked when somebody opens the link.',
		displayOptions: { show: showOnlyForPreviewCreate },
		routing: { send: { type: 'body', property: 'route' } },
	},
	{
		displayName: 'Locale',
		name: 'locale',
		type: 'string',
		default: '',
		placeholder: 'e.g. pt-BR',
		description: "The language of the page; leave it empty for the site's own",
		displayOptions: { show: showOnlyForPreviewCreate },
		routing: { send: { type: 'body', property: 'locale', value: '={{ $value || undefined }}' } },
	},
];
