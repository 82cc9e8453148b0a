// Answers of GET /files/{fileId}/content: the document says text or a URL, and names no field.
import type { Dialect } from '../dialect.mts';
import { body } from './answers.mts';

interface Content {
	text?: string;
	url?: string;
}

const content = (summary: string, change: (content: Content) => unknown): Dialect => ({
	summary,
	group: 'file content',
	answers: { getFileContent: body(change) },
});

export const fileContent = {
	'empty-text-beside-url': content(
		'A file that comes as a URL has an empty text too',
		({ text = '', url }) => ({ text, url }),
	),
	'content-in-file': {
		...content("A file's content is in file.body, or its URL in file.href", ({ text, url }) => ({
			file: { body: text, href: url },
		})),
		readAt: { getFileContent: { text: 'file.body', url: 'file.href' } },
	},
} satisfies Record<string, Dialect>;
