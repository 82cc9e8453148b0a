// n8n's own report on its next major version: it names no example. The rules are those of the installed n8n, so a newer n8n brings newer ones.
import { expect, test } from '@jest/globals';
import { hostVersion } from '../../n8n-host/versions.mts';
import { exampleWorkflow, examples } from '../../tools/examples.mts';
import { useStage } from './support.mts';

const stage = useStage();

/** The versions that the installed n8n has rules for, beside the one it's at */
const TARGETS = hostVersion() === '2.41' ? ['v2', 'v3'] : ['v2'];

interface Finding {
	ruleId: string;
	affectedWorkflows: Array<{ id: string; issues: Array<{ nodeName: string }> }>;
}

/** Returns the findings of n8n's migration rules, by the name of the workflow. */
async function findings(version: string, names: Map<string, string>): Promise<string[]> {
	const { rest } = stage.host;
	const { report } = await rest.post(`/breaking-changes/report/refresh?version=${version}`);
	const rules: Finding[] = await Promise.all(
		report.workflowResults.map(
			async ({ ruleId }: Finding) => await rest.get(`/breaking-changes/report/${ruleId}`),
		),
	);
	return rules.flatMap(({ ruleId, affectedWorkflows }) =>
		affectedWorkflows
			.filter(({ id }) => names.has(id))
			.flatMap(({ id, issues }) =>
				issues.map(({ nodeName }) => `${names.get(id)}, ${nodeName}: ${ruleId}`),
			),
	);
}

test("n8n's migration rules find nothing in the examples, and find known breaking changes", async () => {
	const names = new Map<string, string>();
	for (const name of examples())
		names.set(await stage.host.importWorkflow(exampleWorkflow(name)), name);
	expect(names.size).toBe(examples().length);
	// A start node is gone since n8n 2.
	const start = { id: 's', name: 'Old', type: 'n8n-nodes-base.start', typeVersion: 1 };
	const known = await stage.host.importWorkflow({
		name: 'Known to break',
		nodes: [{ ...start, position: [0, 0], parameters: {} }],
		connections: {},
		settings: {},
	});
	names.set(known, 'known');
	const found = (
		await Promise.all(TARGETS.map(async (version) => await findings(version, names)))
	).flat();
	expect(found).toEqual(['known, Old: start-node-removed-v2']);
});
