// What test files import as `@jest/globals`. Each file has its own tests, and modules that several files import see those of the
// file that is running.
import type * as jestGlobals from '@jest/globals';
import { ModuleMocker } from 'jest-mock';

export type Globals = Omit<typeof jestGlobals, 'jest'>;

export let afterAll: Globals['afterAll'];
export let afterEach: Globals['afterEach'];
export let beforeAll: Globals['beforeAll'];
export let beforeEach: Globals['beforeEach'];
export let describe: Globals['describe'];
export let expect: Globals['expect'];
export let test: Globals['test'];

export const jest = new ModuleMocker(globalThis);

export function setGlobals(given: Globals): void {
	({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } = given);
}
