// Checks the workflows and forms on GitHub.
import { describe, expect, test } from '@jest/globals';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const root = new URL('../../', import.meta.url);
const text = (file: string) => readFileSync(new URL(file, root), 'utf8');
const read = (file: string): any => parse(text(file));
const findYaml = (folder: string) =>
	readdirSync(new URL(folder, root)).filter((file) => file.endsWith('.yml'));

const workflows = findYaml('.github/workflows/');
const getSteps = (workflow: string): any[] =>
	Object.values<any>(read(`.github/workflows/${workflow}`).jobs).flatMap(({ steps }) => steps);
const getCommands = (workflow: string): string[] =>
	getSteps(workflow).flatMap(({ run }) => (run ? [run.trim()] : []));

describe.each(workflows)('%s', (workflow) => {
	test('pins its actions by commit, and names the version of each', () => {
		const used = [...text(`.github/workflows/${workflow}`).matchAll(/uses: (.+)$/gm)].map(
			([, action]) => action,
		);
		expect(
			used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)),
		).toEqual([]);
	});

	test('may read the repository. A job with more rights runs no code of the repository or of npm', () => {
		const { permissions, jobs } = read(`.github/workflows/${workflow}`);
		expect(permissions).toEqual({ contents: 'read' });
		const powerful = Object.values<any>(jobs).filter((job) => job.permissions);
		const steps = powerful.flatMap((job) => job.steps);
		expect(steps.filter(({ uses }) => uses?.startsWith('actions/checkout'))).toEqual([]);
		expect(
			steps.filter(({ run = '' }) => /npm (install|ci|run|test|exec)|npx|node /.test(run)),
		).toEqual([]);
	});

	test('needs no secret, except for the first version', () => {
		const secrets = text(`.github/workflows/${workflow}`).match(/secrets\.\w+/g) ?? [];
		expect(secrets).toEqual(workflow === 'publish.yml' ? ['secrets.NPM_TOKEN'] : []);
	});

	test('runs npm scripts that exist', () => {
		const { scripts } = JSON.parse(text('package.json'));
		const named = getCommands(workflow).flatMap((command) =>
			[...command.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name),
		);
		expect(named.filter((name) => !(name in scripts))).toEqual([]);
	});
});

test('Dependabot updates every folder with packages, except those that belong to the pinned n8n and Node', () => {
	const folders = globSync('**/package.json', {
		cwd: root,
		exclude: (path) => /node_modules|\.cache/.test(path),
	}).map((file) => `/${file.replaceAll('\\', '/').replace(/\/?package\.json$/, '')}`);
	const { updates } = read('.github/dependabot.yml');
	const [npm] = updates.filter((each: any) => each['package-ecosystem'] === 'npm');
	expect(npm.directories).toEqual(
		folders.filter((each) => !/^\/(n8n-host\/(\d|driver)|tools\/node)/.test(each)).sort(),
	);
});
