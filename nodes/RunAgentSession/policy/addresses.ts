import { ANY, foldCase, Glob, hasWildcard, parsePattern } from '../../shared/globs';
import { decodePath } from '../../shared/values';
import { held, NO, YES, type Reach } from './rule';

// Addresses are compared as clients read them (WHATWG URL).

const parseAddress = (text: string): URL | undefined =>
	URL.canParse(text) ? new URL(text) : undefined;

/** Characters that clients remove or read in different ways */
const UNCLEAR_CHARACTER = /[\s\\\p{Cc}]/u;

const MAX_ENCODED = 3;

/** Returns the rest of an address behind the host. */
const readRest = ({ pathname, search, hash }: URL): string => (pathname || '/') + search + hash;

/** Returns that rest as each of several servers may read it: decoded, and without `..`. */
function listAddressPaths(url: URL): Set<string> {
	let current = readRest(url);
	const paths = new Set([current]);
	for (let at = 0; at < MAX_ENCODED && /%[\da-f]{2}/i.test(current); at++) {
		current = decodePath(current);
		const resolved = parseAddress(`http://x/${current.replace(/^\/+/, '')}`);
		paths.add(current).add(resolved ? readRest(resolved) : current);
	}
	return paths;
}

/** IPv4 in IPv6, as the parser writes it: compatible, NAT64, mapped, translated. Zeros at the start can be missing. */
const EMBEDDED =
	/^\[(?:(?:64:ff9b)?::|::ffff:(?:0:)?(?=.*:))(?:([\da-f]{1,4}):)?([\da-f]{1,4})?\]$/;

/** Returns a host as denials compare it. */
function foldHost(host: string): string {
	const [whole, high = '0', low = '0'] = EMBEDDED.exec(host) ?? [];
	if (whole === undefined) return host.replace(/\.$/, '');
	return [high, low]
		.map((group) => parseInt(group, 16))
		.flatMap((group) => [group >> 8, group & 255])
		.join('.');
}

/** Returns a host with its path as denials compare it. Servers read `//` as `/`. */
const foldPlace = (place: string): string => foldCase(place.replace(/\/{2,}/g, '/'));

export const HAS_SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
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

/** Returns the scheme, user, host, port and the rest. */
function listAddressParts(url: URL): string[] {
	const { protocol, username, password, hostname, port } = url;
	const user = password === '' ? username : `${username}:${password}`;
	return [protocol.slice(0, -1), user, hostname, port, readRest(url)];
}

/** An address in parts, which are compared one by one: scheme, user, host, port and the rest */
const PARTS =
	/^([a-z\uFDD0\uFDD1][a-z\d+.\uFDD0\uFDD1-]*):\/\/(?:([^/?#]*)@)?(\[[^\]/?#]*\]|[^/?#:]*)(?::([^/?#]*))?(.*)$/is;

export type ComparedAddress = ReturnType<typeof compareAddress>;

/** Returns a request's address in the forms that rules compare. */
export function compareAddress(text: string) {
	const isUnclear = UNCLEAR_CHARACTER.test(text);
	// The URL's own text has resolved `%2e` already.
	const isPlain = !isUnclear && !/%(?:2e|2f|5c)/i.test(text.split(/[?#]/, 1)[0]);
	const url = isPlain ? parseAddress(text) : undefined;
	const places = readAddresses(text).flatMap((each) =>
		[...listAddressPaths(each)].map((path) => foldPlace(foldHost(each.hostname) + path)),
	);
	return {
		/** Undefined if an approval can't read it */
		href: url?.href,
		parts: url && listAddressParts(url),
		/** Host and path. Empty if it can't be read. */
		places,
		hosts: places.map((place) => place.split('/', 1)[0]),
		/** False if clients can read it in different ways, or not at all */
		isKnown: places.length > 0 && !isUnclear,
	};
}

/** Reads a word of a command, which can be a host alone, `--option=host`, or `git@host:path`. */
export function compareWord(word: string): ComparedAddress {
	const text = word.replace(/^-{1,2}[\w-]+=/, '');
	const [, host, path = ''] = (!HAS_SCHEME.test(text) && REMOTE.exec(text)) || [];
	return compareAddress(host === undefined ? text : `ssh://${host}/${path}`);
}

/** A wildcard after a typed character of a host also is another host: `https://example.com*` */
const OPEN_HOST = /:\/\/[^\s/?#]*[^\s/?#:@\uFDD0\uFDD1][\uFDD0\uFDD1]+(?=$|[\s/?#'"])/;

export const hasOpenHost = (pattern: string): boolean => OPEN_HOST.test(parsePattern(pattern));

const DEFAULT_PORTS: Record<string, string> = { http: '80', https: '443' };

/** Returns a typed host as the parser writes it, unless it has wildcards. */
const readHost = (scheme: string, host: string): string =>
	(hasWildcard(host) ? undefined : parseAddress(`${scheme}://${host}`)?.hostname) ??
	host.toLowerCase();

/** Returns the parts of an address. None if it matches no address. */
function readParts(parsed: string): Glob[] {
	const [, scheme, user = '', host, port = '', path] = PARTS.exec(parsed) ?? [];
	if (scheme === undefined || hasWildcard(user) || OPEN_HOST.test(parsed)) return [];
	return [
		scheme.toLowerCase(),
		user,
		readHost(scheme, host),
		port === DEFAULT_PORTS[scheme.toLowerCase()] ? '' : port,
		path.startsWith('/') ? path : `/${path}`,
	].map((part) => new Glob(part));
}

/** @param parsed pattern */
export function approveAddresses(parsed: string) {
	const all = new Glob(hasWildcard(parsed) ? parsed : (parseAddress(parsed)?.href ?? parsed));
	const globs = readParts(parsed);
	const covers = ({ parts = [] }: ComparedAddress): boolean =>
		globs.length > 0 && parts.length > 0 && globs.every((glob, at) => glob.matches(parts[at]));
	return {
		covers,
		reach(address: ComparedAddress): Reach {
			if (covers(address)) return YES;
			return all.matches(address.href ?? '')
				? held("its wildcard doesn't match another host, a user or a port")
				: NO;
		},
	};
}

/** @param parsed pattern */
export function denyAddresses(parsed: string) {
	const [, , , host = '', , path = ''] =
		PARTS.exec(parsed) ?? PARTS.exec(`https://${parsed.replace(/^\/+/, '')}`) ?? [];
	const foldedHost = foldHost(readHost('https', host));
	// A host alone is all of its pages.
	const ends = path === '' || path === '/' ? [`/${ANY}`] : [path, decodePath(path)];
	const globs = ends.map((end) => new Glob(foldPlace(foldedHost + end)));
	return {
		/** The host that an address has. Undefined if it's compared with each. */
		keys: hasWildcard(foldedHost) ? undefined : [foldCase(foldedHost)],
		covers: ({ places }: ComparedAddress): boolean =>
			globs.some((glob) => places.some((place) => glob.matches(place))),
	};
}
