// The examples of the page on overrides work as they stand.
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { readOverrides } from '../../nodes/shared/client/overrides.ts';

const page = readFileSync(new URL('../../docs/overrides.md', import.meta.url), 'utf8');

test('every example is accepted', () => {
	const examples = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text]) => text);
	expect(examples.length).toBeGreaterThan(0);
	for (const example of examples) expect(() => readOverrides(example)).not.toThrow();
});
