// Output of .ci/run for its two runs: a line with the totals of both, and an exit code.
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
	"run test:e2e") totals=$E2E_TOTALS code=$E2E_CODE ;;
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

function ci(unit: Run, e2e: Run) {
	const { status, stdout } = spawnSync('bash', [script], {
		encoding: 'utf8',
		env: {
			PATH: `${folder}:${process.env.PATH}`,
			UNIT_TOTALS: unit.totals ?? '',
			UNIT_CODE: String(unit.code ?? 0),
			E2E_TOTALS: e2e.totals ?? '',
			E2E_CODE: String(e2e.code ?? 0),
		},
	});
	return { status, lastLine: stdout.trim().split('\n').at(-1) };
}

test('the totals of both runs are added up', () => {
	expect(ci({ totals: '10 passed, 0 failed' }, { totals: '5 passed, 0 failed' })).toEqual({
		status: 0,
		lastLine: '15 passed, 0 failed',
	});
});

test('a failed test of one run is a failure, and the other run still runs', () => {
	const failed = { totals: '9 passed, 1 failed', code: 1 };
	const passed = { totals: '5 passed, 0 failed' };
	for (const [unit, e2e] of [
		[failed, passed],
		[passed, failed],
	])
		expect(ci(unit, e2e)).toEqual({ status: 1, lastLine: '14 passed, 1 failed' });
});

test.each([
	['ends without totals', {}],
	['ends without totals and with an error', { code: 1 }],
	['ends with an error although no test failed', { totals: '0 passed, 0 failed', code: 1 }],
])('a run that %s is a failure', (_, run) => {
	expect(ci({ totals: '10 passed, 0 failed' }, run)).toEqual({
		status: 1,
		lastLine: '10 passed, 1 failed',
	});
});
