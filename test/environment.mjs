// What jest asks about each test file. The tests run in Node's own realm (runner.mts), so there is no other to set up.
import { join } from 'node:path';
import { jest } from './globals.mts';

/**
 * The files whose tests need ClickHouse. In the process (chdb) it has no binary for some machines, such as Windows or Alpine: there they are
 * skipped, and counted as such; tools/preflight.js has said so before they start.
 */
const NEEDING = [
	'engine/analytics',
	'engine/ten-questions',
	'engine/trigger-rows',
	'service/analytics',
	'service/analytics-tables',
];

const allTests = ({ children }) =>
	children.flatMap((child) => (child.type === 'test' ? [child] : allTests(child)));

export default class Environment {
	global = {};
	moduleMocker = jest;

	constructor({ projectConfig }, { testPath }) {
		const { clickHouse } = projectConfig.testEnvironmentOptions;
		this.skipping =
			!clickHouse && NEEDING.some((name) => testPath.endsWith(join('/test', `${name}.test.mts`)));
	}

	getVmContext = () => null;
	exportConditions = () => ['node'];
	async setup() {}
	async teardown() {}

	handleTestEvent({ name }, { rootDescribeBlock }) {
		if (!this.skipping || name !== 'run_start') return;
		for (const test of allTests(rootDescribeBlock)) test.mode = 'skip';
	}
}
