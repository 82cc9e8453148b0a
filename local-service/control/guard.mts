// Who may call the control API: programs on this machine, and no web page. A page of another origin can send requests to
// this machine too, from the browser of anyone who visits it.

interface ControlRequest {
	/** The caller's address */
	ip: string;
	/** Names in lower case */
	headers: Record<string, string | string[] | undefined>;
}

const isLoopbackAddress = (ip: string) => ip === '::1' || /^(::ffff:)?127\./.test(ip);

/** Returns whether a Host header names this machine. Another name that leads here belongs to a page that wants to look like us. */
const isLoopbackHost = (host: string) =>
	/^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);

/** Returns whether a request has a body. */
const hasBody = (headers: ControlRequest['headers']) =>
	headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Each reason to refuse a request, and when it applies. Node and command line tools send neither Origin nor Sec-Fetch-Site. */
const reasons: Array<[reason: string, applies: (request: ControlRequest) => boolean]> = [
	[
		'The control API answers this machine only, under localhost or a loopback address.',
		({ headers }) => !isLoopbackHost(String(headers.host)),
	],
	[
		'The control API does not answer web pages of another origin.',
		({ headers }) =>
			(headers.origin !== undefined && headers.origin !== `http://${headers.host}`) ||
			!['same-origin', 'none', undefined].includes(headers['sec-fetch-site']?.toString()),
	],
	[
		'The control API reads JSON only. Send it with Content-Type: application/json.',
		({ headers }) =>
			(hasBody(headers) || headers['content-type'] !== undefined) &&
			!/^application\/json\b/i.test(String(headers['content-type'])),
	],
];

/** Returns whether the caller is on this machine. To all others the control API does not exist. */
export const isLocal = ({ ip }: ControlRequest): boolean => isLoopbackAddress(ip);

/** Why a request from this machine is refused; undefined when it is not. */
export const getRefusal = (request: ControlRequest): string | undefined =>
	reasons.find(([, applies]) => applies(request))?.[0];
