// Pages of other sizes and orders than were asked for.
import type { Dialect } from '../dialect.mts';

export const pageForms = {
	'small-pages': {
		summary: 'A page has at most 25 entries, even with a larger limit',
		paging: { most: 25 },
	},
	'newest-first': {
		summary: 'Lists start with the newest entry',
		paging: { newestFirst: true },
	},
} satisfies Record<string, Dialect>;
