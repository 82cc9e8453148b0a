import { decodePath, foldHost, foldPlace, OPEN_HOST, parseAddress, PARTS } from './addresses';
import type { ComparedAddress } from './addresses';
import { ANY, Glob, hasWildcard, type MatchBudget } from './globs';
import { doubt, held, NO, YES, type Matcher } from './matcher';

// Rules about addresses, which are also words of commands

const DEFAULT_PORTS: Record<string, string> = { http: '80', https: '443' };

export interface AddressMatcher extends Matcher {
	covers(address: ComparedAddress, budget: MatchBudget): boolean;
}

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
export function approveAddresses(parsed: string): AddressMatcher {
	const all = new Glob(hasWildcard(parsed) ? parsed : (parseAddress(parsed)?.href ?? parsed));
	const globs = readParts(parsed);
	const covers: AddressMatcher['covers'] = ({ parts = [] }, budget) =>
		globs.length > 0 &&
		parts.length > 0 &&
		globs.every((glob, at) => glob.matches(parts[at], budget));
	return {
		covers,
		reach({ address }, budget) {
			if (!address || covers(address, budget)) return address ? YES : NO;
			return all.matches(address.href ?? '', budget)
				? held("its wildcard doesn't match another host, a user or a port")
				: NO;
		},
	};
}

/** @param parsed pattern */
export function denyAddresses(parsed: string): AddressMatcher {
	const [, , , host = '', , path = ''] =
		PARTS.exec(parsed) ?? PARTS.exec(`https://${parsed.replace(/^\/+/, '')}`) ?? [];
	const known = foldHost(readHost('https', host));
	// A host alone is all of its pages.
	const ends = path === '' || path === '/' ? [`/${ANY}`] : [path, decodePath(path)];
	const globs = ends.map((end) => new Glob(foldPlace(known + end)));
	const covers: AddressMatcher['covers'] = ({ places }, budget) =>
		globs.some((glob) => places.some((place) => glob.matches(place, budget)));
	return {
		covers,
		reach({ address, approvedAs }, budget) {
			if (!address || covers(address, budget)) return address ? YES : NO;
			// A text that can be anything may be no address.
			return address.isKnown || approvedAs !== 'addresses'
				? NO
				: doubt("its address can't be read");
		},
	};
}
