import { ANY, foldCase, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
import {
	doubt,
	held,
	NO,
	YES,
	type ComparedRequest,
	type ComparedText,
	type Matcher,
	type Reach,
} from './matcher';

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

/** An address in parts, which are compared one by one: scheme, user, host, port and the rest */
const PARTS =
	/^([a-z\uFDD0\uFDD1][a-z\d+.\uFDD0\uFDD1-]*):\/\/(?:([^/?#]*)@)?(\[[^\]/?#]*\]|[^/?#:]*)(?::([^/?#]*))?(.*)$/is;

/** A request's address in the forms that rules compare */
export class ComparedAddress {
	/** Empty if an approval can't read it */
	readonly href: string = '';
	readonly parts: readonly string[] | undefined;
	readonly hosts: readonly string[];
	/** Host and path. Empty if it can't be read. */
	readonly places: readonly string[];
	/** False if clients can read it in different ways, or not at all */
	readonly isKnown: boolean;

	constructor(text: string) {
		const url = parse(text);
		const isUnclear = UNCLEAR.test(text);
		// The URL's own text has resolved `%2e` already.
		if (url && !isUnclear && !/%(?:2e|2f|5c)/i.test(text.split(/[?#]/, 1)[0])) {
			const { href, protocol, username, password, hostname, port, pathname, search, hash } = url;
			this.href = href;
			const user = password === '' ? username : `${username}:${password}`;
			const rest = (pathname || '/') + search + hash;
			this.parts = [protocol.slice(0, -1), user, hostname, port, rest];
		}
		const read = readAddresses(text);
		this.hosts = read.map(({ hostname }) => foldHost(hostname));
		this.places = read.flatMap(({ pathname, search, hash }, at) =>
			listPaths((pathname || '/') + search + hash).map((path) => foldPlace(this.hosts[at] + path)),
		);
		this.isKnown = this.places.length > 0 && !isUnclear;
	}

	/** Reads a word of a command, which can be a host alone, `--option=host`, or `git@host:path`. */
	static readWord(word: string): ComparedAddress {
		const text = word.replace(/^-{1,2}[\w-]+=/, '');
		const [, host, path = ''] = REMOTE.exec(text) ?? [];
		return new ComparedAddress(
			host === undefined || HAS_SCHEME.test(text) ? text : `ssh://${host}/${path}`,
		);
	}
}

/** A wildcard after a typed character of a host also is another host: `https://example.com*` */
const OPEN_HOST = /:\/\/[^\s/?#]*[^\s/?#:@\uFDD0\uFDD1][\uFDD0\uFDD1]+(?=$|[\s/?#'"])/;

/** Returns whether the host of an address in a pattern ends with a wildcard. */
export const hasOpenHost = (pattern: string): boolean => OPEN_HOST.test(parsePattern(pattern));

const DEFAULT_PORTS: Record<string, string> = { http: '80', https: '443' };

export class AddressApproval implements Matcher {
	private readonly text: Glob;
	/** Missing if no address matches */
	private readonly parts: readonly Glob[] | undefined;

	/** @param parsed pattern */
	constructor(parsed: string) {
		this.text = new Glob(hasWildcard(parsed) ? parsed : (parse(parsed)?.href ?? parsed));
		const [, scheme, user = '', host, port = '', path] = PARTS.exec(parsed) ?? [];
		if (scheme === undefined || hasWildcard(user) || OPEN_HOST.test(parsed)) return;
		const known = hasWildcard(host) ? undefined : parse(`${scheme}://${host}`)?.hostname;
		this.parts = [
			scheme.toLowerCase(),
			user,
			known ?? host.toLowerCase(),
			port === DEFAULT_PORTS[scheme.toLowerCase()] ? '' : port,
			path.startsWith('/') ? path : `/${path}`,
		].map((part) => new Glob(part));
	}

	covers(address: ComparedAddress, budget: MatchBudget): boolean {
		const { parts = [] } = address;
		const areIn = this.parts?.every((glob, at) => glob.matches(parts[at] ?? '', budget)) === true;
		return parts.length > 0 && areIn;
	}

	reach({ address }: ComparedText, _: ComparedRequest, budget: MatchBudget): Reach {
		if (address && this.covers(address, budget)) return YES;
		return address && this.text.matches(address.href, budget)
			? held(() => "its wildcard doesn't match another host, a user or a port")
			: NO;
	}
}

export class AddressObjection implements Matcher {
	/** The host. Undefined if it isn't known without its wildcards. */
	readonly key: string | undefined;
	private readonly globs: readonly Glob[];

	/** @param parsed pattern */
	constructor(parsed: string) {
		const [, , , place = '', , path = ''] =
			PARTS.exec(parsed) ?? PARTS.exec(`https://${parsed.replace(/^\/+/, '')}`) ?? [];
		const host = hasWildcard(place) ? undefined : parse(`https://${place}`)?.hostname;
		const known = foldHost(host ?? place.toLowerCase());
		this.key = hasWildcard(known) ? undefined : known;
		// A host alone is all of its pages.
		const ends = path === '' || path === '/' ? [`/${ANY}`] : [path, decode(path)];
		this.globs = ends.map((end) => new Glob(foldPlace(known + end)));
	}

	covers({ places }: ComparedAddress, budget: MatchBudget): boolean {
		return this.globs.some((glob) => places.some((place) => glob.matches(place, budget)));
	}

	reach({ address, approvedAs }: ComparedText, _: ComparedRequest, budget: MatchBudget): Reach {
		if (!address || this.covers(address, budget)) return address ? YES : NO;
		// A text that can be anything may be no address.
		return address.isKnown || approvedAs !== 'addresses' ? NO : doubt("its address can't be read");
	}
}
