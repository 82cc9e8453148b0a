import {
	chooseOption,
	readChoices,
	readDuration,
	readMeaning,
	readOptions,
	type ChoiceName,
	type LastsFor,
	type OptionPreferences,
} from '../../shared/approvals/options';
import { readWholeRequest } from '../../shared/approvals/rememberedRequest';
import type { Interaction } from '../../shared/client/session';
import { isRecord, toText } from '../../shared/values';

/** Sends the option of Approve once. The workflow gets rules for later requests. */
export const FROM_NOW_ON = 'Approve from now on';

export type PageChoiceName = ChoiceName | typeof FROM_NOW_ON;

const MAX_PAGE_OPTIONS = 100;

const CHOICE_ORDER: readonly ChoiceName[] = [
	'Approve once',
	'Deny',
	'Always approve',
	'Always deny',
];

export interface PageChoice {
	decision: 'approve' | 'deny';
	option: string;
	name: PageChoiceName;
	/** The name and, where two options have the same, the service's words */
	shownAs: string;
	serviceSays: string;
	description?: string;
	/** If it lasts, and its words say for how long */
	lastsFor?: LastsFor;
}

function findDescription(
	{ response }: Interaction,
	value: string,
): Pick<PageChoice, 'description'> {
	const { options } = isRecord(response) ? response : {};
	const found = Array.isArray(options)
		? options.filter(isRecord).find((option) => option.value === value)
		: undefined;
	const { description } = found ?? {};
	return description === undefined || description === ''
		? {}
		: { description: toText(description) };
}

/** Returns the choices for a request's options, the one that the policy prefers first. Skips options with an unclear meaning. */
export function pageChoices(
	interaction: Interaction,
	preferences: OptionPreferences,
	offersFromNowOn = false,
): PageChoice[] {
	const options = readOptions(interaction);
	if (options.length > MAX_PAGE_OPTIONS) return [];
	const preferred: Partial<Record<ChoiceName, string>> = {
		'Approve once': chooseOption(options, 'approve', { ...preferences, approveWith: 'once' }),
		Deny: chooseOption(options, 'deny', preferences),
	};
	const choices = readChoices(options, preferences);
	const all = CHOICE_ORDER.flatMap((name): PageChoice[] => {
		const named = choices.filter((choice) => choice.name === name);
		const chosen = named.filter(({ value }) => value === preferred[name]);
		// Beside the preferred one, an option that the credential's words turn into its opposite isn't offered.
		const isClear = (choice: (typeof named)[number]) =>
			chosen.length === 0 || [undefined, choice.side].includes(readMeaning(choice).side);
		const others = named.filter((choice) => !chosen.includes(choice) && isClear(choice));
		return [...chosen, ...others].map((choice) => {
			const { value, label, side, shownAs } = choice;
			const lastsFor = readDuration(choice);
			return {
				option: value,
				name,
				shownAs,
				decision: side === 'deny' ? ('deny' as const) : ('approve' as const),
				serviceSays: label || String(value),
				...findDescription(interaction, value),
				...(lastsFor && { lastsFor }),
			};
		});
	});
	return offersFromNowOn && readWholeRequest(interaction) ? addFromNowOn(all) : all;
}

function addFromNowOn(all: readonly PageChoice[]): PageChoice[] {
	const isLasting = ({ name }: PageChoice) => name === 'Always approve' || name === 'Always deny';
	const once = all.filter(({ name }) => name === 'Approve once').slice(0, 1);
	const fromNowOn = once.map((choice): PageChoice => ({
		...choice,
		name: FROM_NOW_ON,
		shownAs: FROM_NOW_ON,
	}));
	return [...all.filter((each) => !isLasting(each)), ...fromNowOn, ...all.filter(isLasting)];
}
