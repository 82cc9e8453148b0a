// The items in docs/outputs.md are those that the node returns. `WRITE_DOCUMENT=1 npm test -- -i test/engine/item-examples` writes them.
import { expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';
import { createStage, NODE, runsOf } from './flow.mts';

const page = new URL('../../docs/outputs.md', import.meta.url);

/** Replaces everything that differs from run to run. */
function normalize(item: IDataObject | undefined): string {
	const ids = new Map<string, string>();
	const example = (id: string) => {
		if (!ids.has(id)) ids.set(id, `123e4567-e89b-12d3-a456-42661417400${ids.size}`);
		return ids.get(id)!;
	};
	return JSON.stringify(item, undefined, 2)
		.replaceAll(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, example)
		.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-27T06:00:00.000Z')
		.replaceAll(/https:\/\/[^/"\s]+\/dashboard/g, 'https://workspace.example/dashboard')
		.replaceAll(
			/https?:\/\/[^"\s]+\/approval\?[^"\s]+/g,
			'https://n8n.example/webhook-waiting/17/approval?question=…',
		)
		.replaceAll(/("content(?:Hash)?": ")[^"]+/g, '$1…')
		.replaceAll(/\d\d∶\d\d∶\d\d․\d+Z/g, '06∶00∶00․000Z')
		.replaceAll(/("durationMs": )\d+/g, (_, name) => `${name}65000`);
}

test('docs/outputs.md shows an item of each output as the node returns it', async () => {
	const ask = async (prompt: string) =>
		await createStage().run({
			parameters: {
				permissionPolicy: 'rules',
				permissionRules: {
					rule: [{ permission: 'bash', pattern: 'npm run build', decision: 'approve' }],
				},
				approvals: { ifNobodyAnswers: 'deny', unansweredAfter: 1 },
			},
			items: [{ prompt }],
		});
	const [completed] = runsOf(
		await ask('Move the blog to the new layout and build the site.'),
		NODE,
	).flat();
	const [asked] = runsOf(await ask('Publish the landing page.'), NODE, 1).flat();
	const shown = readFileSync(page, 'utf8');
	const blocks = [normalize(completed), normalize(asked)].map(
		(json) => `\`\`\`json\n${json}\n\`\`\``,
	);
	if (process.env.WRITE_DOCUMENT === '1') {
		let index = 0;
		writeFileSync(
			page,
			shown.replaceAll(/^```json\n.*?^```$/gms, () => blocks[index++]),
		);
	}
	expect(
		[...readFileSync(page, 'utf8').matchAll(/^```json\n.*?^```$/gms)].map(([block]) => block),
	).toEqual(blocks);
});
