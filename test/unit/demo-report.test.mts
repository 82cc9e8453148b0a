// The result that the demo prints: the first thing that a new user sees.
import { expect, test } from '@jest/globals';
import { toJson } from '../../nodes/RunAgentSession/execution/output.ts';
import { reportSession, type SessionItem } from '../../tools/demoReport.mts';
import { simulation } from '../simulation/simulation.mts';

test.each(['[say Done]', '[ask bash: git push] [say Done]'])(
	'the demo prints only values that a simplified item has: %s',
	async (prompt) => {
		const item = toJson(await simulation().run(prompt), false, true);
		const report = reportSession(item as unknown as SessionItem).join('\n');
		expect(report).toContain('Done');
		expect(report).not.toMatch(/undefined|NaN|null/);
	},
);
