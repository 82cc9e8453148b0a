// Rules beside libraries that know nothing of them.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { parse } from 'unbash';
import { decideRequest } from '../../nodes/RunAgentSession/requests/decisions.ts';
import { AGENT_COMMANDS } from './agentCommands.mts';
import { policy, request, rule } from './policies.mts';

test('a denied IPv4 address is denied in IPv6 that means it', () => {
	const prefix = fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:');
	fc.assert(
		fc.property(fc.ipV4(), prefix, (address, before) => {
			const [high, low] = ipaddr.IPv4.parse(address).toIPv4MappedAddress().parts.slice(6);
			const by = policy({
				rules: [rule('*', `http://${address}/*`, 'deny'), rule('*', '*', 'approve')],
			});
			const url = `http://[${before}${high.toString(16)}:${low.toString(16)}]/x`;
			const { decision } = decideRequest(request({ permission: 'webfetch', patterns: [url] }), by);
			expect([url, decision]).toEqual([url, 'deny']);
		}),
	);
});

test('an approved command has only the programs of its rules, as another parser reads it', () => {
	const by = policy({
		rules: ['ls *', 'cat *', 'npm *', 'git *', 'grep *'].map((each) =>
			rule('bash', each, 'approve'),
		),
	});
	const names = (value: unknown): string[] =>
		typeof value !== 'object' || value === null
			? []
			: Object.entries(value).flatMap(([key, each]) => [
					...(key === 'name' && 'type' in value && value.type === 'Command'
						? [(each as { value: string }).value]
						: []),
					...names(each),
				]);
	const approved = AGENT_COMMANDS.filter(
		(command) => decideRequest(request({ patterns: [command] }), by).decision === 'approve',
	);
	expect(approved.length).toBeGreaterThan(50);
	const programs = approved.flatMap((command) => names(parse(command)));
	expect(programs.length).toBeGreaterThanOrEqual(approved.length);
	expect(
		[...new Set(programs)].filter((name) => !/^(?:ls|cat|npm|git|grep|true)$/.test(name)),
	).toEqual([]);
});
