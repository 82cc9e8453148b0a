// Jest starts the files first that took longest the last time, and on a fresh clone the biggest. A short file that waits a long time would then
// come last, with one process waiting and the others idle.
import DefaultSequencer from '@jest/test-sequencer';

const LONGEST = [
	'e2e/approvals',
	'e2e/editor',
	'e2e/trigger',
	'repository/contributing',
	'e2e/queue-killed',
	'e2e/queue',
	'e2e/queue-trigger',
	'e2e/killed',
	'e2e/analytics-examples',
	'repository/checks',
	'e2e/channels',
	'e2e/trigger-examples',
	'engine/run-agent-session-again',
	'engine/run-agent-session',
	'engine/dialects',
	'unit/linear-time',
	'faults/campaign',
	'engine/bad-input',
	'service/analytics-tables',
	'rules/dialects',
];

const rankOf = ({ path }) => {
	const rank = LONGEST.findIndex((name) => path.endsWith(`/${name}.test.mts`));
	return rank === -1 ? LONGEST.length : rank;
};

const Sequencer = DefaultSequencer.default ?? DefaultSequencer;

export default class LongestFirst extends Sequencer {
	sort(tests) {
		return [...super.sort(tests)].sort((one, other) => rankOf(one) - rankOf(other));
	}
}
