import type { INodeProperties } from 'n8n-workflow';

import { UUID_EXAMPLE } from '../../../shared/descriptions';

/** Sites cannot be listed, so they are named by their ID. */
export const siteId = (show: Record<string, string[]>, description: string): INodeProperties => ({
	displayName: 'Site ID',
	name: 'siteId',
	type: 'string',
	default: '',
	placeholder: UUID_EXAMPLE,
	description,
	displayOptions: { show },
});
