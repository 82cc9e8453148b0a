import {
	chooseOption,
	readChoices,
	readDuration,
	readMeaning,
	readOptions,
	type ChoiceName,
	type OptionPreferences,
} from '../../shared/approvals/options';
import { readWholeRequest } from '../../shared/approvals/rememberedRequest';
import type { Interaction } from '../../shared/client/session';
import { isRecord, toText } from '../../shared/values';
import { FROM_NOW_ON, type ChosenVote } from './votes';

/** One way to decide a request, or to answer it */
export interface Choice {
	/** This package's name of it. An option of a question has only the agent's words. */
	name?: string;
	/** The agent's words: without a name, or if another choice has the same one */
	words?: string;
	/** What else an option of a question says */
	description?: string;
	/** What it does, in this package's words */
	hint?: string;
	/** All that the service says of an effect that could last */
	serviceSays?: { label: string; description?: string; scope?: string };
	/** True if the sheet's field is part of it */
	takesText?: true;
	vote: ChosenVote;
}

const MAX_PAGE_OPTIONS = 100;

const CHOICE_ORDER: readonly ChoiceName[] = [
	'Approve once',
	'Deny',
	'Always approve',
	'Always deny',
];

const MAX_LABEL_LENGTH = 1_000;

const LASTING_HINT = 'Also applies to later requests.';
const FROM_NOW_ON_HINT =
	'Approves this request once. The workflow can keep a rule for exactly this request.';

/** Returns what the service says of an option whose effect could last. */
function readServiceWords({ response }: Interaction, value: string, label: string) {
	const { options, scope } = isRecord(response) ? response : {};
	const found = Array.isArray(options)
		? options.filter(isRecord).find((option) => option.value === value)
		: undefined;
	const { description } = found ?? {};
	return {
		label: label || value,
		...(description !== undefined && description !== '' && { description: toText(description) }),
		...(scope !== undefined && { scope: toText(scope) }),
	};
}

type NamedOption = Pick<ReturnType<typeof readChoices>[number], 'value' | 'label'> & {
	name: ChoiceName;
};

/** Returns the service's words of an option whose name another one has, too. They differ, because values do. */
function findWords(option: NamedOption, all: readonly NamedOption[]): string | undefined {
	const others = all.filter((each) => each !== option && each.name === option.name);
	if (others.length === 0) return undefined;
	const toWords = ({ label, value }: NamedOption) => label.slice(0, MAX_LABEL_LENGTH) || value;
	const words = toWords(option);
	const isClear = others.every((each) => toWords(each) !== words);
	return isClear ? words : `${words} (${option.value})`;
}

/** Returns the choices for a request's options, the one that the policy prefers first. Skips options with an unclear meaning. */
export function listChoices(
	interaction: Interaction,
	preferences: OptionPreferences,
	offersFromNowOn = false,
): Choice[] {
	const options = readOptions(interaction);
	if (options.length > MAX_PAGE_OPTIONS) return [];
	const preferred: Partial<Record<ChoiceName, string>> = {
		'Approve once': chooseOption(options, 'approve', { ...preferences, approveWith: 'once' }),
		Deny: chooseOption(options, 'deny', preferences),
	};
	const choices = readChoices(options, preferences);
	const ordered = CHOICE_ORDER.flatMap((name) => {
		const named = choices.filter((choice) => choice.name === name);
		const chosen = named.filter(({ value }) => value === preferred[name]);
		// Beside the preferred one, an option that the credential's words turn into its opposite isn't offered.
		const isClear = (choice: (typeof named)[number]) =>
			chosen.length === 0 || [undefined, choice.side].includes(readMeaning(choice).side);
		const others = named.filter((choice) => !chosen.includes(choice) && isClear(choice));
		return [...chosen, ...others].map((choice) => ({ ...choice, name }));
	});
	const once = ordered.find(({ name }) => name === 'Approve once')?.value;
	const all = ordered.map((choice): Choice => {
		const { name, value, label, side, lasts } = choice;
		const words = findWords(choice, ordered);
		const lastsFor = readDuration(choice);
		return {
			name,
			...(words !== undefined && { words }),
			...(lasts && {
				hint: LASTING_HINT,
				serviceSays: readServiceWords(interaction, value, label),
			}),
			vote: {
				decision: side === 'deny' ? 'deny' : 'approve',
				option: value,
				...(once !== undefined && { once }),
				...(lastsFor && { lastsFor }),
				choice: name,
			},
		};
	});
	return offersFromNowOn && readWholeRequest(interaction) ? addFromNowOn(all) : all;
}

function addFromNowOn(all: readonly Choice[]): Choice[] {
	const once = all.filter(({ name }) => name === 'Approve once').slice(0, 1);
	const fromNowOn = once.map(({ vote }): Choice => ({
		name: FROM_NOW_ON,
		hint: FROM_NOW_ON_HINT,
		vote: { ...vote, choice: FROM_NOW_ON, fromNowOn: true },
	}));
	const lasting = all.filter(({ serviceSays }) => serviceSays);
	return [...all.filter((each) => !lasting.includes(each)), ...fromNowOn, ...lasting];
}
