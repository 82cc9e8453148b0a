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

const MAX_ENCODED = 3;

/** Returns a path as it may be read behind several servers: decoded, and without `..`. */
function listPaths(path: string): string[] {
	const paths = new Set([path]);
	let current = path;
	for (let at = 0; at < MAX_ENCODED && /%[\da-f]{2}/i.test(current); at++) {
		current = decode(current).replaceAll('\\', '/');
		const resolved = parse(`http://x/${current.replace(/^\/+/, '')}`);
		paths.add(current);
		if (resolved) paths.add(resolved.pathname + resolved.search + resolved.hash);
	}
	return [...paths];
}

/** IPv4 in IPv6, as the parser writes it: mapped, compatible, translated, NAT64 */
const EMBEDDED = /^\[(?:::(?:ffff:(?:0:)?)?|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})\]$/;

/** Returns a host as denials compare it. */
function foldHost(host: string): string {
	const [, ...groups] = EMBEDDED.exec(host) ?? [];
	if (groups.length === 0) return host.replace(/\.$/, '');
	return groups
		.map((group) => parseInt(group, 16))
		.flatMap((group) => [group >> 8, group & 255])
		.join('.');
}

/** Returns a host with its path as denials compare it. Servers read `//` as `/`. */
const foldPlace = (place: string): string => foldCase(place.replace(/\/{2,}/g, '/'));

const HAS_SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
/** A user and a host before a path: `git@host:path` */
const REMOTE = /^(?:[^/:@]*@)?([^/:@]+):(?!\d+(?:\/|$))([^/].*)?$/s;

/** Returns the addresses that a text can be. Without a scheme, it can begin with a host. */
function readAddresses(text: string): URL[] {
	const url = parse(text);
	if (url?.host) return [url];
	const inner = text.replace(/^(?:[a-z][a-z\d+.-]{0,20}:\/*)+/i, '');
	return (HAS_SCHEME.test(text) ? [] : [text, inner]).flatMap(
		(each) => parse(`http://${each.replace(/^\/+/, '')}`) ?? [],
	);
}

/** A request's address in the forms that rules compare */
export class ComparedAddress {
	/** Undefined if no wildcard matches it */
	readonly text: string | undefined;
	readonly guards: Guards | undefined;
	readonly hosts: readonly string[];
	/** Host and path. Empty if it can't be read. */
	readonly places: readonly string[];
	private readonly isUnclear: boolean;

	constructor(text: string) {
		const url = parse(text);
		this.isUnclear = UNCLEAR.test(text);
		if (url && !this.isUnclear) {
			this.text = url.href;
			this.guards = guardAddresses(url.href);
			// The URL's own text has resolved `%2e` already.
			if (/%(?:2e|2f|5c)/i.test(text.split(/[?#]/, 1)[0])) this.text = undefined;
		}
		const read = readAddresses(text);
		this.hosts = read.map(({ hostname }) => foldHost(hostname));
		this.places = read.flatMap(({ pathname, search, hash }, at) =>
			listPaths((pathname || '/') + search + hash).map((path) => foldPlace(this.hosts[at] + path)),
		);
	}

	/** False if clients can read it in different ways, or not at all */
	get isKnown(): boolean {
		return this.places.length > 0 && !this.isUnclear;
	}

	/** Reads a word of a command, which can be a host alone, or `git@host:path`. */
	static readWord(word: string): ComparedAddress {
		const [, host, path = ''] = REMOTE.exec(word) ?? [];
		return new ComparedAddress(
			host === undefined || HAS_SCHEME.test(word) ? word : `ssh://${host}/${path}`,
		);
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

/** A wildcard after a typed character of a host also is another host: `https://example.com*` */
const OPEN_HOST = /:\/\/[^\s/?#]*[^\s/?#:@\uFDD0\uFDD1][\uFDD0\uFDD1]+(?=$|[\s/?#'"])/;

/** Returns whether the host of an address in a pattern ends with a wildcard. */
export const hasOpenHost = (pattern: string): boolean => OPEN_HOST.test(parsePattern(pattern));

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
	private readonly isOpen: boolean;

	/** @param parsed pattern */
	constructor(parsed: string) {
		this.isOpen = OPEN_HOST.test(parsed);
		this.glob = new Glob(normalize(parsed.trim()));
	}

	reach({ text, guards }: ComparedAddress, budget: MatchBudget): Reach {
		if (this.isOpen || text === undefined || !this.glob.matches(text, budget)) return NO;
		return this.glob.matches(text, budget, guards)
			? YES
			: held(() => "its wildcard doesn't match another host, a user or a port");
	}
}

const USER = /^[^/?#]*@/;
const PORT = /:[\d\uFDD0\uFDD1]*$/;

export class AddressObjection {
	/** Undefined if it isn't known without its wildcards */
	readonly host: string | undefined;
	private readonly globs: readonly Glob[];

	/** @param parsed pattern */
	constructor(parsed: string) {
		const { host = '', path = '' } =
			readPattern(parsed) ?? readPattern(`https://${parsed.replace(/^\/+/, '')}`) ?? {};
		const place = host.replace(USER, '').replace(PORT, '').toLowerCase();
		const known = foldHost(
			hasWildcard(place) ? place : (parse(`https://${place}`)?.hostname ?? place),
		);
		this.host = hasWildcard(known) ? undefined : known;
		// A host alone is all of its pages.
		const ends = path === '' || path === '/' ? ['/\uFDD0'] : [path, decode(path)];
		this.globs = ends.map((end) => new Glob(foldPlace(known + end)));
	}

	reach({ places, isKnown }: ComparedAddress, budget: MatchBudget): Reach {
		if (this.globs.some((glob) => places.some((place) => glob.matches(place, budget)))) return YES;
		return isKnown ? NO : doubt("its address can't be read");
	}
}
