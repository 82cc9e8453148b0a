// The one table of permissions: how rules read their texts, and what the page and `changes` call them. docs/rules.md shows it.

/** How an approval reads a text. `policy/rules.ts` has the matchers of each. */
export type Kind = 'commands' | 'paths' | 'searches' | 'addresses';

export interface RequestWords {
	/** Of each of its texts */
	label: string;
	/** What the agent wants to do with one and with several. Missing if only the permission says it */
	verbs?: readonly [one: string, several: string];
}

/** What people read a request as */
export const REQUEST_WORDS = {
	command: { label: 'Command', verbs: ['run this command', 'run these commands'] },
	edit: { label: 'File', verbs: ['edit this file', 'edit these files'] },
	read: { label: 'File', verbs: ['read this file', 'read these files'] },
	other: { label: 'Pattern' },
} satisfies Record<string, RequestWords>;
export type ShownAs = keyof typeof REQUEST_WORDS;

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
