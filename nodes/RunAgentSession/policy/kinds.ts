// How rules read a request's texts. docs/rules.md has this table.

export type Kind = 'commands' | 'paths' | 'searches' | 'addresses';

export const KINDS: Record<Kind, readonly string[]> = {
	commands: ['bash', 'shell', 'exec', 'run', 'terminal', 'command'],
	paths: ['edit', 'write', 'read', 'create', 'delete', 'move', 'list'],
	searches: ['glob', 'grep'],
	addresses: ['webfetch', 'fetch', 'http', 'browse', 'url'],
};

const BY_PERMISSION = new Map(
	(Object.keys(KINDS) as Kind[]).flatMap((kind) =>
		KINDS[kind].map((permission): [string, Kind] => [permission, kind]),
	),
);

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Returns how to read a text. For an unknown permission, it's an address or a command, which is the strictest. */
export const kindOf = (permission: string, text: string): Kind =>
	BY_PERMISSION.get(permission.trim().toLowerCase()) ??
	(SCHEME.test(text) ? 'addresses' : 'commands');
