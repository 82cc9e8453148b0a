// Jest's own summary counts files and tests in another form; CI reads one line: `N passed, N failed[, N skipped]`. Jest's summary of failed tests
// doesn't say on which n8n.
import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { AggregatedResult } from '@jest/reporters';

export default class TotalReporter {
	/** Prints the totals, and adds them as a line to the file that `JEST_TOTALS` names. */
	onRunComplete(_contexts: unknown, results: AggregatedResult): void {
		const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = results;
		// A file that could not even be run has no failed test, and is a failure all the same.
		const broken = testResults.filter(({ testExecError }) => testExecError !== undefined).length;
		const skipped = numPendingTests + numTodoTests;
		const totals = `${numPassedTests} passed, ${numFailedTests + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
		const failed = testResults.flatMap(({ displayName, testFilePath, testResults: tests }) =>
			tests
				.filter(({ status }) => status === 'failed')
				.map(
					({ fullName }) =>
						`failed: ${displayName?.name ?? ''} ${basename(testFilePath)}, ${fullName}\n`,
				),
		);
		process.stderr.write(`\n${failed.join('')}${totals}\n`);
		const { JEST_TOTALS: file } = process.env;
		if (file) appendFileSync(file, `${totals}\n`);
	}
}
