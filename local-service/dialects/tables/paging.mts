// Pages of other sizes and orders than were asked for.
import type { Dialect } from '../dialect.mts';

export const pageForms = {
	'small-pages': {
		summary: 'A page has at most 25 entries, whatever is asked for',
		paging: { most: 25 },
	},
	'newest-first': {
		summary: 'Lists begin with what was added last',
		paging: { newestFirst: true },
	},
} satisfies Record<string, Dialect>;
