// The words that an approval request offers. The document shows that options have a value and a label, and no words.
import type { Dialect } from '../dialect.mts';

type Words = Record<'once' | 'always' | 'reject', [value: string, label: string]>;

const offers = (summary: string, { once, always, reject }: Words): Dialect => ({
	summary,
	group: 'option words',
	optionWords: {
		once: { value: once[0], label: once[1] },
		always: { value: always[0], label: always[1] },
		reject: { value: reject[0], label: reject[1] },
	},
});

export const optionWords = {
	'option-words-grant': offers('Options are grant and refuse', {
		once: ['grant', 'Grant'],
		always: ['grant_always', 'Grant always'],
		reject: ['refuse', 'Refuse'],
	}),
	'option-words-permit': offers('Options are words like permitted and blocked', {
		once: ['permit_once', 'Permit this once'],
		always: ['permit_session', 'Permit for the whole session'],
		reject: ['block', 'Block'],
	}),
	'option-words-own': {
		...offers('Options are words without a known meaning', {
			once: ['go', 'Go'],
			always: ['green', 'Green light'],
			reject: ['halt', 'Halt'],
		}),
		words: { resolveInteraction: { approve: 'go', deny: 'halt' } },
	},
} satisfies Record<string, Dialect>;
