// What the test files run in.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';

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

export default class Environment extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		// Node's own `require`, and so one n8n-core for all files of a process: to load its two thousand files takes two seconds.
		this.global.requireOutside = createRequire(new URL('../package.json', import.meta.url));
		const { clickHouse } = config.projectConfig.testEnvironmentOptions;
		this.skipping =
			!clickHouse &&
			NEEDING.some((name) => context.testPath.endsWith(join('/test', `${name}.test.mts`)));
	}

	handleTestEvent({ name }, { rootDescribeBlock }) {
		if (!this.skipping || name !== 'run_start') return;
		for (const test of allTests(rootDescribeBlock)) test.mode = 'skip';
	}
}
