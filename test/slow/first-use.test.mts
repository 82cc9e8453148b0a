// What n8n loads when it starts, what is loaded on first use, and an update while n8n is running.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { packedPackage, type PackedPackage } from '../../tools/package.mts';
import { copyRepository, repository } from '../support/repositoryCopy.mts';

const gulp = join(repository, 'node_modules/gulp/bin/gulp.js');
const HASHED = /-[0-9a-f]{8}\.js$/;
const ENTRY = /\.(node|credentials)\.js$/;

let packed: PackedPackage;
/** Removed after the tests */
const folders: string[] = [];

beforeAll(async () => {
	packed = await packedPackage(false);
});
afterAll(() => {
	packed.remove();
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const keep = (folder: string) => {
	folders.push(folder);
	return folder;
};

/** The code of a package by its path, with slashes */
const readCode = (folder: string): Map<string, string> =>
	new Map(
		globSync('dist/**/*.js', { cwd: folder }).map((file) => [
			file.replaceAll('\\', '/'),
			readFileSync(join(folder, file), 'utf8'),
		]),
	);

/** Runs CommonJS code in a separate process, which finds n8n-workflow as in n8n. Returns what it prints as JSON. */
async function runProcess<T>(code: string, ...args: string[]): Promise<T> {
	const env = { ...process.env, NODE_PATH: join(repository, 'node_modules') };
	const { stdout } = await promisify(execFile)(process.execPath, ['-e', code, ...args], { env });
	return JSON.parse(stdout) as T;
}

/** The files that a build reads, and their folders */
const SOURCES = /^($|(nodes|credentials)(\/|$)|(gulpfile\.js|package\.json|tsconfig\.json)$)/;

/** Builds the package with one text of one source replaced. Returns its folder. */
async function buildChanged(file: string, from: string, to: string): Promise<string> {
	const folder = keep(copyRepository((path) => SOURCES.test(path)));
	const source = readFileSync(join(folder, file), 'utf8');
	expect(source).toContain(from);
	writeFileSync(join(folder, file), source.replace(from, to));
	await promisify(execFile)(process.execPath, [gulp, '--silent', 'unchecked'], { cwd: folder });
	return folder;
}

/** Loads all entries of a package, and says which of its files were loaded for them. */
const LOAD_ENTRIES = `
	const { join } = require('node:path');
	const folder = require('node:fs').realpathSync(process.argv[1]);
	const { n8n } = require(join(folder, 'package.json'));
	const loaded = () => Object.keys(require.cache).filter((file) => file.startsWith(join(folder, 'dist')));
	const [session, actions, trigger, credential] = [...n8n.nodes, ...n8n.credentials].map((file) => {
		const [Entry] = Object.values(require(join(folder, file)));
		return new Entry();
	});`;

test('when n8n starts, it loads the nodes, the credential and what their panels share', async () => {
	const loaded = await runProcess<string[]>(
		`${LOAD_ENTRIES} console.log(JSON.stringify(loaded()));`,
		packed.folder,
	);
	const others = loaded.filter((file) => !ENTRY.test(file));
	expect(loaded.length - others.length).toBe(4);
	expect(others).toEqual([expect.stringMatching(/shared[\\/]panel-[0-9a-f]{8}\.js$/)]);
});

test('every file that n8n loads on first use has a hash in its name, and loads only files that have one', () => {
	const code = [...readCode(packed.folder)].filter(([file]) => !ENTRY.test(file));
	expect(code.length).toBeGreaterThanOrEqual(5);
	for (const [file, text] of code) {
		expect(file).toMatch(HASHED);
		const loaded = [...text.matchAll(/require\('(\.[^']+)'\)/g)].map(([, path]) => path);
		expect([file, ...loaded.filter((path) => !HASHED.test(path))]).toEqual([file]);
	}
});

describe('an update while n8n is running', () => {
	/** Loads the old version, replaces it by the new one, and uses everything for the first time. */
	const UPDATE = `${LOAD_ENTRIES}
		const { cpSync, rmSync } = require('node:fs');
		const before = loaded();
		rmSync(join(folder, 'dist'), { recursive: true });
		cpSync(join(process.argv[2], 'dist'), join(folder, 'dist'), { recursive: true });
		const sent = [];
		const response = { status: (code) => (sent.push(code), response), send: (text) => sent.push(text) };
		const fields = { baseUrl: 'https://a.example/v1', accessToken: 'k', apiVersion: '2026-10-05', overrides: '{}' };
		const pagination = () => actions.description.properties
			.find(({ name }) => name === 'operation').options[0].routing.operations.pagination.call({}, {});
		const uses = {
			execute: () => session.execute.call({ getNodeParameter: () => 'start' }),
			webhook: () => session.webhook.call({ getResponseObject: () => response }),
			pagination,
			search: () => actions.methods.listSearch.getProjects.call({}),
			options: () => trigger.methods.loadOptions.getTaskOptions.call({}),
			poll: () => trigger.poll.call({}),
			authenticate: () => credential.authenticate(fields, { url: 'https://a.example/v1/projects' }),
		};
		(async () => {
			const errors = {};
			for (const [name, use] of Object.entries(uses))
				errors[name] = await use().then(() => 'none', (error) => error.message);
			const later = loaded().filter((file) => !before.includes(file));
			console.log(JSON.stringify({ errors, sent, later: later.map((file) => file.slice(folder.length + 1)) }));
		})();`;
	const UPDATED = 'The package was updated while n8n was running';

	async function update(next: string) {
		const live = keep(mkdtempSync(join(tmpdir(), 'first-use-')));
		cpSync(packed.folder, live, { recursive: true });
		type Outcome = { errors: Record<string, string>; sent: unknown[]; later: string[] };
		const result = await runProcess<Outcome>(UPDATE, live, next);
		return { ...result, later: result.later.map((file) => posix.join(...file.split(/[\\/]/))) };
	}

	test('loads nothing of a version in which everything differs: each first use names the next step', async () => {
		const next = await buildChanged('nodes/shared/values.ts', '} seconds`', '} s`');
		const { errors, sent, later } = await update(next);
		expect(later).toEqual([]);
		const { webhook, ...others } = errors;
		expect(Object.keys(others)).toHaveLength(6);
		expect(new Set(Object.values(others))).toEqual(new Set([UPDATED]));
		// An error of the webhook would end the paused execution.
		expect({ webhook, sent }).toEqual({
			webhook: 'none',
			sent: [503, `Nothing was decided. ${UPDATED}.`],
		});
	});

	test('loads only files that are equal in both versions', async () => {
		const next = await buildChanged(
			'nodes/RunAgentSession/session/poll.ts',
			'MIN_UNUSABLE = 3',
			'MIN_UNUSABLE = 4',
		);
		const [old, changed] = [readCode(packed.folder), readCode(next)];
		const { errors, sent, later } = await update(next);
		expect([errors.execute, sent[0]]).toEqual([UPDATED, 503]);
		expect(errors.authenticate).toBe('none');
		expect(later.length).toBeGreaterThan(0);
		for (const file of later) expect(changed.get(file)).toBe(old.get(file));
		// Each file that has the same name in both is the same.
		for (const [file, text] of changed)
			if (HASHED.test(file) && old.has(file)) expect([file, text]).toEqual([file, old.get(file)]);
	});
});
