import { isAging } from '../../shared/approvals/aging';
import { fingerprint, isRecord, omit, sortedJson } from '../../shared/values';
import type { Interaction } from '../../shared/client/session';

// The content of a request identifies it. Its ID doesn't count, and neither does metadata that only ages.

/** Returns the metadata without what ages, and without fields that were seen to change at each poll. */
function steadyMetadata(metadata: unknown, unsteady: readonly string[]): unknown {
	if (!isRecord(metadata)) return metadata;
	const entries = Object.entries(metadata).filter(
		([name, value]) => !isAging(name, value) && !unsteady.includes(name),
	);
	return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/**
 * Returns the hash of everything about a request that an approver decides. Undefined if it's nested too deeply.
 * @param unsteady names of metadata that don't count
 */
export function contentHash(
	interaction: Interaction,
	unsteady: readonly string[] = [],
): string | undefined {
	const metadata = steadyMetadata(interaction.metadata, unsteady);
	const json = sortedJson({ ...omit(interaction, 'id'), metadata });
	return json === undefined ? undefined : fingerprint(json);
}

/** Returns the names of the metadata in which two versions of a request differ. Undefined if they differ in anything else. */
export function changedMetadata(one: Interaction, other: Interaction): string[] | undefined {
	const [before, now] = [one, other].map(({ metadata }) => (isRecord(metadata) ? metadata : {}));
	const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
		(name) => sortedJson([before[name]]) !== sortedJson([now[name]]),
	);
	return contentHash(one, names) === contentHash(other, names) ? names : undefined;
}
