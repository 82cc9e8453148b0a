// The list of approvers: each person counts once.
import { expect, test } from '@jest/globals';
import { readApprovers } from '../../nodes/RunAgentSession/panel/readLists.ts';

test.each([
	['Ann@x.io', 'mailto:ann@x.io'],
	['ann@x.io', 'Ann <ann@x.io>'],
	['ann@x.io', '<mailto:ANN@x.io|Ann>'],
	['ann@x.io', 'mailto:ann@x.io?subject=Approve'],
	['ann@x.io', 'ann@\u200Bx.io'],
	['ann@x.io', 'ａｎｎ@x.io'],
	['U123', '<@U123>'],
	['@ann', 'ann'],
	['+49 170 1', '+491701'],
])('%j and %j are one person', (one, other) => {
	const approver = [one, other].map((contact, at) => ({ name: `Ann ${at}`, contact }));
	const { approvers, merged } = readApprovers({ approver });
	expect(approvers.map(({ name }) => name)).toEqual(['Ann 0']);
	expect(merged).toEqual(['Ann 1']);
});

test.each([
	['ann@x.io', 'bob@x.io'],
	['ann@x.io', 'ann@y.io'],
	['ann+site@x.io', 'ann@x.io'],
	['U123', 'U124'],
])('%j and %j are two people', (one, other) => {
	const approver = [one, other].map((contact) => ({ name: 'Ann', contact }));
	expect(readApprovers({ approver }).approvers).toHaveLength(2);
});

test('someone who is listed as a backup and as an approver is an approver', () => {
	const approver = [true, false, true].map((isBackup) => ({
		name: 'Ann',
		contact: 'a@x.io',
		isBackup,
	}));
	expect(readApprovers({ approver }).approvers).toEqual([{ name: 'Ann', contact: 'a@x.io' }]);
});

test('more than 50 approvers are refused', () => {
	const approver = Array.from({ length: 51 }, (_, at) => ({ name: `Ann ${at}`, contact: '' }));
	expect(() => readApprovers({ approver })).toThrow("'Approvers' has more than 50 approvers");
	expect(readApprovers({ approver: approver.slice(1) }).approvers).toHaveLength(50);
});
