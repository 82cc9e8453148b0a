// Services that ignore unknown names, where others refuse it. Requests with our names have no effect, and no error.
import type { Dialect } from '../dialect.mts';
import { everyList } from './lists.mts';

export const ignoring = {
	'ignored-page-names': {
		summary: 'Pages of 25 need page_size and after. Other names are ignored.',
		group: 'paging names',
		ignores: true,
		paging: { usual: 25 },
		requests: everyList({ query: { page_size: '{limit}', after: '{cursor}' } }),
	},
	'ignored-cursor': {
		summary: 'The cursor of a list is page_token. Other names are ignored.',
		group: 'paging names',
		ignores: true,
		requests: everyList({ query: { page_token: '{cursor}' } }),
	},
	'ignored-folder-filter': {
		summary: 'The folder of a list of files is in. Other names are ignored.',
		ignores: true,
		requests: { listFiles: { query: { in: '{parentId}' } } },
	},
	'ignored-project-filter': {
		summary: 'The project of files and products is of. Other names are ignored.',
		ignores: true,
		requests: {
			listFiles: { query: { of: '{projectId}' } },
			listProducts: { query: { of: '{projectId}' } },
		},
	},
	'ignored-site-filter': {
		summary: 'The site of domains is site, and the response shows it. Other names are ignored.',
		ignores: true,
		requests: { listCustomDomains: { query: { site: '{siteId}' } } },
	},
	'ignored-fields': {
		summary: 'Bodies have other names. Our names are ignored, and required ones are missing.',
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
