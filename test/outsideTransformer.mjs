// Loads packages with Node's own `require` (test/environment.mjs). All test files of a process share them, which saves a third of the
// processor time: otherwise each file loads, compiles and optimizes them again.
import { createHash } from 'node:crypto';

/** Jest resolves imports of ES modules to a build that Node's `require` can't load. */
const toCommonJs = (path) => path.replace(/([\\/]dist[\\/])esm([\\/])/, '$1cjs$2');

export default {
	process: (_source, path) => ({
		code: `module.exports = requireOutside(${JSON.stringify(toCommonJs(path))});`,
	}),
	getCacheKey: (_source, path) => createHash('sha256').update(`outside 1 ${path}`).digest('hex'),
};
