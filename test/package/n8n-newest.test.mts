// The weekly run against n8n's newest release.
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { runTo } from '../../n8n-host/core.mts';
import { hostVersions } from '../../n8n-host/versions.mts';

const root = new URL('../../', import.meta.url);
const text = (file: string) => readFileSync(new URL(file, root), 'utf8');
const source = text('.github/workflows/n8n-newest.yml');
const { on, jobs } = parse(source);

test("runs weekly against n8n's newest release in npm and in its Docker image", () => {
	expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/) }]);
	expect(source).toContain('npm view n8n@latest version');
	expect(jobs.docker.env.IMAGE).toBe('docker.n8n.io/n8nio/n8n:latest');
	const { steps } = jobs.npm;
	const [pin] = steps.filter((step: any) => step['working-directory']);
	expect(hostVersions.map((version) => `n8n-host/${version}`)).toContain(pin['working-directory']);
	expect(steps.at(-1).run).toBe(`npm run test:e2e -- ${hostVersions[0]}`);
});

test('opens an issue if it or the nightly run fails, in a workflow that can do nothing else', () => {
	const names = ['n8n-newest', 'nightly'].map(
		(file) => parse(text(`.github/workflows/${file}.yml`)).name,
	);
	const report = parse(text('.github/workflows/report.yml'));
	expect(report.on.workflow_run).toEqual({ workflows: names, types: ['completed'] });
	expect(report.jobs.report).toMatchObject({
		if: "github.event.workflow_run.conclusion == 'failure'",
		permissions: { issues: 'write' },
	});
	expect(report.jobs.report.steps.at(-1).run).toContain('gh issue create');
	for (const { permissions } of Object.values<any>(jobs)) expect(permissions).toBeUndefined();
});

test('runs a workflow in the image without an account: rules are tried, and one approves', async () => {
	const { data } = await runTo(JSON.parse(text('.github/try-rules.json')), 'Try Rules', {});
	const [{ json }] = data.resultData.runData['Try Rules'][0].data!.main[0]!;
	expect(json).toMatchObject({ decision: 'approve', decidedBy: 'rule 1' });
});
