import { decodePath, foldHost, foldPlace, OPEN_HOST, parseAddress, PARTS } from './addresses';
import type { ComparedAddress } from './addresses';
import { ANY, Glob, hasWildcard, type MatchBudget } from './globs';
import { doubt, held, NO, YES, type ComparedText, type Matcher, type Reach } from './matcher';

// Rules about addresses

const DEFAULT_PORTS: Record<string, string> = { http: '80', https: '443' };

export class AddressApproval implements Matcher {
	private readonly text: Glob;
	/** Missing if no address matches */
	private readonly parts: readonly Glob[] | undefined;

	/** @param parsed pattern */
	constructor(parsed: string) {
		this.text = new Glob(hasWildcard(parsed) ? parsed : (parseAddress(parsed)?.href ?? parsed));
		const [, scheme, user = '', host, port = '', path] = PARTS.exec(parsed) ?? [];
		if (scheme === undefined || hasWildcard(user) || OPEN_HOST.test(parsed)) return;
		const known = hasWildcard(host) ? undefined : parseAddress(`${scheme}://${host}`)?.hostname;
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

	reach({ address }: ComparedText, budget: MatchBudget): Reach {
		if (address && this.covers(address, budget)) return YES;
		return address && this.text.matches(address.href, budget)
			? held(() => "its wildcard doesn't match another host, a user or a port")
			: NO;
	}
}

export class AddressObjection implements Matcher {
	private readonly globs: readonly Glob[];

	/** @param parsed pattern */
	constructor(parsed: string) {
		const [, , , place = '', , path = ''] =
			PARTS.exec(parsed) ?? PARTS.exec(`https://${parsed.replace(/^\/+/, '')}`) ?? [];
		const host = hasWildcard(place) ? undefined : parseAddress(`https://${place}`)?.hostname;
		const known = foldHost(host ?? place.toLowerCase());
		// A host alone is all of its pages.
		const ends = path === '' || path === '/' ? [`/${ANY}`] : [path, decodePath(path)];
		this.globs = ends.map((end) => new Glob(foldPlace(known + end)));
	}

	covers({ places }: ComparedAddress, budget: MatchBudget): boolean {
		return this.globs.some((glob) => places.some((place) => glob.matches(place, budget)));
	}

	reach({ address, approvedAs }: ComparedText, budget: MatchBudget): Reach {
		if (!address || this.covers(address, budget)) return address ? YES : NO;
		// A text that can be anything may be no address.
		return address.isKnown || approvedAs !== 'addresses' ? NO : doubt("its address can't be read");
	}
}
