// Which Debian packages are installed, and what is said where they cannot be.
import { expect, test } from '@jest/globals';
import { ensurePackages, type DebianPackage, type Machine } from '../../n8n-host/debian.mts';

const there: DebianPackage = { name: 'there', program: 'there', find: () => '/usr/bin/there' };
const missing = (name: string): DebianPackage => ({ name, program: name, find: () => undefined });

/** A machine whose apt-get installs the packages, unless it fails with `code`. */
function machine({ isRoot = true, code = 0 } = {}) {
	const calls: string[][] = [];
	const installed = (name: string): DebianPackage => ({
		name,
		program: name,
		find: () =>
			code === 0 && calls.some((args) => args.includes('install') && args.includes(name))
				? `/usr/bin/${name}`
				: undefined,
	});
	const aptGet = async (args: string[]) => {
		calls.push(args);
		return { code: args[0] === 'install' ? code : 100, output: 'E: Unable to locate package' };
	};
	return { calls, installed, machine: { isRoot, aptGet } satisfies Machine };
}

const ensure = async (packages: DebianPackage[], on: Machine) =>
	await ensurePackages(packages, () => {}, on);

test('installed packages are not installed again', async () => {
	const { calls, machine: on } = machine({ isRoot: false });
	await ensure([there], on);
	expect(calls).toEqual([]);
});

test('only missing packages are installed, even if updating the package lists fails', async () => {
	const { calls, installed, machine: on } = machine();
	await ensure([there, installed('redis-server'), installed('postgresql')], on);
	expect(calls.map(([command]) => command)).toEqual(['update', 'install']);
	expect(calls[1]).toEqual(expect.arrayContaining(['--yes', 'redis-server', 'postgresql']));
	expect(calls[1]).not.toContain('there');
});

test.each([
	['nobody but root may install them', { isRoot: false, aptGet: machine().machine.aptGet }],
	['there is no apt-get', { isRoot: true }],
	['apt-get fails', machine({ code: 100 }).machine],
	['the programs are not there afterwards', machine().machine],
])('if %s, the error names the packages', async (_, on: Machine) => {
	await expect(ensure([there, missing('redis-server'), missing('postgresql')], on)).rejects.toThrow(
		'redis-server postgresql',
	);
});
