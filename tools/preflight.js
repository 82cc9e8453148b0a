// Says in one line what this machine lacks, before anything starts. Plain JavaScript, and none of the newer kind: a Node that is too
// old for everything else here has to be able to read it.
'use strict';

var OLDEST_NODE = 24;

/** What to say about this Node (`v20.1.0`, `linux-x64`); undefined if it will do */
function nodeProblem(version, platform) {
	if (Number(/^v(\d+)/.exec(version)[1]) >= OLDEST_NODE) return undefined;
	return (
		'Install Node ' +
		OLDEST_NODE +
		' or newer and try again, because Node ' +
		version.slice(1) +
		' is too old. ' +
		'`npm install` brings one along for most systems, but not for this one (' +
		platform +
		').'
	);
}

/** Whether ClickHouse in the process (chdb) is installed and loads on this machine; `load` is for tests */
function clickHouseLoads(load) {
	var places = [__dirname + '/../local-service/analytics'];
	try {
		(load || require)(require.resolve('chdb', { paths: places }));
		return true;
	} catch (error) {
		return false;
	}
}

var NO_CLICK_HOUSE =
	'Analytics is not available: ClickHouse in the process (chdb) does not load on this machine. ' +
	'There is one for macOS and for Linux with glibc, not for Windows (but for WSL) or Alpine. ' +
	'The local service answers queries with 503, and the tests of analytics are skipped; everything else works.';

module.exports = {
	nodeProblem: nodeProblem,
	clickHouseLoads: clickHouseLoads,
	noClickHouse: NO_CLICK_HOUSE,
};
