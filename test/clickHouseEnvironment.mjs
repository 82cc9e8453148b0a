// ClickHouse in the process (chdb) has no binary for some machines, such as Windows or Alpine. There the tests that need it are skipped, and
// counted as such; tools/preflight.js has said so before they start.
import { TestEnvironment } from 'jest-environment-node';

/** The files whose tests need ClickHouse */
const NEEDING = [
	'engine/analytics',
	'engine/ten-questions',
	'engine/trigger-rows',
	'service/analytics',
	'service/analytics-tables',
];

const allTests = ({ children }) =>
	children.flatMap((child) => (child.type === 'test' ? [child] : allTests(child)));

export default class ClickHouseEnvironment extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		const { clickHouse } = config.projectConfig.testEnvironmentOptions;
		this.skipping =
			!clickHouse && NEEDING.some((name) => context.testPath.endsWith(`/test/${name}.test.mts`));
	}

	handleTestEvent({ name }, { rootDescribeBlock }) {
		if (!this.skipping || name !== 'run_start') return;
		for (const test of allTests(rootDescribeBlock)) test.mode = 'skip';
	}
}
