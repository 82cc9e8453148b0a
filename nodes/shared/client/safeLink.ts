import { isThisMachine } from './privateHosts';

/** As long as a route may be (API document, POST /shared-previews) */
const MAX_LINK_LENGTH = 2_048;

/** Returns a URL that people may open, as the URL parser reads it: https, or http on this machine, and without user information. */
export function readSafeLink(value: unknown): URL | undefined {
	if (typeof value !== 'string' || /[\s\p{Cc}<>"]/u.test(value)) return undefined;
	if (value.length > MAX_LINK_LENGTH || !URL.canParse(value)) return undefined;
	const url = new URL(value);
	const { protocol, hostname, username, password, href } = url;
	const isSafe = protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname));
	const hasUser = username !== '' || password !== '';
	return isSafe && !hasUser && href.length <= MAX_LINK_LENGTH ? url : undefined;
}
