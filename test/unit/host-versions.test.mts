import { afterEach, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chosenVersions, hostFolder, hostVersion, hostVersions } from '../../n8n-host/versions.mts';

const before = process.env.N8N_HOST;
afterEach(() => {
	if (before === undefined) delete process.env.N8N_HOST;
	else process.env.N8N_HOST = before;
});

test.each(hostVersions)(
	'the folder %s pins an n8n of that version, and its lock file the same one',
	(version) => {
		const read = (file: string) =>
			JSON.parse(readFileSync(join(hostFolder(version), file), 'utf8'));
		const { n8n } = read('package.json').dependencies;
		expect(n8n.replace(/\.\d+$/, '')).toBe(version);
		expect(read('package-lock.json').packages['node_modules/n8n'].version).toBe(n8n);
	},
);

test('N8N_HOST selects one or several versions', () => {
	process.env.N8N_HOST = '1.123';
	expect([chosenVersions(), hostVersion()]).toEqual([['1.123'], '1.123']);
	process.env.N8N_HOST = '1.123,2.41';
	expect([chosenVersions(), hostVersion()]).toEqual([['1.123', '2.41'], '1.123']);
});

test('without N8N_HOST the tests run on all versions, and everything else on n8n 2.41', () => {
	for (const unset of [() => delete process.env.N8N_HOST, () => (process.env.N8N_HOST = '')]) {
		unset();
		expect([chosenVersions(), hostVersion()]).toEqual([hostVersions, '2.41']);
	}
});

test('a missing n8n is refused, and the message lists the existing ones', () => {
	process.env.N8N_HOST = '1.122';
	expect(hostVersion).toThrow('There is no n8n "1.122" here, only 2.41 and 1.123.');
});
