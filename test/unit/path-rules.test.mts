// Rules about paths, searches and addresses.
import { describe, expect, test } from '@jest/globals';
import type { Decision } from '../../nodes/RunAgentSession/policy/rule.ts';
import { decideRequest } from '../../nodes/RunAgentSession/requests/decisions.ts';
import { policy, request, rule } from './policies.mts';

const decided = (permission: string, text: string, ...rules: Array<[string, Decision]>) =>
	decideRequest(
		request({ permission, patterns: [text] }),
		policy({ rules: rules.map(([pattern, decision]) => rule(permission, pattern, decision)) }),
	).decision;

const FOLDERS = [
	...['app', 'app/(shop)', 'app/(shop)/[slug]', 'app/[[...path]]', 'app/@modal', 'routes/$id'],
	...['app/(.)photo/[id]', 'src/pages/[lang]', 'src/routes/(auth)', 'pages/posts/[...all]'],
	'content/2026',
	...['app/_components', 'app/~offline', 'src/a+b', 'src/%5Bid%5D', 'docs/Über uns', 'docs/日本語'],
	...['images/hero (1)', 'Spring sale', 'Q&A'],
];
const FILES = [
	...['page.tsx', 'route.ts', '[id].astro', '+page.svelte', '_index.tsx', '$slug.tsx'],
	...['Spring sale.md', 'Q&A.md', "What's new?.md", '100% off!.md'],
];

describe('a path', () => {
	const names = FOLDERS.flatMap((folder) => FILES.map((file) => `${folder}/${file}`));

	test('of 200 route files and odd names is approved by the rules for their folder and for everything', () => {
		expect(new Set(names).size).toBeGreaterThanOrEqual(200);
		for (const pattern of [undefined, '*.*', '**/*'])
			expect(
				names.filter((name) => {
					const typed = pattern ?? `${name.split('/')[0]}/*`;
					return decided('edit', name, [typed, 'approve'], ['.env', 'deny']) !== 'approve';
				}),
			).toEqual([]);
	});

	test('of 200 route files and odd names passes rules that deny other paths', () => {
		const denials = ['.env', '*.pem', 'secrets/*', '/etc/*', '~/.ssh/*'].map(
			(pattern): [string, Decision] => [pattern, 'deny'],
		);
		expect(
			names.filter((name) => decided('edit', name, ...denials, ['*', 'approve']) !== 'approve'),
		).toEqual([]);
	});

	test.each<[pattern: string, path: string]>([
		['src/*', 'src/a/b.ts'],
		['src/**/*.ts', 'src/a/b/c.ts'],
		['a/**/b/**/c', 'a/b/x/c'],
		['**/*.env', '.env'],
		['src/*', './src//a/../b.ts'],
		['src/*', 'src\\a.ts'],
		['./src/*', 'src/a.ts'],
		['src/?.ts', 'src/é.ts'],
		['/workspace/*', '/workspace/.../a'],
		['~/notes/*', '~/notes/a.md'],
		['C:/site/*', 'C:\\site\\a.md'],
		['src/a*b.ts', 'src/a*b.ts'],
		['src/[slug]/page.tsx', 'src/[slug]/page.tsx'],
		['*.md', 'Note: a, b.md'],
	])('%j approves %j', (pattern, path) => {
		expect(decided('edit', path, [pattern, 'approve'])).toBe('approve');
	});

	test.each<[pattern: string, path: string]>([
		['src/*', 'src'],
		['src/*', 'src/../.env'],
		['src/*', 'SRC/a.ts'],
		['*.ts', '/etc/a.ts'],
		['*.ts', '~me/a.ts'],
		['*.ts', '../a.ts'],
		['*.ts', '\\\\server\\a.ts'],
		['*.ts', 'file:///etc/a.ts'],
		['../*', '../../a.ts'],
		['~/*', '~/../x'],
		['C:/site/*', 'C:/site/../../../x'],
		['src/*', 'src/a\nb'],
		['*/a.ts', 'a.ts'],
		['**/*.ts', '/etc/a.ts'],
	])("%j doesn't approve %j", (pattern, path) => {
		expect(decided('edit', path, [pattern, 'approve'])).toBe('ask');
	});

	test.each<[pattern: string, path: string, decision: Decision]>([
		['secrets/*', 'secrets', 'deny'],
		['secrets/*', 'secrets/', 'deny'],
		['secrets/*', '../secrets/key', 'deny'],
		['secrets/*', 'my-secrets/key', 'approve'],
		['secrets', 'secrets/key', 'deny'],
		['secrets/', 'packages/web/secrets/key', 'deny'],
		['secrets/*', '\u017fecrets/key', 'deny'],
		['caf\u00e9/*', 'cafe\u0301/key', 'deny'],
		['secrets/*', 'C:secrets/key', 'ask'],
		['.env', 'file:///srv/%2eenv', 'ask'],
		['.env', '.env ', 'deny'],
		['**/*.env', 'a/b/.env', 'deny'],
		['.env', '.env.example', 'approve'],
		['/srv/site/secrets/*', '/srv/x/../site/secrets/key', 'deny'],
		['/srv/site/secrets/*', '/../srv/site/secrets/key', 'deny'],
		['/srv/site/secrets/*', '../secrets/key', 'ask'],
		['/srv/site/secrets/*', '../shared/a.ts', 'approve'],
		['/etc/*', '../../etc/passwd', 'ask'],
		['/*', '/etc/passwd', 'deny'],
		['/**', '../a', 'ask'],
		['/*', 'src/a.ts', 'approve'],
		['secrets/*', 'secrets./key', 'deny'],
		['secrets/*', 'secrets /key', 'deny'],
		['secrets/key', 'secrets/key::$DATA', 'deny'],
		['secrets/*', 'sec\u200brets/key', 'deny'],
		['/srv/site/secrets/*', 'src/a.ts', 'approve'],
		['/home/me/.ssh/*', '~/.ssh/id', 'ask'],
		['~/.ssh/*', '/home/me/.ssh/id', 'deny'],
		['src/a*b.ts', 'src/a*b.ts', 'deny'],
	])('behind a rule that denies %j, %j is %s', (pattern, path, decision) => {
		expect(decided('edit', path, [pattern, 'deny'], ['*', 'approve'])).toBe(decision);
	});
});

describe('a search', () => {
	test.each<[permission: string, pattern: string, search: string, decision: Decision]>([
		['glob', 'src/**/*.ts', 'src/**/*.ts', 'approve'],
		['glob', 'src/*', 'src/**/*.{ts,tsx}', 'approve'],
		['glob', 'src/*', 'src/../**', 'ask'],
		['glob', 'src/*', 'src/{a,..}/x', 'ask'],
		['glob', 'src/*', 'lib/*', 'ask'],
		['glob', 'src/*.ts', 'src/a.ts', 'ask'],
		['grep', 'TODO*', 'TODO: x', 'ask'],
		['grep', 'src/*', 'src/x', 'ask'],
	])('%s with the rule %j: %j is %s', (permission, pattern, search, decision) => {
		expect(decided(permission, search, [pattern, 'approve'])).toBe(decision);
	});

	test('behind a rule that denies or asks goes to an approver, unless it has the text', () => {
		expect(decided('grep', 'x', ['password', 'deny'], ['*', 'approve'])).toBe('ask');
		expect(decided('grep', 'password', ['password', 'deny'], ['*', 'approve'])).toBe('deny');
		expect(decided('glob', '**/.env', ['*', 'deny'])).toBe('deny');
		expect(decided('glob', 'src/*.ts', ['src/*', 'approve'], ['.env', 'deny'])).toBe('approve');
	});
});

describe('an address', () => {
	test.each<[pattern: string, address: string]>([
		['https://a.io/*', 'https://a.io'],
		['https://a.io/*', 'HTTPS://A.io:443/b?c=%2Fd#e'],
		['https://a.io:443/*', 'https://a.io/b'],
		['https://*.example.com/*', 'https://a.b.example.com/'],
		['https://a.io:*/x', 'https://a.io:8080/x'],
		['https://münchen.de/*', 'https://xn--mnchen-3ya.de/x'],
		['http*://a.io/*', 'http://a.io/x'],
		['https://me@a.io/x', 'https://me@a.io/x'],
		['not an address', 'not an address'],
	])('%j approves %j', (pattern, address) => {
		expect(decided('webfetch', address, [pattern, 'approve'])).toBe('approve');
	});

	test.each<[pattern: string, address: string]>([
		['https://*.example.com/*', 'https://other.test/.example.com/x'],
		['https://*.example.com/*', 'https://other.test\\.example.com/x'],
		['https://*.example.com/*', 'https://other.test:1/.example.com/'],
		['https://*.example.com/*', 'https://me@api.example.com/x'],
		['https://*@a.io/*', 'https://me@a.io/x'],
		['https://a.io*', 'https://a.io@other.test/'],
		['*a.io/*', 'https://other.test/a.io/x'],
		['https://a.io/*', 'http://a.io/x'],
		['https://a.io/*', 'https://a.io:8443/x'],
		['https://a.io/*', 'https://a.io./x'],
		['https://a.io/docs/*', 'https://a.io/docs/../x'],
		['https://a.io/docs/*', 'https://a.io/docs/..%5Cx'],
		['https://a.io/docs/*', 'https://a.io/docs/..\\x'],
		['https://a.io/*', 'https://a.io/x y'],
		['a.io/*', 'a.io/x'],
		['file:///srv/*', 'file:///srv/../etc/x'],
	])("%j doesn't approve %j", (pattern, address) => {
		expect(decided('webfetch', address, [pattern, 'approve'])).toBe('ask');
	});

	test.each<[pattern: string, address: string, decision: Decision]>([
		['https://evil.io/*', 'http://EVIL.io:8080/x', 'deny'],
		['https://evil.io/*', 'https://me:x@evil.io./x', 'deny'],
		['https://evil.io', 'https://evil.io/any/page', 'deny'],
		['evil.io', 'https://evil.io/x', 'deny'],
		['evil.io', 'https://evil.io.good.test/x', 'approve'],
		['https://evil.io/*', 'view-source:https://evil.io/x', 'deny'],
		['http://169.254.169.254/*', 'http://[::ffff:169.254.169.254]/x', 'deny'],
		['http://169.254.169.254/*', 'http://[::a9fe:a9fe]/x', 'deny'],
		['http://169.254.169.254/*', 'http://[64:ff9b::169.254.169.254]/x', 'deny'],
		['http://169.254.169.254/*', 'http://0xa9fea9fe/x', 'deny'],
		['https://a.io/admin/*', 'https://a.io/x/..%2fadmin/', 'deny'],
		['https://a.io/admin/*', 'https://a.io/x/%252e%252e%252fadmin/', 'deny'],
		['https://a.io/admin/*', 'https://a.io/x/..%5cadmin/y', 'deny'],
		['evil.io', 'evil.io/x', 'deny'],
		['*.evil.io', 'https://a.evil.io/x', 'deny'],
		['https://a.io/admin*', 'https://a.io/%61dmin', 'deny'],
		['https://a.io/admin*', 'https://a.io/x/../ADMIN', 'deny'],
		['https://a.io/admin*', 'https://a.io//admin', 'deny'],
		['https://evil.io/*', 'https://good.io\\@evil.io/x', 'ask'],
		['https://evil.io/*', 'https://', 'ask'],
		['https://evil.io/*', 'git@evil.io:x', 'ask'],
	])('behind a rule that denies %j, %j is %s', (pattern, address, decision) => {
		expect(decided('webfetch', address, [pattern, 'deny'], ['*', 'approve'])).toBe(decision);
	});
});

test.each<[permission: string, pattern: string, text: string, decision: Decision]>([
	['Edit', 'src/*', 'src/(a)/b c.ts', 'approve'],
	['deploy', 'site *', 'site staging', 'approve'],
	['deploy', 'site *', 'site $X', 'ask'],
	['deploy', 'https://*.a.io/*', 'https://x.a.io/y', 'approve'],
	['deploy', 'https://*.a.io/*', 'https://other.test/.a.io/y', 'ask'],
])('the permission %s reads %j and %j as what they are', (permission, pattern, text, decision) => {
	expect(decided(permission, text, [pattern, 'approve'])).toBe(decision);
});

describe('a denied folder, for every permission,', () => {
	const names = [
		...['edit', 'multiedit', 'patch', 'apply_patch', 'notebookedit', 'write', 'read', 'delete'],
		...['view', 'rename', 'str_replace', 'cat', 'open', 'upload'],
	];
	const paths = [
		...['secrets/key', 'packages/web/secrets/key', '/srv/site/secrets/key', '//secrets/key'],
		...['SECRETS/key', 'src/../secrets/key', 'src\\..\\secrets\\key'],
	];
	test.each(names)('has no hole in %s', (permission) => {
		const by = policy({
			rules: [rule('*', 'secrets/*', 'deny'), rule('*', '*', 'approve')],
		});
		for (const path of paths)
			for (const changes of [
				{ patterns: [path] },
				...['path', 'filePath', 'file_path'].flatMap((name) => [
					{ patterns: ['x'], [name]: path },
					{ patterns: ['x'], metadata: { [name]: path } },
					{ patterns: ['x'], metadata: { input: { [name]: path } } },
					{ patterns: ['x'], args: { [name]: path } },
				]),
			])
				expect([changes, decideRequest(request({ permission, ...changes }), by).decision]).toEqual([
					changes,
					'deny',
				]);
	});
});

test('an unknown permission is read in every way by a denial, and in the strictest by an approval', () => {
	const denied = (pattern: string, text: string) =>
		decideRequest(
			request({ permission: 'deploy', patterns: [text] }),
			policy({ rules: [rule('*', pattern, 'deny'), rule('*', '*', 'approve')] }),
		).decision;
	expect(denied('rm *', 'rm x')).toBe('deny');
	expect(denied('https://evil.io/*', 'HTTP://evil.io:80/x')).toBe('deny');
	expect(denied('https://evil.io/*', 'evil.io/x')).toBe('deny');
	expect(denied('src/*', 'src/a (b).ts')).toBe('deny');
	expect(denied('src/*', 'lib/a.ts')).toBe('approve');
	expect(decided('deploy', 'src/a (b).ts', ['src/*', 'approve'])).toBe('ask');
});
