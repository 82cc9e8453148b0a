// The one table of permissions: how rules read their texts, and what the page and `changes` call them. docs/rules.md shows it.

export const KINDS = ['commands', 'paths', 'searches', 'addresses'] as const;
export type Kind = (typeof KINDS)[number];

/** What people read a request as */
export type ShownAs = 'command' | 'edit' | 'read' | 'other';

interface PermissionKind {
	kind: Kind;
	shownAs: ShownAs;
	/** True if its paths are files that change */
	isEdit?: true;
	permissions: readonly string[];
}

export const PERMISSIONS: readonly PermissionKind[] = [
	{
		kind: 'commands',
		shownAs: 'command',
		permissions: ['bash', 'sh', 'shell', 'exec', 'execute', 'run', 'terminal', 'command'],
	},
	{
		kind: 'paths',
		shownAs: 'edit',
		isEdit: true,
		permissions: ['edit', 'multiedit', 'patch', 'apply_patch', 'notebookedit', 'write'],
	},
	{ kind: 'paths', shownAs: 'other', isEdit: true, permissions: ['create', 'delete', 'move'] },
	{ kind: 'paths', shownAs: 'read', permissions: ['read'] },
	{ kind: 'paths', shownAs: 'other', permissions: ['list'] },
	{ kind: 'searches', shownAs: 'other', permissions: ['glob', 'grep'] },
	{
		kind: 'addresses',
		shownAs: 'other',
		permissions: ['webfetch', 'fetch', 'http', 'browse', 'url'],
	},
];

const BY_PERMISSION = new Map(
	PERMISSIONS.flatMap((each) =>
		each.permissions.map((permission): [string, PermissionKind] => [permission, each]),
	),
);

/** Returns what a permission is about. Undefined if the table doesn't have it. */
export const readPermission = (permission: string): PermissionKind | undefined =>
	BY_PERMISSION.get(permission.trim().toLowerCase());

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Returns how an approval reads a text. */
export const approvedKind = (permission: string, text: string): Kind =>
	readPermission(permission)?.kind ?? (SCHEME.test(text) ? 'addresses' : 'commands');

/** How a denial reads a text under a permission that the table doesn't have */
export const EVERY_WAY: readonly Kind[] = ['commands', 'paths', 'addresses'];
