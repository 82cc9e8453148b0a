import type { INodeProperties } from 'n8n-workflow';

import { toProperties } from '../../shared/n8n/fields';
import { collections } from './options';
import { policyFields } from './policy';
import { sessionFields, waitFields } from './session';

export const properties: INodeProperties[] = toProperties([
	...sessionFields,
	...policyFields,
	...waitFields,
	...collections,
]);
