import { isObject } from '../../json.mts';
import type { Dialect } from '../dialect.mts';
import { body } from './answers.mts';

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function snakeKeys(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(snakeKeys);
	if (!isObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [snake(key), snakeKeys(inner)]),
	);
}

const inSnakeCase = body(snakeKeys);

/** Undocumented names are in snake case. Documented names don't change: the status object, files, their `projectId`. */
export const snakeCase: Dialect = {
	summary: "All names that the document doesn't show are in snake case",
	requests: {
		createAgentSession: { body: { project_id: '{projectId}' } },
		listFiles: { query: { parent_id: '{parentId}' } },
		createFile: { body: { source: { content_type: '{contentType}', asset_id: '{assetId}' } } },
		moveFile: { body: { parent_id: '{parentId}' } },
		listCustomDomains: { query: { site_id: '{siteId}' } },
		createProduct: { body: { project_id: '{projectId}' } },
	},
	answers: {
		createAgentSession: inSnakeCase,
		sendAgentMessage: inSnakeCase,
		abortAgentSession: inSnakeCase,
		listProducts: inSnakeCase,
		createProduct: inSnakeCase,
		updateProduct: inSnakeCase,
	},
};
