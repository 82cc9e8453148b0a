// Services that ignore what they do not know, where others refuse it. What is asked for under our names is not done, and nobody says so.
import type { Dialect } from '../dialect.mts';
import { everyList } from './lists.mts';

export const ignoring = {
	'ignored-page-names': {
		summary: 'Pages of 25 are asked for with page_size and after; other names are ignored',
		group: 'paging names',
		ignores: true,
		paging: { usual: 25 },
		requests: everyList(() => ({ query: { page_size: '{limit}', after: '{cursor}' } })),
	},
	'ignored-cursor': {
		summary: 'The cursor of a list is asked for as page_token; other names are ignored',
		group: 'paging names',
		ignores: true,
		requests: everyList(() => ({ query: { page_token: '{cursor}' } })),
	},
	'ignored-folder-filter': {
		summary: 'The folder of a list of files is asked for as in; other names are ignored',
		ignores: true,
		requests: { listFiles: { query: { in: '{parentId}' } } },
	},
	'ignored-project-filter': {
		summary: 'The project of files and products is asked for as of; other names are ignored',
		ignores: true,
		requests: {
			listFiles: { query: { of: '{projectId}' } },
			listProducts: { query: { of: '{projectId}' } },
		},
	},
	'ignored-site-filter': {
		summary: 'The site of domains is asked for as site, and shown; other names are ignored',
		ignores: true,
		requests: { listCustomDomains: { query: { site: '{siteId}' } } },
	},
	'ignored-fields': {
		summary: 'Bodies have names of their own; others are ignored, and missed where required',
		ignores: true,
		requests: {
			createAgentSession: { body: { input: '{prompt}' } },
			sendAgentMessage: { body: { message: '{text}' } },
			resolveInteraction: { body: { decision: '{option}' } },
			createFile: { body: { folder: '{parentId}', source: { mime: '{contentType}' } } },
			renameFile: { body: { title: '{name}' } },
			moveFile: { body: { folder: '{parentId}' } },
		},
	},
} satisfies Record<string, Dialect>;
