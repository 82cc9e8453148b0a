// Shared stage of all test files of a run. run.mts starts it, and passes it by an environment variable.
import { readFileSync } from 'node:fs';
import type { HostAddress } from '../../n8n-host/host.mts';
import { hostVersion, type HostVersion } from '../../n8n-host/versions.mts';

/** Programs that the machine may lack, and that only some tests need */
export type Program = 'Chromium' | 'ClickHouse' | 'Redis and PostgreSQL';

export interface Shared {
	/** The package as published, unpacked */
	packageDir: string;
	/** The n8n of each version that is tested */
	hosts: Partial<Record<HostVersion, HostAddress & { logFile: string }>>;
	/** Missing programs that couldn't be installed */
	missing: Program[];
}

const VARIABLE = 'WORKSPACE_AUTOMATION_E2E';

/** The environment that tells test files of it */
export const environmentFor = (shared: Shared): NodeJS.ProcessEnv => ({
	[VARIABLE]: JSON.stringify(shared),
});

/** Returns the stage that run.mts has started. Throws if it was not run.mts that started the tests. */
export function shared(): Shared {
	const text = process.env[VARIABLE];
	if (!text) throw new Error('End-to-end tests run by `npm run test:e2e`, which starts n8n.');
	return JSON.parse(text);
}

const TAIL_BYTES = 20_000;

/** The n8n of the version that these tests are for */
export function sharedHost(): HostAddress & { tail(): string } {
	const host = shared().hosts[hostVersion()];
	if (!host) throw new Error(`n8n ${hostVersion()} was not started.`);
	return { ...host, tail: () => readFileSync(host.logFile, 'utf8').slice(-TAIL_BYTES) };
}

/** Returns whether the machine has what some tests need */
export const has = (program: Program): boolean => !shared().missing.includes(program);
