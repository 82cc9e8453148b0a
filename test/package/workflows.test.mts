// What runs on GitHub, and the forms that people fill in there.
import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const root = new URL('../../', import.meta.url);
const text = (file: string) => readFileSync(new URL(file, root), 'utf8');
const read = (file: string): any => parse(text(file));
const yamlIn = (folder: string) =>
	readdirSync(new URL(folder, root)).filter((file) => file.endsWith('.yml'));

const workflows = yamlIn('.github/workflows/');
const stepsOf = (workflow: string): any[] =>
	Object.values<any>(read(`.github/workflows/${workflow}`).jobs).flatMap(({ steps }) => steps);
const commandsOf = (workflow: string): string[] =>
	stepsOf(workflow).flatMap(({ run }) => (run ? [run.trim()] : []));

describe.each(workflows)('%s', (workflow) => {
	test('pins what it uses by commit, and says which version that is', () => {
		const used = [...text(`.github/workflows/${workflow}`).matchAll(/uses: (.+)$/gm)].map(
			([, action]) => action,
		);
		expect(
			used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)),
		).toEqual([]);
	});

	test('may read the repository, and what else it may do stands in a single job', () => {
		expect(read(`.github/workflows/${workflow}`).permissions).toEqual({ contents: 'read' });
	});

	test('runs npm scripts that exist', () => {
		const { scripts } = JSON.parse(text('package.json'));
		const named = commandsOf(workflow).flatMap((command) =>
			[...command.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name),
		);
		expect(named.filter((name) => !(name in scripts))).toEqual([]);
	});
});

describe('ci.yml', () => {
	test('runs what CI runs everywhere', () => {
		expect(commandsOf('ci.yml')).toEqual(['bash .ci/run']);
		const { on } = read('.github/workflows/ci.yml');
		expect(Object.keys(on).sort()).toEqual(['pull_request', 'push']);
	});
});

describe('scanner.yml', () => {
	test("shows what n8n's newest scanner finds, and fails for none of it", () => {
		expect(commandsOf('scanner.yml')).toContainEqual(
			expect.stringMatching(/scan-community-package@beta$/),
		);
		const [step] = stepsOf('scanner.yml').slice(-1);
		expect(step).toMatchObject({ 'continue-on-error': true });
		expect(text('.ci/run')).not.toContain('beta');
	});
});

describe('publish.yml', () => {
	const commands = commandsOf('publish.yml');

	test('publishes with provenance, and only after lint, build and tests, under the tag of its version', () => {
		expect(commands.at(-1)).toBe(
			'npm publish ./*.tgz --ignore-scripts --provenance --access public',
		);
		expect(commands[0]).toBe('node tools/release.mts "$TAG"');
		const { pack, test: tests, publish } = read('.github/workflows/publish.yml').jobs;
		const runs = ({ steps }: any) => steps.flatMap(({ run }: any) => run ?? []);
		expect(runs(pack).slice(-4)).toEqual([
			'npm install',
			'npm run build',
			'node tools/npmReadme.mts "$TAG"',
			'npm pack',
		]);
		expect(runs(tests)).toEqual(['npm install', 'npm run lint', 'npm test', 'npm run test:e2e']);
		expect([tests.needs, publish.needs]).toEqual(['pack', 'test']);
		// What is tested is the packed file, and what is published is the same one.
		expect(tests.steps.at(-1).env).toEqual({ PACKED_PACKAGE: 'packed' });
		expect(JSON.stringify([tests, publish])).not.toContain('upload-artifact');
	});

	test('lets no other code into the job that may publish: it takes the packed file, and nothing else', () => {
		const { pack, test: tests, publish } = read('.github/workflows/publish.yml').jobs;
		expect([pack.permissions, tests.permissions]).toEqual([undefined, undefined]);
		expect(publish.permissions).toEqual({ 'id-token': 'write' });
		expect(publish.container).toBeUndefined();
		const steps = publish.steps.map(({ uses, run }: any) => uses?.split('@')[0] ?? run);
		expect(steps).toEqual([
			'actions/setup-node',
			'actions/download-artifact',
			'npm publish ./*.tgz --ignore-scripts --provenance --access public',
		]);
	});

	test('needs no secret: npm trusts the workflow itself', () => {
		expect(text('.github/workflows/publish.yml')).not.toContain('secrets.');
	});
});

describe.each(yamlIn('.github/ISSUE_TEMPLATE/').filter((file) => file !== 'config.yml'))(
	'the form %s',
	(file) => {
		test('is one that GitHub shows', () => {
			const { name, description, body } = read(`.github/ISSUE_TEMPLATE/${file}`);
			expect({ name, description }).toEqual({
				name: expect.any(String),
				description: expect.any(String),
			});
			const fields = body.filter(({ type }: any) => type !== 'markdown');
			for (const { type, id, attributes } of fields) {
				expect(type).toMatch(/^(input|textarea|dropdown)$/);
				expect(id).toMatch(/^[\w-]+$/);
				expect(attributes.label).toEqual(expect.any(String));
				// A bare yes or no is no text to GitHub, and no choice may be there twice.
				if (type === 'dropdown')
					expect(
						new Set(attributes.options.filter((option: unknown) => typeof option === 'string'))
							.size,
					).toBe(attributes.options.length);
			}
			const ids = fields.map(({ id }: any) => id);
			expect(new Set(ids).size).toBe(ids.length);
		});
	},
);

test('a report of a mistake asks for the version of n8n, how it runs, and the execution', () => {
	const { body } = read('.github/ISSUE_TEMPLATE/bug.yml');
	const required = body
		.filter(({ validations }: any) => validations?.required)
		.map(({ id }: any) => id);
	expect(required).toEqual(expect.arrayContaining(['what', 'n8n', 'deployment']));
	expect(body.map(({ id }: any) => id)).toContain('execution');
});
