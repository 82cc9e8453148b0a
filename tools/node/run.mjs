#!/usr/bin/env node
// pinned-node <arguments of node...>, in package.json's scripts: runs them on the Node that everything here is made for.
// npm installs it as a package of the platform (package.json beside this file). Where there is none, as on musl, the Node at hand
// has to be new enough. Plain JavaScript, because it is the one file that an older Node runs.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import preflight from '../preflight.js';

/** The path of the installed Node, or undefined where npm found none for this platform */
function installedNode() {
	const require = createRequire(import.meta.url);
	const platform = process.platform === 'win32' ? 'win' : process.platform;
	for (const prefix of ['node', 'node-bin']) {
		try {
			const manifest = require.resolve(`${prefix}-${platform}-${process.arch}/package.json`);
			return join(dirname(manifest), require(manifest).bin.node);
		} catch {
			// Not for this platform
		}
	}
	return undefined;
}

const installed = installedNode();
const platform = `${process.platform}-${process.arch}`;
const problem = installed ? undefined : preflight.nodeProblem(process.version, platform);
if (problem) {
	console.error(problem);
	process.exit(1);
}

const node = installed ?? process.execPath;
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
// Node warns about each source of the package that a tool imports, because package.json sets no `type`.
const options = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
const child = spawn(node, [...options, ...process.argv.slice(2)], { stdio: 'inherit', env });
// Ctrl-C reaches the child by itself; what is sent to this process alone is passed on.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) =>
	signal ? process.kill(process.pid, signal) : process.exit(code),
);
