import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

import { returnAllOrLimit, simplify } from '../../../shared/n8n/descriptions';
import { isRecord } from '../../../shared/base/values';
import { siteId } from '../fields';
import type { Operation } from '../resource';

/** With Simplify on: the state of each domain, and the DNS records to set as a list of lines. */
async function simplifyDomains(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	if (this.getNodeParameter('simplify', true) !== true) return items;
	return items.map(({ json }) => {
		const { id, domain, status, is_pending, is_stale, dns_instructions: dns } = json;
		const records = isRecord(dns) && Array.isArray(dns.records) ? dns.records : [];
		const lines = records
			.filter(isRecord)
			.map(({ type, host, value }) => [type, host, value].join(' '));
		return { json: { id, domain, status, is_pending, is_stale, dns_records: lines } };
	});
}

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many custom domains',
	description: 'Get many custom domains of a site, with the DNS records to set',
	request: 'listCustomDomains',
	fields: [siteId, ...returnAllOrLimit, simplify],
	output: [simplifyDomains],
};
