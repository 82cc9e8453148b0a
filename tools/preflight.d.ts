declare const preflight: {
	/** What to say about a Node (`v20.1.0`, `linux-x64`) that is too old; undefined if it will do */
	nodeProblem(version: string, platform: string): string | undefined;
	/** Whether ClickHouse in the process (chdb) loads on this machine; `load` is for tests */
	clickHouseLoads(load?: (name: string) => unknown): boolean;
	/** What to say where it does not */
	noClickHouse: string;
};
export = preflight;
