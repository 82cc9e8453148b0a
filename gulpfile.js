const { execFileSync } = require('node:child_process');
const { existsSync, readFileSync, rmSync } = require('node:fs');
const { dirname, resolve } = require('node:path');
const { rollup } = require('@rollup/wasm-node');
const { dest, parallel, series, src } = require('gulp');
const typescript = require('typescript');

const { nodes, credentials } = require('./package.json').n8n;
const { compilerOptions } = typescript.readConfigFile(
	'tsconfig.json',
	typescript.sys.readFile,
).config;

/** `nodes/A/A.node` for `dist/nodes/A/A.node.js`: where a file lies, in the sources and in what is built. */
const placeOf = (built) => built.replace(/^dist\/|\.js$/g, '');

/** Checks the types of the package. It is compiled file by file (`isolatedModules`), without them. */
async function types() {
	const compiler = require.resolve('typescript/bin/tsc');
	execFileSync(process.execPath, [compiler, '--noEmit'], { stdio: 'inherit' });
}

/**
 * Builds the code: a file for each node and credential, one for what their panels share, and those that are loaded on first use. n8n
 * loads the first two kinds whenever it starts, and a file for each module takes it nearly three times as long.
 */
async function code() {
	const entries = [...nodes, ...credentials].map(placeOf);
	const bundle = await rollup({
		input: Object.fromEntries(entries.map((place) => [place, `${place}.ts`])),
		external: ['n8n-workflow', 'node:crypto'],
		plugins: [compile, together, flat, latin1],
		onLog(level, log) {
			if (level === 'warn') throw new Error(log.message);
		},
	});
	await bundle.write({
		dir: 'dist',
		format: 'cjs',
		exports: 'named',
		generatedCode: 'es2015',
		dynamicImportInCjs: false,
		manualChunks: (file, { getModuleInfo }) => chunkOf(file, entries, getModuleInfo),
		// The hash changes with anything that the file loads. After an update, code in memory finds its own version or none.
		chunkFileNames: 'nodes/[name]-[hash].js',
		hashCharacters: 'hex',
	});
	await bundle.close();
}

/** What is loaded on first use, by the folder in `nodes/` */
const ON_FIRST_USE = {
	RunAgentSession: 'RunAgentSession/execution',
	WorkspaceAutomation: 'WorkspaceAutomation/calls',
	WorkspaceAutomationTrigger: 'WorkspaceAutomationTrigger/poll',
	shared: 'shared/client',
};

/**
 * Returns the file that a module belongs into. What an entry imports statically is loaded when n8n starts. The entries stand alone, so
 * that nothing loaded later imports a file without a hash.
 */
function chunkOf(file, entries, getModuleInfo) {
	const isEntry = getModuleInfo(file).isEntry;
	if (isEntry) return undefined;
	const atStart = new Set(entries.map((place) => resolve(`${place}.ts`)));
	for (const each of atStart)
		for (const imported of getModuleInfo(each).importedIds) atStart.add(imported);
	if (atStart.has(file)) return 'shared/panel';
	const [, folder] = /[\\/]nodes[\\/](\w+)[\\/]/.exec(file);
	return ON_FIRST_USE[folder];
}

const compile = {
	name: 'compile',
	/** `./errors` is `./errors.ts` or `./errors/index.ts`. What is loaded on first use is named with its ending. */
	resolveId(imported, importer) {
		if (!imported.startsWith('.') || !importer) return null;
		const place = resolve(dirname(importer), imported);
		if (place.endsWith('.ts')) return place;
		return [`${place}.ts`, `${place}/index.ts`].find(existsSync) ?? null;
	},
	load: (file) =>
		typescript.transpile(
			readFileSync(file, 'utf8'),
			{ ...compilerOptions, module: 'esnext' },
			file,
		),
};

/** Exports all names of a file in one statement, which saves half a hundredth of the package. */
const together = {
	name: 'together',
	renderChunk(code) {
		const names = [];
		const rest = code.replace(/^exports\.(\w+) = \1;\n?/gm, (_, name) => {
			names.push(name);
			return '';
		});
		return names.length > 1
			? `${rest}Object.assign(exports, {\n${names.join(',\n')},\n});\n`
			: code;
	},
};

/**
 * Removes the compiler's indentation, which saves five hundredths of the package. Our own texts are indented with tabs. A space before `let`
 * tells a function's variable from the module's (test/worlds/package.mts).
 */
const flat = {
	name: 'flat',
	renderChunk: (code) =>
		code.replace(/^(?: {4})+(let )?/gm, (_, variable) => (variable ? ` ${variable}` : '')),
};

/**
 * Writes what is not Latin-1 as an escape. A single such character makes the engine keep the whole text of a file with two bytes for each
 * character, for as long as n8n runs. It can only stand in a string, a template or a regular expression, where the escape means the same.
 */
const latin1 = {
	name: 'latin1',
	renderChunk: (code) =>
		code.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

/** With what says which sources it was built from (tools/build.mts) */
const clean = async () => {
	for (const place of ['.cache/built', 'dist']) rmSync(place, { recursive: true, force: true });
};

// What n8n reads beside the code is copied: icons and codex files.
const copy = (pattern, options) => () => src(pattern, { base: '.', ...options }).pipe(dest('dist'));

const icons = copy('nodes/**/*.svg', { encoding: false });
const codex = copy('nodes/**/*.node.json');

const files = parallel(code, icons, codex);

exports.default = series(clean, types, files);
/** Without the types, as the commands build that run it (tools/build.mts) */
exports.unchecked = series(clean, files);
