// Our texts use the words of the style guide (CONTRIBUTING.md, "Words"), and the panels its forms.
import { expect, test } from '@jest/globals';
import { findPhrases } from './phrases.mts';
import { countWords, splitSentences } from './prose.mts';
import {
	contributorDocuments,
	interfaceTexts,
	nodeNames,
	panelTexts,
	userDocuments,
} from './texts.mts';

const MAX_README_SENTENCE_WORDS = 25;
const MAX_PANEL_TEXT_LENGTH = 120;
const MAX_NOTICE_LENGTH = 200;

const panels = panelTexts();

test.each([
	['README, docs and examples', userDocuments()],
	["names of the examples' nodes", nodeNames()],
	['panels, approval page and errors', interfaceTexts()],
	['pages for contributors', contributorDocuments()],
])('%s use the words of the style guide', (_, texts) => {
	expect(texts.size).toBeGreaterThan(0);
	expect(findPhrases(texts)).toEqual([]);
});

test('no sentence of the README has over 25 words', () => {
	const long = userDocuments()
		.get('README.md')!
		.flatMap(splitSentences)
		.filter((sentence) => countWords(sentence) > MAX_README_SENTENCE_WORDS);
	expect(long).toEqual([]);
});

test('panels have texts of at most 120 characters, and notices of at most 200', () => {
	expect(panels.length).toBeGreaterThan(200);
	const long = panels.filter(
		({ kind, text }) =>
			text.length > (kind === 'notice' ? MAX_NOTICE_LENGTH : MAX_PANEL_TEXT_LENGTH),
	);
	expect(long).toEqual([]);
});

test('panels have descriptions without a semicolon', () => {
	const wrong = panels.filter(({ kind, text }) => kind === 'description' && text.includes(';'));
	expect(wrong).toEqual([]);
});

test('panels have placeholders that start with "e.g.", or are phrases of n8n', () => {
	const wrong = panels.filter(
		({ kind, text }) => kind === 'placeholder' && !/^(e\.g\. |Add |Select a )/.test(text),
	);
	expect(wrong).toEqual([]);
});
