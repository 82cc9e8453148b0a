// Lets Node load the package's sources, which name each other without endings.
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

registerHooks({
	resolve(specifier, context, next) {
		const isRelative = /^\.{1,2}\//.test(specifier);
		if (!isRelative || !context.parentURL?.endsWith('.ts')) return next(specifier, context);
		const { href } = new URL(specifier, context.parentURL);
		const found = [`${href}.ts`, `${href}/index.ts`].find((url) => existsSync(fileURLToPath(url)));
		return next(found ?? specifier, context);
	},
});
