import type { IDataObject } from 'n8n-workflow';

import { isRecord, nonEmptyText } from '../../shared/values';
import {
	customDomainLocator,
	returnAllOrLimit,
	simplify,
	simplifyOutput,
	siteLocator,
} from '../../shared/n8n/commonFields';
import type { Operation } from '../../shared/n8n/sendOperation';

export const customDomain: Record<string, Operation> = {
	delete: {
		description: 'Delete a custom domain of a site permanently',
		request: 'deleteCustomDomain',
		fields: [
			{
				...siteLocator,
				required: false,
				description: 'Only fills the list of custom domains. Not needed with an ID.',
				check: undefined,
			},
			customDomainLocator,
		],
		// There's no body if a second attempt finds that the first one deleted the domain.
		result: ({ body }, { customDomainId }) => ({
			json: (body ?? { id: customDomainId, deleted: true }) as IDataObject,
		}),
	},
	getAll: {
		description: 'Get many custom domains of a site, with the DNS records to set',
		request: 'listCustomDomains',
		fields: [siteLocator, ...returnAllOrLimit, simplify],
		output: simplifyOutput(({ id, domain, status, is_pending, is_stale, dns_instructions }) => {
			const dns = isRecord(dns_instructions) ? dns_instructions : {};
			const { verification_token, verification_token_expires_at } = dns;
			const records = Array.isArray(dns.records) ? dns.records.filter(isRecord) : [];
			const dns_records = records.map(({ type, host, value }) =>
				[type, host, value].map(nonEmptyText).filter(Boolean).join(' '),
			);
			const token = { verification_token, verification_token_expires_at };
			return { id, domain, status, is_pending, is_stale, dns_records, ...token } as IDataObject;
		}),
	},
};
