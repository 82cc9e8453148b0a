import { HAS_SCHEME } from './addresses';

// The one table of permissions: how rules read their texts, and what the page and `changes` call them. docs/rules.md shows it.

export const KINDS = ['commands', 'paths', 'searches', 'addresses'] as const;
export type Kind = (typeof KINDS)[number];

/** What people read a request as */
export type ShownAs = 'command' | 'edit' | 'read' | 'other';

/** @param isEdit true if its paths are files that change */
const row = (permissions: string, kind: Kind, shownAs: ShownAs, isEdit = false) => {
	return { permissions: permissions.split(' '), kind, shownAs, isEdit };
};
export const PERMISSIONS = [
	row('bash sh shell exec execute run terminal command', 'commands', 'command'),
	row('edit multiedit patch apply_patch notebookedit write', 'paths', 'edit', true),
	row('create delete move', 'paths', 'other', true),
	row('read', 'paths', 'read'),
	row('list', 'paths', 'other'),
	row('glob grep', 'searches', 'other'),
	row('webfetch fetch http browse url', 'addresses', 'other'),
];

/** Returns what a permission is about. Undefined if the table doesn't have it. */
export const readPermission = (permission: string) =>
	PERMISSIONS.find(({ permissions }) => permissions.includes(permission.trim().toLowerCase()));

/** Returns how an approval reads a text. */
export const approvedKind = (permission: string, text: string): Kind =>
	readPermission(permission)?.kind ?? (HAS_SCHEME.test(text) ? 'addresses' : 'commands');

/** How a denial reads a text under a permission that the table doesn't have */
export const EVERY_WAY: readonly Kind[] = ['commands', 'paths', 'addresses'];
