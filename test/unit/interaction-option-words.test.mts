// Meaning of single words, signs and lengths of an option: the limits of the vocabulary.
import { describe, expect, test } from '@jest/globals';
import {
	chooseOption,
	type ApproveWith,
	type Option,
	type OptionPreferences,
} from '../../nodes/shared/approvals/options.ts';

type Side = 'approve' | 'deny';

const choose = (
	options: Option[],
	decision: Side,
	approveWith: ApproveWith = 'once',
	named: Partial<OptionPreferences> = {},
) => chooseOption(options, decision, { approveWith, ...named });
const labelled = (label: string): Option[] => [{ value: 1, label }];

describe('a label', () => {
	test.each<[string, Side]>([
		['✅', 'approve'],
		['✔️', 'approve'],
		['❌', 'deny'],
		['🚫', 'deny'],
		[' Y ', 'approve'],
		['Yes!', 'approve'],
		['No.', 'deny'],
		['No , reject', 'deny'],
		['No, please', 'deny'],
		['No: that', 'deny'],
		['Do  not allow', 'deny'],
		['Do not allow, never approve', 'deny'],
		['Don’t allow', 'deny'],
	])('%j says %s', (label, side) => {
		const other = side === 'approve' ? 'deny' : 'approve';
		expect(choose(labelled(label), side, 'always')).toBe(1);
		expect(choose(labelled(label), other, 'always')).toBeUndefined();
	});

	test.each(['allow deny', 'deny once always', 'allow once always', 'no allow', 'nothing, reject'])(
		'%j has no clear meaning',
		(label) => {
			expect(choose(labelled(label), 'approve', 'always')).toBeUndefined();
			expect(choose(labelled(label), 'deny')).toBeUndefined();
		},
	);

	test.each<[string | number, string | number | undefined]>([
		['3f2a9c1e-77ab-4d2e-8f00-1a2b3c4d5e6f', '3f2a9c1e-77ab-4d2e-8f00-1a2b3c4d5e6f'],
		['b12', 'b12'],
		['deadbeef', undefined],
		['3fa', undefined],
		['3f2axyz', undefined],
		['xyz3f2a', undefined],
		['ab1', undefined],
	])('decides together with the value %j: %j', (value, expected) => {
		expect(choose([{ value, label: 'Allow' }], 'approve')).toBe(expected);
	});
});

describe('a value and a label', () => {
	test.each<[string, Option[]]>([
		['say once and always', [{ value: 'allow_once', label: 'Allow always' }]],
		['say always and once', [{ value: 'allow_always', label: 'Allow once' }]],
		['say permanent, and what is not known', [{ value: 'permanent_xyz', label: 'Allow' }]],
	])('that %s are no approval', (_, options) => {
		expect(choose(options, 'approve', 'always')).toBeUndefined();
	});
});
