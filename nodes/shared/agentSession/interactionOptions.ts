import { isRecord } from '../values';
import type { Interaction } from './session';

// How "approve" and "deny" are said in the words of an interaction's own options.

type Choice = { value: string; label?: string };

/** Which approval to prefer where there is one for now and one for good. */
export type ApproveWith = 'once' | 'always';

// Words by which an option is known (design: unstated names), the preferred first.
const APPROVE = ['once', 'allow_once', 'allow', 'approve', 'accept', 'yes', 'always'];
const DENY = ['reject', 'deny', 'decline', 'no'];
/** Words that turn another one round, or belong to neither side. */
const NEGATIONS = ['not', 'never', 'dont', 'don', 'without', 'cancel', 'disallow'];
const QUALIFIERS = ['once', 'always'];

const wordsOf = (text: string) =>
	text
		.replace(/([a-z])([A-Z])/g, '$1_$2')
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean);

type Side = 'approve' | 'deny' | 'unclear' | 'unknown';

function sideOf(words: string[]): Side {
	const says = (list: string[]) => words.some((word) => list.includes(word));
	const denies = says(DENY);
	const approves = says(APPROVE.filter((word) => !QUALIFIERS.includes(word)));
	if (says(NEGATIONS) || (denies && approves)) return 'unclear';
	if (denies) return 'deny';
	return approves || says(QUALIFIERS) ? 'approve' : 'unknown';
}

/** How far down the list of preferred words an option stands; less is better. */
function rank(words: string[], preferred: string[]): number {
	const place = (word: string) => {
		const index = preferred.indexOf(word);
		return index < 0 ? preferred.length : index;
	};
	// "always allow" is an approval for good, whatever else it says.
	return words.includes('always') ? place('always') + 0.5 : Math.min(...words.map(place));
}

/** The value of the option that says `decision`, or undefined where none says it clearly. No match, no guess. */
export function chooseOption(
	options: Choice[],
	decision: 'approve' | 'deny',
	approveWith: ApproveWith,
): string | undefined {
	const preferred =
		decision === 'deny' ? DENY : approveWith === 'always' ? ['always', ...APPROVE] : APPROVE;
	const candidates = options.flatMap((option) => {
		const byValue = wordsOf(option.value);
		const byLabel = wordsOf(option.label ?? '');
		const sides = [sideOf(byValue), sideOf(byLabel)].filter((side) => side !== 'unknown');
		if (sides.length === 0 || sides.some((side) => side !== decision)) return [];
		return [
			{
				value: option.value,
				rank: rank(sideOf(byValue) === 'unknown' ? byLabel : byValue, preferred),
			},
		];
	});
	const best = Math.min(...candidates.map((candidate) => candidate.rank));
	const values = [
		...new Set(
			candidates.filter((candidate) => candidate.rank === best).map((candidate) => candidate.value),
		),
	];
	return values.length === 1 ? values[0] : undefined;
}

export function choicesOf(interaction: Interaction): Choice[] {
	const { response } = interaction;
	const options = isRecord(response) ? response.options : undefined;
	if (!Array.isArray(options)) return [];
	return options.filter((option): option is Choice => typeof option?.value === 'string');
}
