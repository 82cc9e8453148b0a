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
		plugins: [typescript({ module: 'esnext', noEmitOnError: true })],
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

const clean = async () => rmSync('dist', { recursive: true, force: true });

// What n8n reads beside the code is copied: icons and codex files.
const copy = (pattern, options) => () => src(pattern, { base: '.', ...options }).pipe(dest('dist'));

const icons = copy(['nodes/**/*.svg', 'credentials/**/*.svg'], { encoding: false });
const codex = copy('nodes/**/*.node.json');

exports.default = series(clean, parallel(code, icons, codex));
