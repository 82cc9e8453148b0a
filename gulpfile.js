const { rmSync } = require('node:fs');
const { rollup } = require('@rollup/wasm-node');
const typescript = require('@rollup/plugin-typescript');
const { dest, parallel, series, src } = require('gulp');

const { nodes, credentials } = require('./package.json').n8n;

/** `nodes/A/A.node` for `dist/nodes/A/A.node.js`: where a file lies, in the sources and in what is built. */
const placeOf = (built) => built.replace(/^dist\/|\.js$/g, '');

/**
 * Type checks and builds the code: a file for each node and credential, and one for what they share. n8n loads all of it whenever it
 * starts, and a file for each module takes it nearly three times as long (docs/benchmarks.md, cold-start).
 */
async function code() {
	const bundle = await rollup({
		input: Object.fromEntries(
			[...nodes, ...credentials].map(placeOf).map((place) => [place, `${place}.ts`]),
		),
		external: ['n8n-workflow', 'node:crypto'],
		plugins: [typescript({ module: 'esnext', noEmitOnError: true }), latin1],
		onLog(level, log) {
			if (level === 'warn') throw new Error(log.message);
		},
	});
	await bundle.write({
		dir: 'dist',
		format: 'cjs',
		exports: 'named',
		generatedCode: 'es2015',
		manualChunks: (file) => (file.includes('/nodes/shared/') ? 'shared' : undefined),
		chunkFileNames: 'nodes/[name].js',
	});
	await bundle.close();
}

/**
 * Writes what is not Latin-1 as an escape. A single such character makes the engine keep the whole text of a file with two bytes for each
 * character, for as long as n8n runs. It can only stand in a string, a template or a regular expression, where the escape means the same.
 */
const latin1 = {
	name: 'latin1',
	renderChunk: (code) =>
		code.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

const clean = async () => rmSync('dist', { recursive: true, force: true });

// What n8n reads beside the code is copied: icons and codex files.
const copy = (pattern, options) => () => src(pattern, { base: '.', ...options }).pipe(dest('dist'));

const icons = copy(['nodes/**/*.svg', 'credentials/**/*.svg'], { encoding: false });
const codex = copy('nodes/**/*.node.json');

exports.default = series(clean, parallel(code, icons, codex));
