import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { customDomainLocator } from '../../../shared/descriptions';
import { checked } from '../../../shared/routed';
import { requireId } from '../../../shared/validate';
import { siteId } from './siteId';

const showOnlyForDomainDelete = { resource: ['customDomain'], operation: ['delete'] };

export const operation: INodePropertyOptions = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete a custom domain',
	description: 'Delete a custom domain of a site for good',
	routing: {
		request: { method: 'DELETE', url: '/custom-domains/{customDomainId}' },
		send: { paginate: true, preSend: [checked('Custom Domain', 'customDomainId', requireId)] },
		output: {
			postReceive: [
				async (items) => items.map(({ json }) => ({ json: { ...json, deleted: true } })),
			],
		},
	},
};

export const fields: INodeProperties[] = [
	{ ...customDomainLocator, displayOptions: { show: showOnlyForDomainDelete } },
	siteId(showOnlyForDomainDelete, 'Only fills the list of custom domains; not needed with an ID'),
];
