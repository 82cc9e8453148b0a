// Jest's own summary counts suites and tests on lines of their own kind; CI reads one line: `N passed, N failed`.
import type { AggregatedResult } from '@jest/reporters';

export default class TotalReporter {
	onRunComplete(_contexts: unknown, results: AggregatedResult): void {
		const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = results;
		// A file that could not even be run has no failed test, and is a failure all the same.
		const broken = testResults.filter(({ testExecError }) => testExecError !== undefined).length;
		const skipped = numPendingTests + numTodoTests;
		process.stderr.write(
			`\n${numPassedTests} passed, ${numFailedTests + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
		);
	}
}
