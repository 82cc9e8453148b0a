import { WorkspaceAutomationError } from '../shared/base/errors';
import type { Interaction } from '../shared/session/session';
import { asText, isRecord } from '../shared/base/values';
import { listIn, sameJson } from './json';

// What a person was asked, and whether what is pending now is still that.

/** What a person decides on; each is compared as JSON, in full. */
const COMPARED = {
	id: (interaction) => interaction.id,
	permission: (interaction) => interaction.permission,
	patterns: (interaction) => interaction.patterns,
	options: ({ response }) => (isRecord(response) ? response.options : undefined),
} satisfies Record<string, (interaction: Record<string, unknown>) => unknown>;

type Compared = keyof typeof COMPARED;

/**
 * In what a pending interaction differs from the one that was asked: any of `id`, `permission`, `patterns`, `options`. The order of
 * patterns and options counts (nothing but the order of keys is taken as meaningless): what is shown differently is asked again.
 */
export function differences(asked: unknown, pending: unknown): Compared[] {
	const names = Object.keys(COMPARED) as Compared[];
	if (!isRecord(asked) || !isRecord(pending)) return names;
	return names.filter((name) => !sameJson(COMPARED[name](asked), COMPARED[name](pending)));
}

const WAY_OUT = 'Drag pendingInteractions of the Needs Approval item here.';

/**
 * The interactions in the field 'Asked': `pendingInteractions` of a Needs Approval item, or one of them, as JSON or as its text.
 * Ids are texts, as in a session that was read.
 * @throws WorkspaceAutomationError where there is none, or where something else is in it
 */
export function readAsked(value: unknown): Interaction[] {
	const list = listIn(value);
	if (list?.length === 0) {
		throw new WorkspaceAutomationError(
			"'Asked' is empty",
			`${WAY_OUT} Only what is in it is decided by the answer; to decide whatever is pending, set 'Applies To' to Everything From Now On.`,
		);
	}
	const interactions = (list ?? []).flatMap((entry): Interaction[] => {
		if (!isRecord(entry)) return [];
		const { id, type } = entry;
		const readable = typeof id === 'number' || (typeof id === 'string' && id !== '');
		return readable ? [{ ...entry, id: String(id), type: asText(type ?? '') }] : [];
	});
	if (list && interactions.length === list.length) return interactions;
	throw new WorkspaceAutomationError(
		"'Asked' is not a list of interactions",
		`Each needs at least an id. ${WAY_OUT}`,
	);
}
