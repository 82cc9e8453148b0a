// Output of .ci/run for its three runs: a line with the totals of all, and an exit code.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../.ci/run', import.meta.url));
let folder: string;

/** An npm that runs nothing, and leaves the totals that the environment names */
const NPM = `#!/bin/sh
case "$*" in
	"run test") totals=$UNIT_TOTALS code=$UNIT_CODE ;;
	"run test:e2e -- test/slow/") totals=$SLOW_TOTALS code=$SLOW_CODE ;;
	"run test:e2e -- test/e2e/") totals=$E2E_TOTALS code=$E2E_CODE ;;
esac
[ -z "$totals" ] || echo "$totals" >> "$JEST_TOTALS"
exit "\${code:-0}"
`;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'ci-run-'));
	writeFileSync(join(folder, 'npm'), NPM, { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
	totals?: string;
	code?: number;
}

const PASSED: Run = { totals: '10 passed, 0 failed' };

/** Runs it with the totals of its runs. */
function ci(...runs: [unit: Run, slow: Run, e2e: Run]) {
	const results = ['UNIT', 'SLOW', 'E2E'].flatMap((name, index) => [
		[`${name}_TOTALS`, runs[index].totals ?? ''],
		[`${name}_CODE`, String(runs[index].code ?? 0)],
	]);
	const { status, stdout } = spawnSync('bash', [script], {
		encoding: 'utf8',
		env: { PATH: `${folder}:${process.env.PATH}`, ...Object.fromEntries(results) },
	});
	return { status, lastLine: stdout.trim().split('\n').at(-1) };
}

test('the totals of all runs are added up', () => {
	expect(ci(PASSED, PASSED, { totals: '5 passed, 0 failed' })).toEqual({
		status: 0,
		lastLine: '25 passed, 0 failed',
	});
});

test('a failed test of one run is a failure, and the other runs still run', () => {
	const failed = { totals: '9 passed, 1 failed', code: 1 };
	const cases: Array<Parameters<typeof ci>> = [
		[failed, PASSED, PASSED],
		[PASSED, failed, PASSED],
		[PASSED, PASSED, failed],
	];
	for (const runs of cases)
		expect(ci(...runs)).toEqual({ status: 1, lastLine: '29 passed, 1 failed' });
});

test.each([
	['ends without totals', {}],
	['ends without totals and with an error', { code: 1 }],
	['ends with an error although no test failed', { totals: '0 passed, 0 failed', code: 1 }],
])('a run that %s is a failure', (_, run) => {
	expect(ci(PASSED, PASSED, run)).toEqual({ status: 1, lastLine: '20 passed, 1 failed' });
});
