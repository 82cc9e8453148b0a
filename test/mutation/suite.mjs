// What the tests import as `@jest/globals` while they are run for Stryker: it collects them, and its runner runs them one by one.
import { ModuleMocker } from 'jest-mock';

export { expect } from 'expect';

export const jest = new ModuleMocker(globalThis);

/** @type {Array<{ id: string, run: () => unknown, around: object[] }>} */
export const collected = [];
let path = [];
let around = [];

const idOf = (name) => {
	const id = [...path, name].join(' > ');
	const same = collected.filter((test) => test.id === id || test.id.startsWith(`${id} #`)).length;
	return same === 0 ? id : `${id} #${same}`;
};
const rowsOf = (table) => (table.every(Array.isArray) ? table : table.map((row) => [row]));
const named = (name, row, index) => `${name} ${index + 1}: ${String(row[0]).slice(0, 60)}`;

export const test = (name, run) => void collected.push({ id: idOf(name), run, around });
test.each = (table) => (name, run) =>
	rowsOf(table).forEach((row, index) => test(named(name, row, index), () => run(...row)));

export function describe(name, define) {
	const outer = [path, around];
	[path, around] = [
		[...path, name],
		[...around, { before: [], after: [] }],
	];
	define();
	[path, around] = outer;
}
describe.each = (table) => (name, define) =>
	rowsOf(table).forEach((row, index) => describe(named(name, row, index), () => define(...row)));

export const beforeEach = (run) => void around.at(-1).before.push(run);
export const afterEach = (run) => void around.at(-1).after.unshift(run);

/** What a file's own hooks go around, beside those of its `describe`s */
export function beginFile(name) {
	[path, around] = [[name], [{ before: [], after: [] }]];
}
