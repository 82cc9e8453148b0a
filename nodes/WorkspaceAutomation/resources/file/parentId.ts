import type { INodeProperties } from 'n8n-workflow';

import { folderLocator } from '../../../shared/descriptions';

/** The folder that something is created in. Nothing is sent where it is left empty. */
export const optionalParent = (show: Record<string, string[]>): INodeProperties => ({
	...folderLocator,
	displayOptions: { show },
	routing: { send: { type: 'body', property: 'parentId', value: '={{ $value || undefined }}' } },
});
