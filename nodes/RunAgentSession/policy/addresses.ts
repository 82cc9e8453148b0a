import { foldCase, Glob, hasWildcard, parsePattern, type Guards, type MatchBudget } from './globs';
import { guardAddresses } from './guards';
import { doubt, held, NO, YES, type Reach } from './reach';

// Addresses are compared as clients read them (WHATWG URL).

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

/** Characters that clients remove or read in different ways */
const UNCLEAR = /[\s\\\p{Cc}]/u;

/** Reads percent-encoded characters, if they're valid. */
function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

const withoutDot = (host: string): string => (host.endsWith('.') ? host.slice(0, -1) : host);

/** Returns a host with its path as denials compare it. Servers read `//` as `/`. */
const foldPlace = (place: string): string => foldCase(place.replace(/\/{2,}/g, '/'));

/** A request's address in the forms that rules compare */
export class ComparedAddress {
	/** Undefined if no wildcard matches it */
	readonly text: string | undefined;
	readonly guards: Guards | undefined;
	/** Host and path. Empty if it can't be read. */
	readonly places: readonly string[];
	/** True if clients can read it in different ways */
	readonly isUnclear: boolean;

	constructor(text: string) {
		const url = parse(text);
		this.isUnclear = UNCLEAR.test(text);
		if (url && !this.isUnclear) {
			this.text = url.href;
			this.guards = guardAddresses(url.href);
			// The URL's own text has resolved `%2e` already.
			if (/%(?:2e|2f|5c)/i.test(text.split(/[?#]/, 1)[0])) this.text = undefined;
		}
		const isBare = !url?.host && !text.includes('://');
		const read = isBare ? parse(`https://${text}`) : url;
		const host = withoutDot(read?.hostname ?? '');
		const path = read ? read.pathname + read.search + read.hash : '';
		this.places = host === '' ? [] : [path, decode(path)].map((each) => foldPlace(host + each));
	}
}

interface AddressPattern {
	scheme: string;
	host: string;
	path: string;
}

const ADDRESS = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)(.*)$/is;

const readPattern = (pattern: string): AddressPattern | undefined => {
	const [, scheme, host, path] = ADDRESS.exec(pattern) ?? [];
	return scheme === undefined ? undefined : { scheme: scheme.toLowerCase(), host, path };
};

/** Returns an address pattern as `URL.href` would write it. */
function normalize(pattern: string): string {
	const found = readPattern(pattern);
	if (!found) return pattern;
	const { scheme, host, path } = found;
	if (!hasWildcard(pattern)) return parse(pattern)?.href ?? pattern;
	const known = hasWildcard(host) ? undefined : parse(`${scheme}://${host}`)?.host;
	const port = { http: ':80', https: ':443' }[scheme];
	const lower = host.toLowerCase();
	const shown = port !== undefined && lower.endsWith(port) ? lower.slice(0, -port.length) : lower;
	return `${scheme}://${known ?? shown}${path === '' ? '/' : path}`;
}

export class AddressApproval {
	private readonly glob: Glob;

	constructor(pattern: string) {
		this.glob = new Glob(normalize(parsePattern(pattern.trim())));
	}

	reach({ text, guards }: ComparedAddress, budget: MatchBudget): Reach {
		if (text === undefined || !this.glob.matches(text, budget)) return NO;
		return this.glob.matches(text, budget, guards)
			? YES
			: held(() => "its wildcard doesn't match another host, a user or a port");
	}
}

const USER = /^[^/?#]*@/;
const PORT = /:[\d\uFDD0\uFDD1]*$/;

export class AddressObjection {
	private readonly globs: readonly Glob[];

	constructor(pattern: string) {
		const parsed = parsePattern(pattern.trim());
		const { host = '', path = '' } = readPattern(parsed) ?? readPattern(`https://${parsed}`) ?? {};
		const place = withoutDot(host.replace(USER, '').replace(PORT, ''));
		const known = hasWildcard(place) ? place : (parse(`https://${place}`)?.hostname ?? place);
		// A host alone is all of its pages.
		const ends = path === '' || path === '/' ? ['\uFDD0'] : [path, decode(path)];
		this.globs = ends.map((end) => new Glob(foldPlace(known + end)));
	}

	reach({ places, isUnclear }: ComparedAddress, budget: MatchBudget): Reach {
		if (this.globs.some((glob) => places.some((place) => glob.matches(place, budget)))) return YES;
		const isKnown = places.length > 0 && !isUnclear;
		return isKnown ? NO : doubt("its address can't be read");
	}
}
