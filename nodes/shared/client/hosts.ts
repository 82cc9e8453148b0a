import { isThisMachine } from '../values';

// Hosts in networks that no public service is in, in the form of the URL parser. Names aren't looked up.

/** IPv4 ranges as the first address and the number of leading bits (IANA, IPv4 Special-Purpose Address Registry) */
const PRIVATE_V4: ReadonlyArray<[address: string, bits: number]> = [
	['0.0.0.0', 8],
	['10.0.0.0', 8],
	['100.64.0.0', 10],
	['127.0.0.0', 8],
	['169.254.0.0', 16],
	['172.16.0.0', 12],
	['192.0.0.0', 24],
	['192.0.2.0', 24],
	['192.88.99.0', 24],
	['192.168.0.0', 16],
	['198.18.0.0', 15],
	['198.51.100.0', 24],
	['203.0.113.0', 24],
	// Multicast, reserved, broadcast
	['224.0.0.0', 3],
];

/** Ranges within the public 2000::/3, as the first two groups and the number of leading bits (IANA, IPv6 Special-Purpose Address Registry) */
const PRIVATE_V6: ReadonlyArray<[address: number, bits: number]> = [
	// Teredo, benchmarking and others for protocols
	[0x2001_0000, 23],
	[0x2001_0db8, 32],
	[0x3fff_0000, 20],
];

/** Prefixes of IPv6 addresses that lead to the IPv4 address after them: mapped, translated, NAT64, 6to4 */
const EMBEDDED_V4: ReadonlyArray<[groups: number[], at: number]> = [
	[[0, 0, 0, 0, 0, 0xffff], 6],
	[[0, 0, 0, 0, 0xffff, 0], 6],
	[[0x64, 0xff9b, 0, 0, 0, 0], 6],
	[[0x2002], 1],
];

const parseV4 = (address: string): number =>
	address.split('.').reduce((number, part) => number * 256 + Number(part), 0);

function isInRange(number: number, first: number, bits: number): boolean {
	const size = 2 ** (32 - bits);
	return Math.floor(number / size) === Math.floor(first / size);
}

const isPrivateV4 = (number: number): boolean =>
	PRIVATE_V4.some(([address, bits]) => isInRange(number, parseV4(address), bits));

function toGroups(address: string): number[] {
	const [before, after] = address.split('::').map((part) => part.split(':').filter(Boolean));
	const zeros = after ? Array.from({ length: 8 - before.length - after.length }, () => '0') : [];
	return [...before, ...zeros, ...(after ?? [])].map((group) => parseInt(group, 16));
}

const startsWith = (groups: number[], prefix: number[]): boolean =>
	prefix.every((group, index) => groups[index] === group);

function isPrivateV6(groups: number[]): boolean {
	const numberAt = (index: number) => groups[index] * 65_536 + groups[index + 1];
	const embedded = EMBEDDED_V4.find(([prefix]) => startsWith(groups, prefix));
	if (embedded) return isPrivateV4(numberAt(embedded[1]));
	// Loopback, unique local, link-local, site-local, multicast and local NAT64 are all outside of it.
	const isPublic = isInRange(numberAt(0), 0x2000_0000, 3);
	return !isPublic || PRIVATE_V6.some(([first, bits]) => isInRange(numberAt(0), first, bits));
}

/** Returns whether a URL's host is this machine, or in a range that isn't public. */
export function isPrivateHost(hostname: string): boolean {
	if (hostname.startsWith('[')) return isPrivateV6(toGroups(hostname.slice(1, -1)));
	if (/^\d+(\.\d+){3}$/.test(hostname)) return isPrivateV4(parseV4(hostname));
	return isThisMachine(hostname);
}
