// Lets Node load the package's sources, which name each other without endings.
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** n8n-workflow's ES modules name each other without endings too. n8n-core and the nodes use its CommonJS build. */
const COMMON_JS = ['node', 'require', 'default'];

registerHooks({
	resolve(specifier, context, next) {
		if (specifier === 'n8n-workflow') return next(specifier, { ...context, conditions: COMMON_JS });
		const { parentURL = '' } = context;
		const isShort = parentURL.endsWith('.ts') && /^\.{1,2}\//.test(specifier);
		const { href } = isShort ? new URL(specifier, parentURL) : { href: specifier };
		const found = [`${href}.ts`, `${href}/index.ts`].find(
			(url) => isShort && existsSync(fileURLToPath(url)),
		);
		const resolved = next(found ?? specifier, context);
		// package.json says nothing of modules, so Node would try CommonJS first.
		return resolved.url.endsWith('.ts') ? { ...resolved, format: 'module-typescript' } : resolved;
	},
});
