import { excerpt, isRecord, isTooDeep } from '../values';
import { parseJson } from './json';
import type { Headers } from './types';

// Finds what suggests that a list has more entries than have arrived. Services have many names for it, so patterns match them.

export interface ArrivedPage {
	status: number;
	headers: Headers;
	body: unknown;
	/** The part of the body that holds the entries, which isn't searched */
	entries: readonly unknown[];
	/** Number of entries that were requested */
	size: number;
	/** Number of entries on the page before */
	previousLength?: number;
	/** Number of entries and pages so far. Undefined for a list that was entered in the middle */
	arrived?: number;
	pages?: number;
}

/** Depth to which the fields around the entries are searched */
const MAX_ENVELOPE_DEPTH = 5;
const MAX_HEADER_LENGTH = 10_000;

const PAGING_PLACE =
	/^(?:meta(?:data)?|pages?|paging|pagination|paginator|pager|pageinfo|list|links?|cursors?|data|results?|response(?:metadata)?|hits|summary|stat(?:istic)?s|totals?)$/;
/** Parts of an envelope that count something else */
const OTHER_PLACE = /^(?:setuprequired|ratelimit|quota)/;

// Patterns of names in lower case, without anything but letters
const TOTAL =
	/total|count|found|hits|matches|available|length|(?:set|result|list)size|estimate|^num/;
const NO_TOTAL =
	/amount|bytes|cost|price|time|limit|request|token|version|^content|^max|^per|per(?:page|request)$|^page(?:size|length)/;
const PAGE_COUNT =
	/^(?:last|(?:last|max)page|totalpages?|pages?total|pagescount|pagecount|pages|n(?:umberof|um|b)pages)$/;
const PAGE_SIZE = /^(?:limit|perpage|pagesize|maxresults|itemsperpage|pagelimit)$/;
const MORE =
	/next|more|cursor|after|continu|truncated|incomplete|partial|remaining|marker|bookmark|resumption|scroll|lastevaluated|pag[a-z]*token|startkey|limitreached|^(?:token|offset|position|iterator|limited|capped|errors?|failures?|failed[a-z]*)$/;
const END =
	/^(?:is)?(?:the)?(?:last|lastpage|end|atend|eof|final|finished|done|complete|exhausted|all(?:loaded|returned))$/;
/** Says more in any field, such as a warning or a status */
const MORE_TEXT = /\b(?:truncated|partial|incomplete)\b/i;
/** Stricter, because other headers have such words too, such as `Retry-After` */
const MORE_HEADER =
	/next(?:page|cursor|link|token|marker|url|offset|key)|cursor|continuation|^(?:next|has(?:more|next)|more|truncated)$/;

const toKey = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

/** Returns whether a value says something other than no, none or zero. */
function isAffirmative(value: unknown): boolean {
	if (typeof value === 'object' && value !== null)
		return isTooDeep(value) || Object.values(value).some(isAffirmative);
	return Boolean(value) && !/^(?:|0|false|no|none|null)$/i.test(String(value).trim());
}

function readCount(value: unknown): number {
	if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? Number(value) : NaN;
	return typeof value === 'number' ? value : NaN;
}

/** Returns whether a number by this name goes beyond what has arrived: a total, the number of pages, or a full page's size. */
function goesBeyond(key: string, value: unknown, page: ArrivedPage): boolean {
	const number = readCount(value);
	const { entries, size, arrived = Infinity, pages = Infinity } = page;
	if (PAGE_COUNT.test(key)) return number > pages;
	if (PAGE_SIZE.test(key)) return number > 0 && number === entries.length && number < size;
	// The requested number of entries is no total of theirs, except by its plain name.
	const isTotal = TOTAL.test(key) && !NO_TOTAL.test(key) && (number !== size || /total/.test(key));
	if (!isTotal || number === entries.length) return false;
	// A total below what has arrived counts pages.
	return arrived === Infinity ? false : number > (number < arrived ? pages : arrived);
}

/** Returns whether a range such as `items 0-24/100`, or `25 of 100`, ends before the list does. */
function endsEarly(range: string): boolean {
	const found = /(?:-\s*(\d+)\s*\/|\b(\d+)\s+of)\s*(\d+)\s*$/.exec(range.slice(0, 100));
	return found !== null && Number(found[1] ?? found[2]) + 1 < Number(found[3]);
}

function isNextLink(link: unknown): boolean {
	if (!isRecord(link)) return false;
	const { rel, rels, relation, name, type, href, url, next } = link;
	const isNext = [rel, rels, relation, name, type].some((each) => /\bnext\b/i.test(String(each)));
	return isAffirmative(next) || (isNext && isAffirmative(href ?? url ?? 1));
}

const addressOf = (link: unknown): string | undefined => {
	const address = isRecord(link) ? (link.href ?? link.url) : link;
	return typeof address === 'string' && address !== ''
		? address.slice(0, MAX_HEADER_LENGTH)
		: undefined;
};

/** Returns whether the link to the last page leads beyond the pages that have arrived. */
function hasLaterPage(links: Record<string, unknown>, { pages = Infinity }: ArrivedPage): boolean {
	const [last, self, first] = [links.last, links.self, links.first].map(addressOf);
	if (last === undefined) return false;
	const [, number] =
		/[?&](?:page|page_?number|page%5bnumber%5d|page\[number\]|p)=(\d{1,9})(?:&|#|$)/i.exec(last) ??
		[];
	if (number !== undefined) return Number(number) > pages;
	if (self !== undefined) return self !== last;
	return pages === 1 && first !== undefined && first !== last;
}

function saysMore(key: string, value: unknown): boolean {
	if (Array.isArray(value) && /links?$/.test(key)) return value.some(isNextLink);
	const texts = [value].flat().filter((each) => typeof each === 'string');
	if (texts.some((text) => MORE_TEXT.test(text) || endsEarly(text))) return true;
	return MORE.test(key) ? isAffirmative(value) : END.test(key) && /^false$/i.test(String(value));
}

/** Returns the name of the field around the entries that says that there's more. Numbers count only in places about the list. */
function findField(
	envelope: unknown,
	page: ArrivedPage,
	isAboutList = true,
	depth = 0,
): string | undefined {
	if (!isRecord(envelope) || depth > MAX_ENVELOPE_DEPTH) return undefined;
	for (const [name, value] of Object.entries(envelope)) {
		const key = toKey(name);
		if (value === page.entries || OTHER_PLACE.test(key)) continue;
		if (saysMore(key, value) || (isAboutList && goesBeyond(key, value, page))) return name;
		if (!isRecord(value)) continue;
		if (/links?$/.test(key) && hasLaterPage(value, page)) return `${name}.last`;
		const isPlace = PAGING_PLACE.test(key) || Object.values(value).includes(page.entries);
		const inner = findField(value, page, isAboutList && isPlace, depth + 1);
		if (inner !== undefined) return inner;
	}
	return undefined;
}

function headerSaysMore(name: string, value: string, page: ArrivedPage): boolean {
	if (name === 'link') return /;\s*rel\s*=\s*["']?(?:[^"',;]*\s)?next\b/i.test(value);
	if (name === 'content-range') return endsEarly(value);
	if (name.endsWith('pagination')) return findField(parseJson(value), page) !== undefined;
	const key = toKey(name.replace(/^x-/, '').replace(/^(?:pagination|wp|list)-/, ''));
	return MORE_HEADER.test(key) ? isAffirmative(value) : goesBeyond(key, value, page);
}

const findHeader = (page: ArrivedPage): string | undefined =>
	Object.entries(page.headers).find(([name, value]) =>
		headerSaysMore(name.toLowerCase(), String(value).slice(0, MAX_HEADER_LENGTH), page),
	)?.[0];

/** Returns why there may be more entries, as a sentence, or undefined without a sign of it. */
export function findSignOfMore(page: ArrivedPage): string | undefined {
	const { status, body, entries, size, previousLength } = page;
	if (status === 206) return 'The service answered with a part of the list (status 206).';
	const header = findHeader(page);
	if (header !== undefined) return `The header "${excerpt(header, 50)}" says that there's more.`;
	const field = findField(body, page);
	if (field !== undefined)
		return `The service says "${excerpt(field, 50)}", which the node doesn't know.`;
	if (entries.length > 0 && entries.length === previousLength && entries.length < size)
		return 'The last page is as long as the page before it, so the service may ignore the requested page size.';
	return undefined;
}
