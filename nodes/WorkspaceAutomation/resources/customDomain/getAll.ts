import type {
	IDataObject,
	IExecuteSingleFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import { OLDER_VERSION, VERSION_HEADER } from '../../../shared/connection';
import { returnAllOrLimit, simplify } from '../../../shared/descriptions';
import { checked, wire } from '../../../shared/routed';
import { requireId } from '../../../shared/validate';
import { siteId } from './siteId';

const showOnlyForDomainGetMany = { resource: ['customDomain'], operation: ['getAll'] };

/** With Simplify on: how each domain stands, and the DNS records to set as a list of lines. */
async function simplifyDomains(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	if (this.getNodeParameter('simplify', true) !== true) return items;
	return items.map(({ json }) => {
		const {
			id,
			domain,
			status,
			is_pending: isPending,
			is_stale: isStale,
			dns_instructions: dns,
		} = json;
		const records = ((dns as IDataObject | undefined)?.records ?? []) as IDataObject[];
		const lines = records.map(({ type, host, value }) => [type, host, value].join(' '));
		return {
			json: { id, domain, status, is_pending: isPending, is_stale: isStale, dns_records: lines },
		};
	});
}

export const operation: INodePropertyOptions = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many custom domains',
	description: 'Get many custom domains of a site, with what is to be set in their DNS',
	routing: {
		// The only version that this endpoint allows (API document, Versioning).
		request: {
			method: 'GET',
			url: '/custom-domains',
			headers: { [VERSION_HEADER]: OLDER_VERSION },
		},
		send: { paginate: true, preSend: [checked('Site ID', 'siteId', requireId)] },
		output: { postReceive: [simplifyDomains] },
	},
};

export const fields: INodeProperties[] = [
	{
		...siteId(showOnlyForDomainGetMany, 'The site that the domains belong to'),
		required: true,
		routing: { send: { type: 'query', property: wire('domainsSite') } },
	},
	...returnAllOrLimit(showOnlyForDomainGetMany),
	simplify(showOnlyForDomainGetMany),
];
