// Every dialect against everything that speaks to the service, as a table for people. A use that is silently wrong has no place in it.
import { dialects, type DialectName } from '../../../local-service/dialects/index.mts';
import { getOutcome, type Outcome } from './outcome.mts';
import { sessionSpeakers } from './sessions.mts';
import { operationSpeakers, type Speaker } from './speakers.mts';
import { watchers } from './watchers.mts';
import { createWorld } from './world.mts';

/** Everybody, by what they have in common */
const groups: Record<string, Speaker[]> = { ...operationSpeakers, ...sessionSpeakers, ...watchers };
const everybody = Object.entries(groups).flatMap(([group, speakers]) =>
	speakers.map((speaker) => ({ group, speaker })),
);

interface Use {
	group: string;
	name: string;
	outcome: Outcome;
	/** With the overrides and options that the dialects need, where they need some */
	told?: Outcome;
}

/** The operations that each speaker asks for, found out once with a service that speaks no dialect. */
const operationsOf = new Map<Speaker, string[]>();
async function learn(): Promise<void> {
	if (operationsOf.size > 0) return;
	const world = await createWorld([], false);
	for (const { speaker } of everybody) {
		world.asked();
		const outcome = await getOutcome(speaker, world);
		if (outcome.kind !== 'right')
			throw new Error(`${speaker.name}, without a dialect: ${JSON.stringify(outcome)}`);
		operationsOf.set(speaker, world.asked());
	}
	await world.close();
}

/** Runs every use that the dialects concern. All others have the same outcome as without dialects. */
export async function usesUnder(names: DialectName[]): Promise<Use[]> {
	await learn();
	const touched = new Set(names.flatMap((name) => dialects[name].touches as string[]));
	const concerned = everybody.filter(({ speaker }) =>
		operationsOf.get(speaker)!.some((operation) => touched.has(operation)),
	);
	const outcomes = async (told: boolean) => {
		const world = await createWorld(names, told);
		const found: Outcome[] = [];
		for (const { speaker } of concerned) found.push(await getOutcome(speaker, world));
		await world.close();
		if (world.problems.length > 0) throw new Error(world.problems.join('\n'));
		return found;
	};
	const needs = names.some((name) => dialects[name].overrides);
	const untold = await outcomes(false);
	const told = needs ? await outcomes(true) : [];
	return concerned.map(({ group, speaker: { name } }, index) => ({
		group,
		name,
		outcome: untold[index],
		...(needs && { told: told[index] }),
	}));
}

/** The uses that are silently wrong, each in a line. */
export const findProblems = (uses: Use[]): string[] =>
	uses.flatMap(({ group, name, ...outcomes }) =>
		Object.entries(outcomes).flatMap(([how, outcome]) =>
			outcome.kind === 'wrong' ? [`${group}, ${name} (${how}): ${outcome.how}`] : [],
		),
	);

/** `Trigger; Lists: task.getAll`: a group alone is all of it. */
const listed = (uses: Use[]): string =>
	[...new Set(uses.map(({ group }) => group))]
		.map((group) => {
			const names = uses.filter((use) => use.group === group).map(({ name }) => name);
			return names.length === groups[group].length ? group : `${group}: ${names.join(', ')}`;
		})
		.join('; ');

const sentence = (says: string) =>
	says
		.split(' — ')[0]
		.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '...')
		.replaceAll('|', '\\|');

/** Maximum number of errors in the table */
const MOST_ERRORS = 2;

/** The errors of some uses: what each says, which operation it names, and whose it is. */
function errors(uses: Use[]): string {
	const said = new Map<string, Use[]>();
	for (const use of uses) {
		const outcome = use.told ?? use.outcome;
		if (outcome.kind !== 'error') continue;
		const text = `“${sentence(outcome.says)}”`;
		said.set(text, [...(said.get(text) ?? []), use]);
	}
	const told = [...said].map(([text, by]) => `${text} (${listed(by)})`);
	const more = told.length - MOST_ERRORS;
	return [...told.slice(0, MOST_ERRORS), ...(more > 0 ? [`and ${more} more`] : [])].join('<br>');
}

/** Returns a dialect's settings for the table. */
function getNeeds(name: DialectName): string {
	const { overrides = {} } = dialects[name];
	return (
		Object.keys(overrides)
			.map((operation) => `\`${operation}\``)
			.join(', ') || 'nothing'
	);
}

/** The row of a dialect. */
export function getRow(name: DialectName, uses: Use[]): string {
	const mended = uses.filter((use) => use.outcome.kind === 'error' && use.told?.kind === 'right');
	const failing = uses.filter(({ outcome, told = outcome }) => told.kind === 'error');
	const cells = [
		`\`${name}\``,
		dialects[name].summary.replaceAll('|', '\\|'),
		getNeeds(name),
		listed(mended) || '–',
		errors(failing) || '–',
	];
	return `| ${cells.join(' | ')} |`;
}

export const HEAD = [
	'| dialect | difference | overrides | right with them, and before that an error names them | an error that says why |',
	'| --- | --- | --- | --- | --- |',
];

export const HEAD_RIGHT = ['| dialect that needs no setting | difference |', '| --- | --- |'];
