import type { RequestOrigin } from './request';
import { toText, pluralize, isRecord } from '../../shared/values';
import { quoteVisible, visibleText } from '../../shared/approvals/visibleText';

/** What a question is about. */
export interface Question extends RequestOrigin {
	/** Left out where it is not known yet */
	dashboardUrl?: string;
	/** What a person is to decide, all of it */
	interactions: readonly unknown[];
	/** How many more requests are left for another question */
	more?: number;
}

/** Foreign text, and what it is */
export interface Fact {
	label: string;
	text: string;
}

/** Of 3,000 characters, those for all lines with text of the requests; the rest is for lines of our own, the names and the URL. */
const MAX_REQUESTS_LENGTH = 1_900;
/** Quotation marks, the end of the line, and what says how much was cut off */
const LINE_OVERHEAD = 45;
/** Lines with text of the requests, over all of them; a permission, an instruction, metadata and one pattern each always fit */
const MAX_LINES = 20;
const MAX_NAME_LENGTH = 80;
const MAX_PROMPT_LENGTH = 150;
const MAX_LINK_LENGTH = 300;
/** Two spaces make it a line break in Markdown as well, as which n8n's chat shows it; nobody sees them elsewhere. */
const LINE_END = '  \n';

/**
 * A few plain lines that ask a person to decide, ready to be sent by any node: which project, job and session, each request with
 * what it is for, and where to look.
 *
 * The agent, or whoever it read from, chose the words of a request. They must not be able to hide what is approved, nor to look
 * like lines of ours, wherever the question is shown:
 * - Foreign text stands between « and », which it cannot hold itself. Where a channel drops line breaks (Teams and other HTML),
 *   that still tells it from our words. A sign in it never has a backslash: n8n's Send and Wait turns a written `\n` back into a
 *   line break.
 * - Nothing in it is markup, a link or a mention in any channel (`visibleText`); escaping would be right for one, and shown, or
 *   undone, in the others. Telegram refuses to send what is not closed.
 * - What is not shown is counted. The whole is at most 3,000 characters long: Slack refuses a section of more (Telegram and
 *   WhatsApp one of 4,096).
 *
 * The dashboard URL stays a link, with the characters of markup in it percent-encoded.
 */
export function formatQuestion({
	dashboardUrl,
	interactions,
	more = 0,
	...about
}: Question): string {
	const mostPatterns = Math.max(1, Math.floor(MAX_LINES / Math.max(1, interactions.length)) - 3);
	const requests = interactions.map((interaction) => describeRequest(interaction, mostPatterns));
	const limit = shareLength(requests.flatMap(({ facts }) => facts));
	return [
		`An agent waits for your decision on ${pluralize(interactions.length, 'request')}.`,
		...originFacts(about).map(
			({ label, text }) =>
				`${label}: ${quoteVisible(text, label === 'Job' ? MAX_PROMPT_LENGTH : MAX_NAME_LENGTH)}`,
		),
		...requests.flatMap(({ facts, remarks }, index) => [
			`Request ${index + 1} of ${interactions.length}`,
			...facts.map(({ label, text }) => `${label}: ${quoteVisible(text, limit)}`),
			...remarks,
		]),
		...(more > 0 ? [`${pluralize(more, 'more request')}: asked after this`] : []),
		...(dashboardUrl === undefined ? [] : [`Dashboard: ${formatLink(dashboardUrl)}`]),
	].join(LINE_END);
}

/** What tells a session from others, as far as it is known. */
export const originFacts = ({
	projectName,
	projectId,
	job,
	sessionId,
}: Partial<RequestOrigin>): Fact[] => {
	const known = { Project: projectName ?? projectId, Job: job, Session: sessionId };
	return Object.entries(known).flatMap(([label, text]) =>
		text === undefined ? [] : [{ label, text }],
	);
};

/** A request as facts, and remarks in our own words. */
export function describeRequest(
	interaction: unknown,
	mostPatterns: number,
): { facts: Fact[]; remarks: string[] } {
	if (!isRecord(interaction)) {
		return { facts: [{ label: 'Not readable', text: toText(interaction) }], remarks: [] };
	}
	const { type, permission, patterns, response, metadata } = interaction;
	const { instruction } = isRecord(response) ? response : {};
	const isPermission = type === 'permission';
	const list = Array.isArray(patterns) ? patterns : patterns === undefined ? [] : [patterns];
	const hidden = list.length - mostPatterns;
	const number = (index: number) => (list.length === 1 ? '' : ` ${index + 1} of ${list.length}`);
	const more = Object.entries({ Instruction: instruction, Metadata: metadata }).map(
		([label, value]) => ({ label, text: value === undefined ? '' : toText(value) }),
	);
	return {
		facts: [
			isPermission
				? { label: 'Permission', text: toText(permission ?? '') }
				: { label: 'Not a permission but', text: toText(type) },
			...list.slice(0, mostPatterns).map((pattern, index) => ({
				label: `For${number(index)}`,
				text: toText(pattern),
			})),
			...more.filter(({ text }) => text !== '' && text !== '{}'),
		],
		remarks: [
			...(isPermission && list.length === 0 ? ['For nothing in particular'] : []),
			...(hidden > 0 ? [`${pluralize(hidden, 'more pattern')} not shown: see the dashboard`] : []),
		],
	};
}

/** How long each text may be shown so that all fit: what short ones do not need, the long ones share. */
function shareLength(facts: readonly Fact[]): number {
	let left = facts.reduce(
		(rest, { label }) => rest - label.length - LINE_OVERHEAD,
		MAX_REQUESTS_LENGTH,
	);
	const lengths = facts.map(({ text }) => visibleText(text, MAX_REQUESTS_LENGTH).shown.length);
	lengths.sort((a, b) => a - b);
	for (const [index, length] of lengths.entries()) {
		const share = Math.floor(left / (lengths.length - index));
		if (length > share) return share;
		left -= length;
	}
	return MAX_REQUESTS_LENGTH;
}

/** A web address that can be clicked wherever it is shown; anything else is quoted like all foreign text. */
function formatLink(url: string): string {
	const encoded = url.replace(
		/[<>"'*_~`|[\]\\^{}();]/g,
		(character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
	);
	const isLink = encoded.length <= MAX_LINK_LENGTH && /^https?:\/\/[!-~]+$/i.test(url);
	return isLink ? encoded : quoteVisible(url, MAX_NAME_LENGTH);
}
