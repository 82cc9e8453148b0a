// Removes the types of .mts files as Node does, so that a test runs the same code as a command.
import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

export default {
	process: (source) => ({ code: stripTypeScriptTypes(source) }),
	getCacheKey: (source) =>
		createHash('sha256').update(`strip ${process.version}`).update(source).digest('hex'),
};
