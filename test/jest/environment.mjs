// What jest asks about each test file. The tests run in Node's own realm (runner.mts), so there is no other to set up.
import { join } from 'node:path';
import { ensureParts } from '../../tools/parts.mts';
import preflight from '../../tools/preflight.js';
import { jest } from './globals.mts';

/**
 * The files whose tests need ClickHouse. The first of them installs it. In the process (chdb) it has no binary for some machines, such as
 * Windows or Alpine: there they are skipped, and counted as such.
 */
const NEEDING = [
	'engine/analytics',
	'engine/clickhouse-tokens',
	'engine/ten-questions',
	'engine/trigger-rows',
	'engine/values-stay-values',
	'service/analytics',
	'service/analytics-tables',
];

const allTests = ({ children }) =>
	children.flatMap((child) => (child.type === 'test' ? [child] : allTests(child)));

export default class Environment {
	global = {};
	moduleMocker = jest;
	isSkipping = false;

	constructor(_config, { testPath }) {
		this.testPath = testPath;
	}

	getVmContext = () => null;
	exportConditions = () => ['node'];
	async setup() {
		if (!NEEDING.some((name) => this.testPath.endsWith(join('/test', `${name}.test.mts`)))) return;
		await ensureParts(['clickHouse'], console.error);
		this.isSkipping = !preflight.clickHouseLoads();
	}
	async teardown() {}

	handleTestEvent({ name }, { rootDescribeBlock }) {
		if (!this.isSkipping || name !== 'run_start') return;
		for (const test of allTests(rootDescribeBlock)) test.mode = 'skip';
	}
}
