// Our texts are as plain as those of n8n, Stripe and GitHub, measured the same way: see CONTRIBUTING.md, "Words".
import { describe, expect, test } from '@jest/globals';
import { createRequire } from 'node:module';
import { findPhrases } from './phrases.mts';
import {
	CODE,
	countWords,
	findFreeRelatives,
	findHomeMadeVerbs,
	measureProse,
	splitSentences,
} from './prose.mts';
import {
	contributorDocuments,
	interfaceTexts,
	nodeNames,
	panelTexts,
	userDocuments,
	type Texts,
} from './texts.mts';

interface Suggestion {
	reason: string;
}
const require = createRequire(import.meta.url);
const lint = require('write-good') as (text: string, options: object) => Suggestion[];

const MAX_README_SENTENCE_WORDS = 25;
const MAX_PANEL_TEXT_LENGTH = 120;
const MAX_NOTICE_LENGTH = 200;

const documents = userDocuments();
const guides = contributorDocuments();
const panels = panelTexts();

/** Returns sentences with their places. */
const getSentences = (texts: Texts): Array<[where: string, sentence: string]> =>
	[...texts].flatMap(([where, blocks]) =>
		blocks.flatMap(splitSentences).map((sentence): [string, string] => [where, sentence]),
	);

/** The limits, per 1,000 words: the range of n8n's docs and nodes, and the READMEs of stripe, got and octokit */
const LIMITS = {
	'README, docs and examples': {
		texts: documents,
		contractions: 5,
		secondPerson: 6,
		median: 14,
		p95: 30,
	},
	'panels, approval page and errors': {
		texts: interfaceTexts(),
		contractions: 1.3,
		secondPerson: 4,
		median: 12,
		p95: 24,
	},
	'pages for contributors': {
		texts: guides,
		contractions: 1.6,
		secondPerson: 2,
		median: 14,
		p95: 33,
	},
};
const MAX_FREE_RELATIVES = 0.5;
const MAX_HOME_MADE_VERBS = 0.1;
const MAX_SEMICOLONS = 4.8;

describe.each(Object.entries(LIMITS))('%s', (_, { texts, ...limits }) => {
	const sentences = getSentences(texts);
	const figures = measureProse([...texts.values()].flat());
	const only = (find: (sentences: string[]) => string[]) =>
		sentences.filter(([, sentence]) => find([sentence]).length > 0);

	test('name things instead of "what is watched" or "whatever follows"', () => {
		expect(figures.words).toBeGreaterThan(1000);
		if (figures.freeRelatives > MAX_FREE_RELATIVES) expect(only(findFreeRelatives)).toEqual([]);
	});

	test('use verbs that readers know', () => {
		if (figures.homeMadeVerbs > MAX_HOME_MADE_VERBS) expect(only(findHomeMadeVerbs)).toEqual([]);
	});

	test('have contractions, the second person, few semicolons and short sentences', () => {
		expect(figures.contractions).toBeGreaterThanOrEqual(limits.contractions);
		expect(figures.secondPerson).toBeGreaterThanOrEqual(limits.secondPerson);
		expect(figures.semicolons).toBeLessThanOrEqual(MAX_SEMICOLONS);
		expect(figures.median).toBeLessThanOrEqual(limits.median);
		expect(figures.p95).toBeLessThanOrEqual(limits.p95);
	});

	test('have no phrase that must not come back', () => {
		expect(findPhrases(texts)).toEqual([]);
	});
});

test("examples' nodes have no phrase that must not come back", () => {
	expect(findPhrases(nodeNames())).toEqual([]);
});

test('no sentence of the README has over 25 words', () => {
	const long = documents
		.get('README.md')!
		.flatMap(splitSentences)
		.filter((sentence) => countWords(sentence) > MAX_README_SENTENCE_WORDS);
	expect(long).toEqual([]);
});

/** Checks of write-good that are off */
const CHECKS = {
	// n8n's docs use the passive where the actor doesn't matter ("is published", "is paused"). Rate limits above find the worse habits.
	passive: false,
	// Off by default: it forbids every form of "to be".
	eprime: false,
	whitelist: [
		// Facts, not decoration: "only if", "exactly this request", "at least once".
		...['only', 'Only', 'exactly'],
		// Counts: "how many sessions", "one of many items", "several sessions".
		...['many', 'several', 'Several', 'fewer'],
		// Labels of n8n
		...['Get Many', 'Aggregate'],
	],
};

test('write-good has no objection to README, docs and sticky notes', () => {
	const objections = [...documents].flatMap(([where, blocks]) =>
		blocks.flatMap((block) =>
			// Code repeats: "`a`, `b`".
			lint(` ${block}`.replaceAll(/\bX(?:,? X\b)+/g, CODE), CHECKS).map(
				({ reason }) => `${where}: ${reason}, in: ${block.slice(0, 100)}`,
			),
		),
	);
	expect(objections).toEqual([]);
});

describe('panels', () => {
	test('have texts of at most 120 characters, and notices of at most 200', () => {
		expect(panels.length).toBeGreaterThan(200);
		const long = panels.filter(
			({ kind, text }) =>
				text.length > (kind === 'notice' ? MAX_NOTICE_LENGTH : MAX_PANEL_TEXT_LENGTH),
		);
		expect(long).toEqual([]);
	});

	test('have descriptions without a semicolon', () => {
		const wrong = panels.filter(({ kind, text }) => kind === 'description' && text.includes(';'));
		expect(wrong).toEqual([]);
	});

	test('have placeholders that start with "e.g.", or are phrases of n8n', () => {
		const wrong = panels.filter(
			({ kind, text }) => kind === 'placeholder' && !/^(e\.g\. |Add |Select a )/.test(text),
		);
		expect(wrong).toEqual([]);
	});
});

describe('the measure', () => {
	const old =
		'Parked, a session needs no memory and goes on; what follows is told by whoever looks at it. It is waited out; what is asked stands for itself.';
	const plain =
		"The node pauses the session. It doesn't use memory, and you can resume it. What next?";

	test('counts the habits per 1,000 words, and none in plain English', () => {
		expect(measureProse([old])).toMatchObject({ words: 28, contractions: 0, semicolons: 71.4 });
		expect(measureProse([old]).freeRelatives).toBeGreaterThan(50);
		expect(measureProse([old]).homeMadeVerbs).toBeGreaterThan(100);
		expect(measureProse([plain])).toMatchObject({
			words: 16,
			freeRelatives: 0,
			homeMadeVerbs: 0,
			semicolons: 0,
			median: 5,
		});
	});

	test('finds phrases and the phrase of the linter, and ignores questions', () => {
		expect(findPhrases(new Map([['page', [old]]])).length).toBeGreaterThan(5);
		expect(findPhrases(new Map([['page', [plain]]]))).toEqual([]);
		expect(findFreeRelatives(['What is watched?'])).toEqual([]);
		expect(lint('So this is very very unique.', CHECKS).length).toBeGreaterThan(0);
	});
});
