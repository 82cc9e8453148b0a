// Texts that the service couldn't store or would read as something else are refused before anything is sent.
import { expect, test } from '@jest/globals';
import { optionalLocale, requireLine, requireRoute } from '../../nodes/shared/validation.ts';

test.each(['a\nb', 'a\r\nb', 'a\r', '\tb', 'a\0b', 'a\x7f', 'a\u0085', 'a\u2028b', 'a\u2029b'])(
	'a name that has a line break or a control character is refused: %j',
	(name) => {
		expect(() => requireLine('Name', name)).toThrow(
			expect.objectContaining({
				message: "'Name' has a line break or a control character",
				description: expect.stringMatching(/^Remove the character U\+[0-9A-F]{4} from 'Name'\./),
			}),
		);
	},
);

test.each(['report.md', 'Übersicht – 2026 🧹', 'a b', '', 'مرحبا\u200f'])(
	'%j is one line',
	(name) => {
		expect(requireLine('Name', name)).toBe(name);
	},
);

test.each(['//host/x', '/\\host', '/a\nb', '/a\0', '/a\tb', 'pricing', '/a?b', '/a#b'])(
	'%j is no route',
	(route) => expect(() => requireRoute('Route', route)).toThrow(/^'Route' /),
);

test.each(['/', '/pricing', '/a//b', '/a/b/', '/über/uns', '/a%20b', '/a b', '/@x'])(
	'%j is a route',
	(route) => expect(requireRoute('Route', route)).toBe(route),
);

test.each([
	...['en', 'pt-BR', 'zh-Hant-TW', 'de-1996', 'sl-rozaj-biske', 'es-419', 'zh-cmn-Hans-CN'],
	...['de-DE-x-goethe', 'x-whatever', 'i-klingon', 'EN-us', 'hy-Latn-IT-arevela'],
	...['art-lojban', 'gsw', 'qaa-Qaaa-QM-x-southern', 'a'.repeat(8)],
])('%s is a language tag', (tag) => expect(optionalLocale('Locale', tag)).toBe(tag));

test.each([
	...['e', 'en_US', 'en-', '-en', 'en--US', 'english-languages', 'deutschland', '12', 'en US'],
	...['en-u', 'en-x', 'de-DE-DE', 'pt-BRA1-x-', 'a-b', 'en-12', 'en.UTF-8', 'en\n', '1996-de', 'x'],
])('%j is no language tag', (tag) =>
	expect(() => optionalLocale('Locale', tag)).toThrow("'Locale' isn't a language tag"),
);
