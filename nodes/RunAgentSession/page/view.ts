import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { asText, digest } from '../../shared/base/values';
import {
	choicesOf,
	chooseOption,
	type Choice,
	type OptionPreferences,
} from '../../shared/session/interactionOptions';
import { contentOf, type Interaction, type Session } from '../../shared/session/session';
import { shownRequests } from '../askedInteractions';
import { plan, type Ledger } from '../ledger';
import type { PageAnswers, Policy, Settled } from '../permissionPolicy';
import type { Job } from '../run';

// A question that is answered on a page: the link to it, what the page shows of a session as it is now, and what a person may choose there.

/** What a person was asked by one link. */
export interface Question {
	/** A secret of 128 bits, on n8n 1 the only one */
	nonce: string;
	/** What stands for each of the requests that it is about: those that were asked, or that were answered on its page */
	contents: string[];
	/** Whether a person has answered it */
	answered?: boolean;
}

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

export const newQuestion = (contents: string[]): Question => ({
	nonce: randomBytes(16).toString('base64url'),
	contents,
});

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

/** In the URL's query */
export const NONCE = 'question';

/** Where the page of a question is: n8n's own address for going on with the execution, which n8n 2 signs. */
export function approvalUrl(
	context: Pick<IExecuteFunctions, 'getNode' | 'getWorkflowDataProxy'>,
	{ nonce }: Question,
): string {
	const { $execution } = context.getWorkflowDataProxy(0);
	const { resumeUrl } = $execution as { resumeUrl: string };
	const url = new URL(resumeUrl);
	url.pathname += `/${context.getNode().id}`;
	url.searchParams.set(NONCE, nonce);
	return url.href;
}

const hash = (text: string) => createHash('sha256').update(text).digest();

/** The question that a nonce belongs to, and the record that it is in. Takes the same time whichever it is. */
export function questionOf<T extends { page?: { questions: Question[] } }>(
	records: readonly T[],
	nonce: unknown,
): { record: T; question: Question; isOpen: boolean } | undefined {
	const given = hash(typeof nonce === 'string' ? nonce : '');
	const all = records.flatMap((record) => {
		const { questions = [] } = record.page ?? {};
		return questions.map((question, index) => {
			const isOpen = index === questions.length - 1 && !question.answered;
			return { record, question, isOpen };
		});
	});
	const [found] = all.filter(({ question }) => timingSafeEqual(given, hash(question.nonce)));
	return found;
}

/** What can be chosen, in our words and in this order */
const LABELS = ['Allow once', 'Allow', 'Deny', 'Allow from now on'] as const;

/** One thing that a person can choose for a request, in our words and in the service's. */
export interface PageChoice extends Pick<Settled, 'decision' | 'option'> {
	label: (typeof LABELS)[number];
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
	const times = new Map<string, number>();
	for (const { value } of offered) times.set(String(value), (times.get(String(value)) ?? 0) + 1);
	const options = offered.filter(({ value }) => times.get(String(value)) === 1);
	const once = chooseOption(options, 'approve', { ...preferences, approveWith: 'once' });
	const deny = chooseOption(options, 'deny', preferences);
	const labelOf = (option: Choice): PageChoice['label'] | undefined => {
		const says = (alone: OptionPreferences) =>
			chooseOption([option], 'approve', alone) !== undefined;
		const isOnce = says({ approveWith: 'once' });
		if (option.value === deny) return 'Deny';
		if (option.value === once) return isOnce ? 'Allow once' : 'Allow';
		const lasts = !isOnce && says({ ...preferences, approveWith: 'always' });
		return lasts ? 'Allow from now on' : undefined;
	};
	const labels = new Map(options.map((option) => [option, labelOf(option)]));
	return LABELS.flatMap((label) =>
		options
			.filter((option) => labels.get(option) === label)
			.map(({ value, label: word }) => ({
				option: value,
				label,
				decision: label === 'Deny' ? 'deny' : 'approve',
				serviceSays: word ? `${word} (${value})` : String(value),
			})),
	);
}

/** What a session asks for that a person has not decided yet. */
export function pendingOf(
	session: Session,
	ledger: Ledger,
	preferences: OptionPreferences,
): Pending {
	const { undecided } = plan(ledger, session, ASK);
	const requests = shownRequests(undecided).map(({ interaction, because }): PageRequest => {
		const isWhole = asText(interaction).length <= LONGEST_REQUEST;
		const isForPolicy = because === 'policy';
		const choices = (isForPolicy ? pageChoices(interaction, preferences) : []).filter(
			({ decision }) => isWhole || decision === 'deny',
		);
		const why = isForPolicy ? 'none of its options is clear' : because;
		return {
			interaction,
			content: contentOf(interaction) ?? '',
			isWhole,
			choices,
			...(choices.length === 0 && { because: isWhole ? why : 'it is too long to be shown whole' }),
		};
	});
	const contents = requests.map(({ content }) => content);
	const shown = digest(JSON.stringify([session.sessionId, contents]));
	return { requests, more: undecided.length - requests.length, shown };
}

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
		answers[content] = { decision: chosen.decision, option: chosen.option, ...comment };
	}
	return Object.keys(answers).length > 0 ? answers : 'incomplete';
}
