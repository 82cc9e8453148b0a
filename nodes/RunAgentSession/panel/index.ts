import type { INodeProperties } from 'n8n-workflow';

import { simplify } from '../../shared/n8n/commonFields';
import { showFor, toProperties } from '../../shared/n8n/fields';
import { optionsField } from './options';
import { policyFields } from './policy';
import { SESSION_OPERATIONS, sessionFields } from './session';

export const properties: INodeProperties[] = toProperties([
	...sessionFields,
	...policyFields,
	...showFor({ operation: SESSION_OPERATIONS }, simplify),
	optionsField,
]);
