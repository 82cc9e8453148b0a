// Outcomes of a use: the table has a column for each outcome, and none for a silent wrong result.
import type { Speaker } from './speakers.mts';
import type { World } from './world.mts';

export type Outcome =
	| { kind: 'right' }
	/** An error that says what to do, or why it cannot be known */
	| { kind: 'error'; says: string; operations: string[] }
	| { kind: 'wrong'; how: string };

/** Things in the service that must not be created twice */
function census(world: World) {
	const { seed } = world;
	const sessions = world.sessions();
	return {
		sessions: sessions.length,
		turns: sessions.reduce((sum, { turns }) => sum + turns, 0),
		files: seed.files.length + seed.folders.length,
		products: seed.products.length,
	};
}

type NodeError = Error & { description?: string | null; messages?: string[] };

/** Why nothing can be known, in words that a reader takes for a reason */
const REASONS =
	/web page|proxy or login page|isn't JSON|n't answer with JSON|redirect|may have been|clearly means|was not understood|can't be read|not readable|without an? ID|has no ID|incomplete/i;

/** Phrases of an error that say that the request may have taken effect */
const MAY_BE_THERE = /may have been|was (started|sent|created)|Session [\da-f-]{36}/;

/** Returns whether an error names the override that mends it, or at least the reason. */
function judged(error: NodeError): Outcome {
	const says = [error.message, error.description ?? ''].join(' — ');
	const operations = [
		...says.matchAll(
			/`?\b((?:list|get|create|update|send|abort|resolve|query|rename|move|delete)[A-Z]\w+)/g,
		),
	];
	const named = [...new Set(operations.map(([, name]) => name))];
	if (/overrid/i.test(says) && named.length > 0) return { kind: 'error', says, operations: named };
	if (REASONS.test(says)) return { kind: 'error', says, operations: [] };
	return { kind: 'wrong', how: `an error that names neither an override nor a reason: ${says}` };
}

/** Returns the outcome. For any result, nothing may exist twice, or exist although the package denies it. */
export async function getOutcome({ use, makes }: Speaker, world: World): Promise<Outcome> {
	const before = census(world);
	const outcome = await use(world).then(
		(wrong): Outcome => (wrong === undefined ? { kind: 'right' } : { kind: 'wrong', how: wrong }),
		(error: NodeError) => judged(error),
	);
	world.settle();
	const after = census(world);
	if (after.sessions > before.sessions + 1 || after.turns > before.turns + 2)
		return { kind: 'wrong', how: 'started or told more than once' };
	if (after.products > before.products + 2 || after.files > before.files + 2)
		return { kind: 'wrong', how: 'made more than once' };
	if (makes && outcome.kind === 'error') {
		const made = after[makes.what] - before[makes.what] - (makes.beyond ?? 0);
		if (made > 0 && !MAY_BE_THERE.test(outcome.says))
			return { kind: 'wrong', how: `it is there, and the error does not say so: ${outcome.says}` };
	}
	return outcome;
}
