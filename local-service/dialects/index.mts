// Every dialect, by name. Where several change the same answer, the later in this table sees what the earlier made of it.
import { operationIds, type OperationId } from './assumed-requests.mts';
import type { Dialect, Overrides } from './dialect.mts';
import { getOverrides } from './overrides.mts';
import { emptyAnswers } from './tables/empty-answers.mts';
import { fileContent } from './tables/file-content.mts';
import { foreignIds } from './tables/ids.mts';
import { ignoring } from './tables/ignoring.mts';
import { lateChanges } from './tables/late.mts';
import { everyList, listForms } from './tables/lists.mts';
import { myFilesFolder } from './tables/my-files.mts';
import { optionWords } from './tables/option-words.mts';
import { pageForms } from './tables/paging.mts';
import { requestForms } from './tables/requests.mts';
import { questionForms } from './tables/questions.mts';
import { sessionIds } from './tables/session-ids.mts';
import { withIds } from './values/ids.mts';
import { withSession } from './values/options.mts';

/** They refuse what they do not know: a request that looks otherwise than theirs fails. */
const refusing = {
	...foreignIds,
	...optionWords,
	...questionForms,
	'late-changes': lateChanges,
	'my-files-folder': myFilesFolder,
	...sessionIds,
	...fileContent,
	...requestForms,
	...listForms,
	'empty-answers': emptyAnswers,
} satisfies Record<string, Dialect>;

/** They ignore what they do not know: what was not understood looks like a success. */
const ignoringAll = {
	...ignoring,
	...pageForms,
} satisfies Record<string, Dialect>;

const tables = { ...refusing, ...ignoringAll };

export type DialectName = keyof typeof tables;

export const dialectNames = Object.keys(tables) as DialectName[];

/** A dialect as those who run the package against it need it. */
interface DialectInfo {
	/** One line for people: what differs */
	summary: string;
	/** True if it belongs to the family that ignores what it does not know */
	ignores: boolean;
	/** The operations that look otherwise in it: everything else is as without it */
	touches: readonly OperationId[];
	/** Dialects of one group cannot be combined */
	group?: string;
	/** For the credential's Overrides; missing where the package needs none */
	overrides?: Overrides;
}

const listing = Object.keys(everyList(0)) as OperationId[];

/** The operations whose requests or answers a dialect changes. */
function listTouched(dialect: Dialect): readonly OperationId[] {
	const { requests, answers, paging, ids, optionWords, lateness } = dialect;
	if (lateness) return operationIds;
	const tables = [requests, answers].flatMap((table) => Object.keys(table ?? {}));
	return [
		// The tables are keyed by operation
		...(tables as OperationId[]),
		...(paging ? listing : []),
		...(ids ? withIds : []),
		...(optionWords ? withSession : []),
	];
}

/** Narrower than the tables are: what every dialect may have. */
const makeTable = (name: DialectName): Dialect => tables[name];

function getInfo(name: DialectName): DialectInfo {
	const { summary, group } = makeTable(name);
	const overrides = getOverrides([makeTable(name)]);
	return {
		summary,
		ignores: name in ignoringAll,
		touches: [...new Set(listTouched(makeTable(name)))],
		...(group !== undefined && { group }),
		...(Object.keys(overrides).length > 0 && { overrides }),
	};
}

/** Facts about each dialect. */
export const dialects = Object.fromEntries(
	dialectNames.map((name) => [name, getInfo(name)]),
	// `fromEntries` forgets the names of the keys
) as Record<DialectName, DialectInfo>;

const isName = (name: string): name is DialectName => Object.hasOwn(tables, name);

/** Why dialects cannot be spoken together; undefined when they can. */
export function findConflict(names: readonly string[]): string | undefined {
	const unknown = names.find((name) => !isName(name));
	if (unknown !== undefined)
		return `There is no dialect ${unknown}. There are: ${dialectNames.join(', ')}`;
	for (const [index, name] of names.filter(isName).entries()) {
		const { group } = makeTable(name);
		const other = names
			.slice(0, index)
			.find(
				(earlier) =>
					earlier === name || (isName(earlier) && group && makeTable(earlier).group === group),
			);
		if (other !== undefined)
			return other === name
				? `The dialect ${name} is named twice`
				: `The dialects ${other} and ${name} contradict each other: a service has one kind of ${group}`;
	}
	return undefined;
}

/**
 * The tables of several dialects, in the order in which they apply, not the order of the names.
 * @throws Error when there is no such dialect, or they contradict each other
 */
export function chooseDialects(names: readonly string[]): Dialect[] {
	const conflict = findConflict(names);
	if (conflict !== undefined) throw new Error(`${conflict}.`);
	return dialectNames.filter((name) => names.includes(name)).map(makeTable);
}

/**
 * Returns the credential's Overrides for a mixture of dialects.
 * @throws Error when there is no such dialect, or they contradict each other
 */
export const settingsFor = (names: readonly string[]): Overrides =>
	getOverrides(chooseDialects(names));
