// What n8n's scanner says about the source. slow/contributing runs the lint and checks the types.
import { expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { scan } from '../package/scan.mts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test("the scanner's analysis of the source", async () => {
	expect(await scan(root, 'sources')).toEqual({ passed: true });
}, 300_000);
