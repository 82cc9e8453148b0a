import { createHash, timingSafeEqual } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { toText, fingerprint, isRecord } from '../../../shared/values';
import {
	chooseOption,
	readChoices,
	readOptions,
	type ChoiceName,
	type Option,
	type OptionPreferences,
} from '../../../shared/approvals/options';
import {
	fingerprintContent,
	requestKey,
	type Interaction,
	type Session,
} from '../../../shared/client/session';
import {
	createNonce,
	describeVotes,
	hasVoted,
	listVoided,
	tallyVotes,
	type Team,
	type Vote,
	type VoteStatus,
} from '../approvers';
import { describeRequest } from '../details';
import { shownRequests } from '../request';
import { FROM_NOW_ON, type PageChoiceName, type SentAnswer, type SentChoice } from '../sent';
import { canBeRemembered } from '../../policy/moreRules';
import { planDecisions, type Ledger, type LedgerLine } from '../../session/ledger';
import {
	judge,
	type AskVerdict,
	type PageAnswers,
	type Policy,
	type SettledVerdict,
} from '../../policy/rules';
import type { AnswerDeadline } from '../times';

export interface PageLink {
	/** A secret of 128 bits. n8n 1 has no other. */
	nonce: string;
	/** Fingerprints of the requests that were left for approvers when the link was sent */
	contents: string[];
	deadline?: AnswerDeadline;
	offersFromNowOn?: true;
	/** Never replaced by a second answer */
	sent?: SentAnswer;
	/** With several approvers, who have their own nonces instead of the one above */
	team?: Team;
}

export interface PageRecord {
	/** The latest is last */
	questions: PageLink[];
	answers: PageAnswers;
	preferences: OptionPreferences;
	/** True if every request is left for approvers, so the page can also offer new ones */
	asksAlways?: boolean;
	sendComments?: boolean;
	/** Comment for the agent, until it's sent */
	comment?: string;
}

interface LinkSettings {
	policy: OptionPreferences & Pick<Policy, 'mode'>;
	sendComments?: boolean;
}

export const createLink = (
	contents: string[],
	deadline?: AnswerDeadline,
	offersFromNowOn = false,
): PageLink => ({
	nonce: createNonce(),
	contents,
	...(deadline && { deadline }),
	...(offersFromNowOn && { offersFromNowOn }),
});

export const addLink = (
	before: PageRecord | undefined,
	question: PageLink,
	{ policy: { mode, approveWith, approveValues, denyValues }, sendComments }: LinkSettings,
): PageRecord => ({
	answers: {},
	...before,
	questions: [...(before?.questions ?? []), question],
	preferences: { approveWith, approveValues, denyValues },
	asksAlways: mode === 'ask',
	sendComments,
});

export const NONCE_PARAMETER = 'question';

/** n8n asks only the node that paused last, so all nodes have the same path. */
export const PAGE_PATH = 'approval';

/** Returns n8n's address for resuming the execution, with the nonce. In n8n 2, it also has n8n's token. */
export function approvalUrl(
	context: Pick<IExecuteFunctions, 'getWorkflowDataProxy'>,
	{ nonce }: Pick<PageLink, 'nonce'>,
): string {
	const { $execution } = context.getWorkflowDataProxy(0);
	const { resumeUrl } = $execution as { resumeUrl: string };
	const url = new URL(resumeUrl);
	url.pathname += `/${PAGE_PATH}`;
	url.searchParams.set(NONCE_PARAMETER, nonce);
	return url.href;
}

const hash = (text: string) => createHash('sha256').update(text).digest();

export interface FoundLink<T> {
	record: T;
	question: PageLink;
	nonce: string;
	approver?: number;
	isOpen: boolean;
}

/** Finds the link with a nonce. Takes the same time for every nonce, so the time doesn't help to guess one. */
export function findLink<T extends { page?: { questions: PageLink[] } }>(
	records: readonly T[],
	nonce: unknown,
): FoundLink<T> | undefined {
	const given = hash(typeof nonce === 'string' ? nonce : '');
	const all = records.flatMap((record) => {
		const { questions = [] } = record.page ?? {};
		return questions.flatMap((question, index): Array<FoundLink<T>> => {
			const { team, sent } = question;
			const isOpen = team !== undefined || (index === questions.length - 1 && !sent);
			const common = { record, question, isOpen };
			return team
				? team.approvers.map((each, at) => ({ ...common, nonce: each.nonce, approver: at }))
				: [{ ...common, nonce: question.nonce }];
		});
	});
	const [found] = all.filter((link) => timingSafeEqual(given, hash(link.nonce)));
	return found;
}

/** Returns whether a link of a session still takes an answer. */
export function hasOpenLink({
	page,
	pending = [],
}: {
	page?: PageRecord;
	pending?: readonly Interaction[];
}): boolean {
	if (!page || pending.length === 0) return false;
	return page.questions.some(({ team, sent }, index) =>
		team
			? team.keys.some((key) => pending.some((each) => requestKey(each) === key))
			: index === page.questions.length - 1 && !sent,
	);
}

const CHOICE_ORDER: readonly ChoiceName[] = [
	'Approve once',
	'Deny',
	'Always approve',
	'Always deny',
];

export interface PageChoice extends Pick<SettledVerdict, 'decision' | 'option'> {
	name: PageChoiceName;
	serviceSays: string;
	description?: string;
}

export interface PageRequest {
	interaction: Interaction;
	content: string;
	/** If false, an approver can only deny it on the page */
	isWhole: boolean;
	/** Empty if the page can't decide it */
	choices: PageChoice[];
	because?: string;
	/** True if the agent has asked for it since the link was sent */
	isNew: boolean;
	status?: VoteStatus;
	/** Approvers whose answers don't count anymore, because the request has changed */
	voided?: string[];
}

/** The requests to decide now. An answer counts only with their fingerprint, `shown`. */
export interface PageForm {
	requests: PageRequest[];
	/** Number of requests left for other messages */
	more: number;
	shown: string;
	decided: LedgerLine[];
}

/** In characters of JSON */
const MAX_REQUEST_SHOWN = 50_000;
export const MAX_COMMENT_LENGTH = 2_000;
const MAX_PAGE_OPTIONS = 100;
const MAX_DECIDED_SHOWN = 10;

const ASK_POLICY: Policy = { mode: 'ask', rules: [], defaultDecision: 'ask', approveWith: 'once' };
/** Only a request with this reason can be decided on the page. */
const { because: ASKED_BY_POLICY } = judge(
	{ id: 'id', type: 'permission' },
	ASK_POLICY,
) as AskVerdict;

function findDescription(
	{ response }: Interaction,
	value: Option['value'],
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

/** Returns the choices for a request's options. Skips options with an unclear meaning. */
export function pageChoices(
	interaction: Interaction,
	preferences: OptionPreferences,
	offersFromNowOn = false,
): PageChoice[] {
	const options = readOptions(interaction);
	if (options.length > MAX_PAGE_OPTIONS) return [];
	// One option per name: the one that the policy would send.
	const preferred: Partial<Record<ChoiceName, Option['value']>> = {
		'Approve once': chooseOption(options, 'approve', { ...preferences, approveWith: 'once' }),
		Deny: chooseOption(options, 'deny', preferences),
	};
	const choices = readChoices(options, preferences);
	const all = CHOICE_ORDER.flatMap((name): PageChoice[] => {
		const named = choices.filter((choice) => choice.name === name);
		const chosen = named.filter(({ value }) => value === preferred[name]);
		return (chosen.length > 0 ? chosen : named).map(({ value, label, side }) => ({
			option: value,
			name,
			decision: side === 'deny' ? ('deny' as const) : ('approve' as const),
			serviceSays: label || String(value),
			...findDescription(interaction, value),
		}));
	});
	return offersFromNowOn && canBeRemembered(interaction) ? addFromNowOn(all) : all;
}

function addFromNowOn(all: readonly PageChoice[]): PageChoice[] {
	const isLasting = ({ name }: PageChoice) => name === 'Always approve' || name === 'Always deny';
	const once = all.filter(({ name }) => name === 'Approve once').slice(0, 1);
	const fromNowOn = once.map((choice): PageChoice => ({ ...choice, name: FROM_NOW_ON }));
	return [...all.filter((each) => !isLasting(each)), ...fromNowOn, ...all.filter(isLasting)];
}

function toPageRequest(
	{ interaction, because }: { interaction: Interaction; because: string },
	{ preferences }: PageRecord,
	{ offersFromNowOn }: PageLink,
	isNew: boolean,
	isOffered: boolean,
): PageRequest {
	const isWhole = toText(interaction).length <= MAX_REQUEST_SHOWN;
	const canDecide = because === ASKED_BY_POLICY;
	const offered =
		canDecide && isOffered ? pageChoices(interaction, preferences, offersFromNowOn) : [];
	const choices = offered.filter(({ decision }) => isWhole || decision === 'deny');
	const unclear = isWhole ? 'none of its options is clear' : 'it is too long to be shown whole';
	const content = fingerprintContent(interaction) ?? '';
	const why = { because: canDecide ? unclear : because };
	return {
		interaction,
		content,
		isWhole,
		choices,
		isNew,
		...(choices.length === 0 && (isOffered || !canDecide) && why),
	};
}

/** Returns the requests of a link. Later ones have choices only with `asksAlways`, because rules come first otherwise. */
export function createForm(
	session: Session,
	ledger: Ledger,
	page: PageRecord,
	link: PageLink,
	approver?: number,
): PageForm {
	const planned = planDecisions(ledger, session, ASK_POLICY);
	const undecided = planned.undecided.filter(({ interaction }) =>
		isForLink(interaction, page, link, approver),
	);
	const all = undecided.map((request): PageRequest => {
		const { team, contents } = link;
		const content = fingerprintContent(request.interaction) ?? '';
		const isNew = !team && !contents.includes(content);
		const shown = toPageRequest(request, page, link, isNew, !isNew || page.asksAlways === true);
		if (!team || approver === undefined) return shown;
		const voided = listVoided(page.questions, { id: request.interaction.id, content });
		return { ...shown, status: describeVotes(team, content, approver), voided };
	});
	// Requests that can be decided come first, because the number shown is limited.
	const ordered = [
		...all.filter(({ choices }) => choices.length > 0),
		...all.filter(({ choices }) => choices.length === 0),
	];
	const requests = shownRequests(ordered);
	const offered = requests
		.filter(({ choices }) => choices.length > 0)
		.map(({ content, choices }) => [content, choices.map(({ name, option }) => [name, option])]);
	const shown = fingerprint(JSON.stringify([session.sessionId, offered]));
	const decided = ledger.filter(
		({ content, record }) => record.decidedBy !== 'page' && !link.contents.includes(content),
	);
	return {
		requests,
		more: undecided.length - requests.length,
		shown,
		decided: decided.slice(-MAX_DECIDED_SHOWN),
	};
}

/** Returns whether a link can answer a request. Requests of several approvers belong to their links only. */
function isForLink(
	interaction: Interaction,
	{ questions }: PageRecord,
	{ team }: PageLink,
	approver = 0,
): boolean {
	const key = requestKey(interaction);
	if (!team) return !questions.some((question) => question.team?.keys.includes(key));
	const content = fingerprintContent(interaction) ?? '';
	const isOpen = !hasVoted(team, approver, content) && !tallyVotes(team, content);
	return team.keys.includes(key) && isOpen;
}

export const toVotes = (
	{ requests }: PageForm,
	answers: PageAnswers,
	{ choices: chosen, at }: SentAnswer,
	approver: number,
): Vote[] =>
	chosen.map((choice): Vote => {
		const { interaction, choices } = requests.find(({ content }) => content === choice.content)!;
		const once = choices.find(({ name }) => name === 'Approve once')?.option;
		return {
			approver,
			interactionId: interaction.id,
			answer: answers[choice.content],
			choice,
			...(once !== undefined && { once }),
			at,
		};
	});

/** Reads the sent form. Returns `changed` if the page showed other requests, and `incomplete` if a choice is missing. */
export function readForm(
	{ requests, shown }: PageForm,
	body: unknown,
): PageAnswers | 'changed' | 'incomplete' {
	if (!isRecord(body) || body.shown !== shown) return 'changed';
	const text = typeof body.comment === 'string' ? body.comment.trim() : '';
	const comment = text === '' ? {} : { comment: text.slice(0, MAX_COMMENT_LENGTH) };
	const answers: PageAnswers = {};
	for (const [index, { content, choices }] of requests.entries()) {
		if (choices.length === 0) continue;
		const chosen = choices.find((_, at) => body[`request${index}`] === String(at));
		if (!chosen) return 'incomplete';
		const { decision, option, name } = chosen;
		const fromNowOn = name === FROM_NOW_ON ? { fromNowOn: true as const } : {};
		answers[content] = { decision, option, ...fromNowOn, ...comment };
	}
	return Object.keys(answers).length > 0 ? answers : 'incomplete';
}

const MAX_REPEATED_LENGTH = 500;
const MAX_REPEATED = 10;

/** Returns the part of an answer that the page repeats. */
export function describeAnswer(
	{ requests }: PageForm,
	answers: PageAnswers,
	at: number,
): SentAnswer {
	const clip = (text: string) => text.slice(0, MAX_REPEATED_LENGTH);
	const choices = requests.flatMap(({ interaction, content, choices: offered }): SentChoice[] => {
		const { option: value, fromNowOn = false } = answers[content] ?? {};
		const chosen = offered.find(
			({ option, name }) => option === value && fromNowOn === (name === FROM_NOW_ON),
		);
		if (!chosen) return [];
		const { permission, targets } = describeRequest(interaction);
		return [
			{
				name: chosen.name,
				decision: chosen.decision,
				content,
				permission: clip(permission.text),
				targets: targets.slice(0, MAX_REPEATED).map(({ text }) => clip(text)),
			},
		];
	});
	const { comment } = Object.values(answers)[0] ?? {};
	return { at, choices, ...(comment !== undefined && { comment }) };
}
