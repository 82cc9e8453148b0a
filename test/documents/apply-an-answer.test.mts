// Checks docs/apply-an-answer.md against the code.
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { readAnswer } from '../../nodes/RunAgentSession/requests/answer.ts';

const page = readFileSync(new URL('../../docs/apply-an-answer.md', import.meta.url), 'utf8');

test('the page lists words that have the meaning it says', () => {
	const [, approve, deny] = /The words are (.+?); (.+?)\./.exec(page)!;
	const words = (list: string) => list.split(/, | and /);
	for (const word of words(approve))
		expect([word, readAnswer(word).answer]).toEqual([word, 'approve']);
	for (const word of words(deny)) expect([word, readAnswer(word).answer]).toEqual([word, 'deny']);
	expect(words(approve).length + words(deny).length).toBe(10);
});
