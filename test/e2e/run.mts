// npm run test:e2e [-- version ...] [file ...] [options of jest]: the tests in the real n8n, and the slow ones. Installs what they need where it can, starts one n8n
// of each version for all of their files, and runs jest.
import { createWriteStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopWhenInterrupted } from '../../n8n-host/guarded.mts';
import { startHost, type OwnHost } from '../../n8n-host/host.mts';
import { ensureHost } from '../../n8n-host/install.mts';
import { ensureQueue } from '../../n8n-host/queue.mts';
import { chosenVersions, hostVersions, type HostVersion } from '../../n8n-host/versions.mts';
import { build } from '../../tools/build.mts';
import { ensureChromium } from '../../tools/editor/chromium.mts';
import { packedPackage } from '../../tools/package.mts';
import { ensureParts, type Part } from '../../tools/parts.mts';
import preflight from '../../tools/preflight.js';
import { runJest } from '../jest/jest.mts';
import { environmentFor, type Program, type Shared } from './shared.mts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const log = (line: string) => process.stderr.write(`${line}\n`);

const isVersion = (text: string): text is HostVersion =>
	(hostVersions as readonly string[]).includes(text);

/** The test files that use a browser */
const WITH_BROWSER = /^e2e\/(demo|editor|page|queue)/;

/** Programs that some test files need beside n8n, and their installation */
const NEEDS: Array<{ files: RegExp; program: Program; ensure(): Promise<unknown> }> = [
	{ files: WITH_BROWSER, program: 'Chromium', ensure: () => ensureChromium(log) },
	{
		files: /^e2e\/queue/,
		program: 'Redis and PostgreSQL',
		ensure: () => ensureQueue({ log }),
	},
];

/** These start their own n8n, or none. */
const NOT_SHARED =
	/^(e2e\/(channels|demo|examples|install|killed|page|pause|private|queue|session|typed)|slow)/;

/** The test files that the arguments for jest select, as paths within test/ */
function selectedFiles(args: string[]): string[] {
	const files = ['e2e', 'slow'].flatMap((folder) =>
		readdirSync(join(root, 'test', folder))
			.filter((file) => file.endsWith('.test.mts'))
			.map((file) => `${folder}/${file}`),
	);
	const named = files.filter((file) => args.some((arg) => `test/${file}`.includes(arg)));
	return named.length > 0 ? named : files;
}

/** Installs what these files need, and says in one line what is missing where it cannot. Returns what is missing. */
async function installPrograms(files: string[]): Promise<Program[]> {
	const missing: Program[] = preflight.clickHouseLoads() ? [] : ['ClickHouse'];
	for (const { files: needing, program, ensure } of NEEDS) {
		if (!files.some((file) => needing.test(file))) continue;
		await ensure().catch((error: Error) => {
			const [why] = error.message.split('\n');
			log(`Without ${program}, some tests are skipped. ${why}`);
			missing.push(program);
		});
	}
	return missing;
}

stopWhenInterrupted(() => 1);

const given = process.argv.slice(2);
const named = given.filter(isVersion);
const versions = named.length > 0 ? named : chosenVersions();
const jestArgs = given.filter((arg) => !isVersion(arg));
const files = selectedFiles(jestArgs);

const parts: Part[] = ['clickHouse'];
const isSlow = files.some((file) => file.startsWith('slow/'));
// The guide runs the test with Prism in a copy, which shares what is installed here.
if (isSlow) parts.push('scanner', 'prism');
if (isSlow || files.some((file) => WITH_BROWSER.test(file))) parts.push('browser');
await ensureParts(parts, log);
await build();
const folder = mkdtempSync(join(tmpdir(), 'workspace-automation-e2e-'));
const packed = await packedPackage(false);
const hosts: OwnHost[] = [];

/** Starts the n8n that all test files of a version share. */
async function startShared(version: HostVersion) {
	const logFile = join(folder, `n8n-${version}.log`);
	const output = createWriteStream(logFile);
	const host = await startHost({
		packageDir: packed.folder,
		version,
		log: (line) => output.write(`${line}\n`),
	});
	hosts.push(host);
	return { url: host.url, login: host.login, logFile };
}

try {
	const missing = await installPrograms(files);
	if (files.some((file) => file.startsWith('e2e/')))
		await Promise.all(versions.map((version) => ensureHost({ log, version })));
	const shared: Shared = { packageDir: packed.folder, hosts: {}, missing };
	if (files.some((file) => !NOT_SHARED.test(file))) {
		log(`starting n8n ${versions.join(' and ')}`);
		await Promise.all(
			versions.map(async (version) => (shared.hosts[version] = await startShared(version))),
		);
	}
	const config = join(import.meta.dirname, 'jest.config.mjs');
	process.exitCode = await runJest(['--config', config, '--passWithNoTests', ...jestArgs], {
		...environmentFor(shared),
		N8N_HOST: versions.join(),
		// Tests with their own stage use the package packed here.
		PACKED_PACKAGE: dirname(packed.archive),
	});
} catch (error) {
	log((error as Error).message);
	process.exitCode = 1;
} finally {
	await Promise.allSettled(hosts.map((host) => host.close()));
	packed.remove();
	rmSync(folder, { recursive: true, force: true });
}
