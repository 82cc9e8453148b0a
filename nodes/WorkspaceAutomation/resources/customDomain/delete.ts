import { customDomainLocator } from '../../../shared/n8n/descriptions';
import { requireId } from '../../../shared/base/validation';
import { siteId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';

export const deleteDomain: Operation = {
	description: 'Delete a custom domain of a site permanently',
	request: 'deleteCustomDomain',
	fields: [
		{
			...siteId,
			required: false,
			description: 'Only fills the list of custom domains; not needed with an ID',
			check: undefined,
		},
		{ ...customDomainLocator, check: requireId },
	],
	// Nothing comes back where a second attempt finds that the first one has deleted it.
	output: (items) =>
		items.map(({ json: { customDomainId, ...json } }) => ({
			json: { id: customDomainId, ...json, deleted: true },
		})),
};
