// Jest starts the files first that took longest the last time, and on a fresh clone the biggest. A short file that waits a long time would then
// come last, with one process waiting and the others idle. At any time some of those run that mostly wait (page, trigger, hostile-service), and
// some that keep the processors busy (editor, killed, dialects).
import { join } from 'node:path';
import DefaultSequencer from '@jest/test-sequencer';

const LONGEST = [
	'e2e/queue',
	'e2e/editor-fields',
	'e2e/worlds',
	'e2e/editor',
	'e2e/page',
	'e2e/killed',
	'e2e/editor-imported',
	'e2e/examples',
	'e2e/pause',
	'e2e/trigger',
	'e2e/page-look',
	'e2e/page-hostile',
	'e2e/session',
	'e2e/typed',
	'e2e/channels',
	'e2e/ai-tool',
	'slow/contributing',
	'slow/dialects-ignoring',
	'slow/dialects',
	'slow/linear-time',
	'slow/first-use',
	'slow/scanner',
	'engine/hostile-service',
	'engine/run-agent-session',
	'engine/values-stay-values',
	'unit/question',
	'engine/bad-input',
	'service/analytics-tables',
	'engine/analytics',
	'engine/trigger-rows',
	'service/analytics',
	'package/package',
	'service/dialects',
	'service/main',
	'engine/trigger-entries',
	'engine/permissions',
	'engine/run-agent-session-typed',
	'unit/generated-commands',
	'engine/prism',
];

const rankOf = ({ path }) => {
	const rank = LONGEST.findIndex((name) => path.endsWith(join('/', `${name}.test.mts`)));
	return rank === -1 ? LONGEST.length : rank;
};

const Sequencer = DefaultSequencer.default ?? DefaultSequencer;

export default class LongestFirst extends Sequencer {
	sort(tests) {
		return [...super.sort(tests)].sort((one, other) => rankOf(one) - rankOf(other));
	}
}
