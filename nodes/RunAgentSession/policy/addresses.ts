import { foldCase, parsePattern } from './globs';

// Addresses are compared as clients read them (WHATWG URL).

export const parseAddress = (text: string): URL | undefined =>
	URL.canParse(text) ? new URL(text) : undefined;

/** Characters that clients remove or read in different ways */
const UNCLEAR = /[\s\\\p{Cc}]/u;

/** Reads percent-encoded characters, if they're valid. */
export function decodePath(text: string): string {
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
		current = decodePath(current).replaceAll('\\', '/');
		const resolved = parseAddress(`http://x/${current.replace(/^\/+/, '')}`);
		paths.add(current);
		if (resolved) paths.add(resolved.pathname + resolved.search + resolved.hash);
	}
	return [...paths];
}

/** IPv4 in IPv6, as the parser writes it: mapped, compatible, translated, NAT64 */
const EMBEDDED = /^\[(?:::(?:ffff:(?:0:)?)?|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})\]$/;

/** Returns a host as denials compare it. */
export function foldHost(host: string): string {
	const [, ...groups] = EMBEDDED.exec(host) ?? [];
	if (groups.length === 0) return host.replace(/\.$/, '');
	return groups
		.map((group) => parseInt(group, 16))
		.flatMap((group) => [group >> 8, group & 255])
		.join('.');
}

/** Returns a host with its path as denials compare it. Servers read `//` as `/`. */
export const foldPlace = (place: string): string => foldCase(place.replace(/\/{2,}/g, '/'));

const HAS_SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
/** A user and a host before a path: `git@host:path` */
const REMOTE = /^(?:[^/:@]*@)?([^/:@]+):(?!\d+(?:\/|$))([^/].*)?$/s;

/** Returns the addresses that a text can be. Without a scheme, it can begin with a host. */
function readAddresses(text: string): URL[] {
	const url = parseAddress(text);
	if (url?.host) return [url];
	const inner = text.replace(/^(?:[a-z][a-z\d+.-]{0,20}:\/*)+/i, '');
	return (HAS_SCHEME.test(text) ? [] : [text, inner]).flatMap(
		(each) => parseAddress(`http://${each.replace(/^\/+/, '')}`) ?? [],
	);
}

/** An address in parts, which are compared one by one: scheme, user, host, port and the rest */
export const PARTS =
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
		const url = parseAddress(text);
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
export const OPEN_HOST = /:\/\/[^\s/?#]*[^\s/?#:@\uFDD0\uFDD1][\uFDD0\uFDD1]+(?=$|[\s/?#'"])/;

/** Returns whether the host of an address in a pattern ends with a wildcard. */
export const hasOpenHost = (pattern: string): boolean => OPEN_HOST.test(parsePattern(pattern));
