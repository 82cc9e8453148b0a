import type { IDataObject } from 'n8n-workflow';

import {
	choicesOf,
	chooseOption,
	type Choice,
	type OptionPreferences,
} from '../../shared/session/interactionOptions';
import { contentOf, type Interaction, type Session } from '../../shared/session/session';
import { digest } from '../../shared/base/values';
import { shownRequests } from '../askedInteractions';
import { plan, type Ledger, type Line } from '../ledger';
import type { Policy } from '../permissionPolicy';
import type { Job } from '../run';
import type { Question } from './links';

// What the page of a question shows of a session as it is now, and what a person may choose on it. Pure.

/** What a person chose for a request. */
export interface PageAnswer {
	decision: 'approve' | 'deny';
	/** The option's value, with the type that the service gave it */
	option: Choice['value'];
	comment?: string;
}

/** What is kept of the answers to a session's questions: by what stands for the request. */
export type PageAnswers = Record<string, PageAnswer>;

/** What is kept of the questions of a session. */
export interface PageRecord {
	/** Each with a link of its own, the latest last */
	questions: Question[];
	answers: PageAnswers;
	preferences: OptionPreferences;
	/** Whether the agent gets comments */
	sendComments?: boolean;
	/** For the agent, until it is sent */
	comment?: string;
}

/** The record with another question. */
export const withQuestion = (
	before: PageRecord | undefined,
	question: Question,
	{ policy: { approveWith, approveValues, denyValues }, sendComments }: Job,
): PageRecord => ({
	answers: {},
	...before,
	questions: [...(before?.questions ?? []), question],
	preferences: { approveWith, approveValues, denyValues },
	sendComments,
});

/** One thing that a person can choose for a request, in our words and in the service's. */
export interface PageChoice extends Pick<PageAnswer, 'decision' | 'option'> {
	label: 'Allow once' | 'Allow' | 'Allow from now on' | 'Deny';
	serviceSays: string;
}

export interface PageRequest {
	interaction: Interaction;
	content: string;
	/** Whether the page shows all of it; if not, nobody can allow there what is not shown */
	isWhole: boolean;
	/** None where a person has to decide it elsewhere */
	choices: PageChoice[];
	/** Why, where there are none */
	because?: string;
}

/** What is open, and what stands for all of it: an answer to something else decides nothing. */
export interface Pending {
	requests: PageRequest[];
	more: number;
	shown: string;
}

/** Characters of a request that is shown whole */
const LONGEST_REQUEST = 50_000;
export const LONGEST_COMMENT = 2_000;

const ASK: Policy = { mode: 'ask', rules: [], defaultDecision: 'ask', approveWith: 'once' };

/** What a person can choose among the options of a request. An option that nobody can tell the meaning of is none. */
export function pageChoices(
	interaction: Interaction,
	preferences: OptionPreferences,
): PageChoice[] {
	const offered = choicesOf(interaction);
	const isPlain = ({ value }: Choice) =>
		offered.filter((other) => String(other.value) === String(value)).length === 1;
	const options = offered.filter(isPlain);
	const says = (options: Choice[], decision: 'approve' | 'deny', approveWith: 'once' | 'always') =>
		chooseOption(options, decision, { ...preferences, approveWith });
	const byWords = (option: Choice, approveWith: 'once' | 'always') =>
		chooseOption([option], 'approve', { approveWith }) !== undefined;
	const chosen = (
		option: Choice['value'] | undefined,
		label: PageChoice['label'],
		decision: 'approve' | 'deny',
	): PageChoice[] => {
		const { value, label: word } = options.find((each) => each.value === option) ?? {};
		if (value === undefined) return [];
		const serviceSays = word ? `${word} (${value})` : String(value);
		return [{ option: value, label, decision, serviceSays }];
	};
	const once = says(options, 'approve', 'once');
	const isOnce = options.some((each) => each.value === once && byWords(each, 'once'));
	const lasting = options.filter(
		(each) => each.value !== once && !byWords(each, 'once') && says([each], 'approve', 'always'),
	);
	return [
		...chosen(once, isOnce ? 'Allow once' : 'Allow', 'approve'),
		...chosen(says(options, 'deny', 'once'), 'Deny', 'deny'),
		...lasting.flatMap(({ value }) => chosen(value, 'Allow from now on', 'approve')),
	];
}

/** What a session asks for that a person has not decided yet. */
export function pendingOf(
	session: Session,
	ledger: Ledger,
	preferences: OptionPreferences,
): Pending {
	const { undecided } = plan(ledger, session, ASK);
	const interactions = shownRequests(undecided.map(({ interaction }) => interaction));
	const requests = interactions.map((interaction, index): PageRequest => {
		const { because } = undecided[index];
		const content = contentOf(interaction);
		const isWhole = JSON.stringify(interaction).length <= LONGEST_REQUEST;
		const choices = because === 'policy' ? pageChoices(interaction, preferences) : [];
		const usable = choices.filter(({ decision }) => isWhole || decision === 'deny');
		const why = because === 'policy' ? 'none of its options is clear' : because;
		return {
			interaction,
			content: content ?? '',
			isWhole,
			choices: usable,
			...(usable.length === 0 && { because: isWhole ? why : 'it is too long to be shown whole' }),
		};
	});
	const { sessionId } = session;
	const shown = digest(JSON.stringify([sessionId, requests.map(({ content }) => content)]));
	return { requests, more: undecided.length - requests.length, shown };
}

/** The lines of what became of a question's requests. */
export const answeredLines = (ledger: Ledger, { contents }: Question): Line[] =>
	ledger.filter(({ content }) => contents.includes(content));

/**
 * What was sent with the page's form, for exactly what is pending.
 * @returns the answers, or what keeps them from being any: `changed`, where the page showed something else, and `incomplete`
 */
export function readForm(
	{ requests, shown }: Pending,
	body: IDataObject,
): PageAnswers | 'changed' | 'incomplete' {
	if (body.shown !== shown) return 'changed';
	const text = typeof body.comment === 'string' ? body.comment.trim() : '';
	const comment = text === '' ? {} : { comment: text.slice(0, LONGEST_COMMENT) };
	const answers: PageAnswers = {};
	for (const [index, { content, choices }] of requests.entries()) {
		if (choices.length === 0) continue;
		const chosen = choices.find((_, at) => body[`request${index}`] === String(at));
		if (!chosen) return 'incomplete';
		const { decision, option } = chosen;
		answers[content] = { decision, option, ...comment };
	}
	return Object.keys(answers).length > 0 ? answers : 'incomplete';
}
