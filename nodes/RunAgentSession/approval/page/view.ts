import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { toText, fingerprint } from '../../../shared/values';
import {
	readOptions,
	chooseOption,
	type Option,
	type OptionPreferences,
} from '../../../shared/approvals/options';
import { fingerprintContent, type Interaction, type Session } from '../../../shared/client/session';
import { shownRequests } from '../request';
import { planDecisions, type Ledger } from '../../session/ledger';
import type { PageAnswers, Policy, SettledVerdict } from '../../policy/rules';

// A question that is answered on a page: the link to it, what the page shows of a session as it is now, and what a person may choose there.

/** What a person was asked by one link. */
export interface PageLink {
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
	questions: PageLink[];
	answers: PageAnswers;
	preferences: OptionPreferences;
	/** Whether the agent gets comments */
	sendComments?: boolean;
	/** For the agent, until it is sent */
	comment?: string;
}

/** The settings of an item that its page needs */
interface LinkSettings {
	policy: OptionPreferences;
	sendComments?: boolean;
}

export const createLink = (contents: string[]): PageLink => ({
	nonce: randomBytes(16).toString('base64url'),
	contents,
});

export const addLink = (
	before: PageRecord | undefined,
	question: PageLink,
	{ policy: { approveWith, approveValues, denyValues }, sendComments }: LinkSettings,
): PageRecord => ({
	answers: {},
	...before,
	questions: [...(before?.questions ?? []), question],
	preferences: { approveWith, approveValues, denyValues },
	sendComments,
});

/** In the URL's query */
export const NONCE_PARAMETER = 'question';

/** Where the page of a question is: n8n's own address for going on with the execution, which n8n 2 signs. */
export function approvalUrl(
	context: Pick<IExecuteFunctions, 'getNode' | 'getWorkflowDataProxy'>,
	{ nonce }: PageLink,
): string {
	const { $execution } = context.getWorkflowDataProxy(0);
	const { resumeUrl } = $execution as { resumeUrl: string };
	const url = new URL(resumeUrl);
	url.pathname += `/${context.getNode().id}`;
	url.searchParams.set(NONCE_PARAMETER, nonce);
	return url.href;
}

const hash = (text: string) => createHash('sha256').update(text).digest();

/** The question that a nonce belongs to, and the record that it is in. Takes the same time whichever it is. */
export function findLink<T extends { page?: { questions: PageLink[] } }>(
	records: readonly T[],
	nonce: unknown,
): { record: T; question: PageLink; isOpen: boolean } | undefined {
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
const CHOICE_LABELS = ['Allow once', 'Allow', 'Deny', 'Allow from now on'] as const;

/** One thing that a person can choose for a request, in our words and in the service's. */
export interface PageChoice extends Pick<SettledVerdict, 'decision' | 'option'> {
	label: (typeof CHOICE_LABELS)[number];
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
export interface PageForm {
	requests: PageRequest[];
	more: number;
	shown: string;
}

/** Characters of a request that is shown whole */
const MAX_REQUEST_SHOWN = 50_000;
export const MAX_COMMENT_LENGTH = 2_000;

const ASK_POLICY: Policy = { mode: 'ask', rules: [], defaultDecision: 'ask', approveWith: 'once' };

/** What a person can choose among the options of a request. An option that nobody can tell the meaning of is none. */
export function pageChoices(
	interaction: Interaction,
	preferences: OptionPreferences,
): PageChoice[] {
	const offered = readOptions(interaction);
	const times = new Map<string, number>();
	for (const { value } of offered) times.set(String(value), (times.get(String(value)) ?? 0) + 1);
	const options = offered.filter(({ value }) => times.get(String(value)) === 1);
	const once = chooseOption(options, 'approve', { ...preferences, approveWith: 'once' });
	const deny = chooseOption(options, 'deny', preferences);
	const labelOf = (option: Option): PageChoice['label'] | undefined => {
		const says = (alone: OptionPreferences) =>
			chooseOption([option], 'approve', alone) !== undefined;
		const isOnce = says({ approveWith: 'once' });
		if (option.value === deny) return 'Deny';
		if (option.value === once) return isOnce ? 'Allow once' : 'Allow';
		const lasts = !isOnce && says({ ...preferences, approveWith: 'always' });
		return lasts ? 'Allow from now on' : undefined;
	};
	const labels = new Map(options.map((option) => [option, labelOf(option)]));
	return CHOICE_LABELS.flatMap((label) =>
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
export function createForm(
	session: Session,
	ledger: Ledger,
	preferences: OptionPreferences,
): PageForm {
	const { undecided } = planDecisions(ledger, session, ASK_POLICY);
	const requests = shownRequests(undecided).map(({ interaction, because }): PageRequest => {
		const isWhole = toText(interaction).length <= MAX_REQUEST_SHOWN;
		const isForPolicy = because === 'policy';
		const choices = (isForPolicy ? pageChoices(interaction, preferences) : []).filter(
			({ decision }) => isWhole || decision === 'deny',
		);
		const why = isForPolicy ? 'none of its options is clear' : because;
		return {
			interaction,
			content: fingerprintContent(interaction) ?? '',
			isWhole,
			choices,
			...(choices.length === 0 && { because: isWhole ? why : 'it is too long to be shown whole' }),
		};
	});
	const contents = requests.map(({ content }) => content);
	const shown = fingerprint(JSON.stringify([session.sessionId, contents]));
	return { requests, more: undecided.length - requests.length, shown };
}

/**
 * What was sent with the page's form, for exactly what is pending.
 * @returns the answers, or what keeps them from being any: `changed`, where the page showed something else, and `incomplete`
 */
export function readForm(
	{ requests, shown }: PageForm,
	body: IDataObject,
): PageAnswers | 'changed' | 'incomplete' {
	if (body.shown !== shown) return 'changed';
	const text = typeof body.comment === 'string' ? body.comment.trim() : '';
	const comment = text === '' ? {} : { comment: text.slice(0, MAX_COMMENT_LENGTH) };
	const answers: PageAnswers = {};
	for (const [index, { content, choices }] of requests.entries()) {
		if (choices.length === 0) continue;
		const chosen = choices.find((_, at) => body[`request${index}`] === String(at));
		if (!chosen) return 'incomplete';
		answers[content] = { decision: chosen.decision, option: chosen.option, ...comment };
	}
	return Object.keys(answers).length > 0 ? answers : 'incomplete';
}
