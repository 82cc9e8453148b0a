// The one table of permissions: how rules read their texts, and what the page and `changes` call them. docs/rules.md shows it.

export const KINDS = ['commands', 'paths', 'searches', 'addresses'] as const;
export type Kind = (typeof KINDS)[number];

/** What people read a request as */
export type ShownAs = 'command' | 'edit' | 'read' | 'other';

interface PermissionKind {
	kind: Kind;
	shownAs: ShownAs;
	/** True if its paths are files that change */
	isEdit: boolean;
	permissions: readonly string[];
}

const ROWS: Array<[permissions: string, kind: Kind, shownAs: ShownAs, isEdit?: true]> = [
	['bash sh shell exec execute run terminal command', 'commands', 'command'],
	['edit multiedit patch apply_patch notebookedit write', 'paths', 'edit', true],
	['create delete move', 'paths', 'other', true],
	['read', 'paths', 'read'],
	['list', 'paths', 'other'],
	['glob grep', 'searches', 'other'],
	['webfetch fetch http browse url', 'addresses', 'other'],
];
export const PERMISSIONS = ROWS.map(
	([permissions, kind, shownAs, isEdit = false]): PermissionKind => {
		return { kind, shownAs, isEdit, permissions: permissions.split(' ') };
	},
);

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
