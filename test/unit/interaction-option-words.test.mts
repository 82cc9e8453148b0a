// Meaning of single words, signs and lengths of an option: the limits of the vocabulary.
import { describe, expect, test } from '@jest/globals';
import {
	readOptions,
	chooseOption,
	readMeaning,
	readChoices,
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

	test('is read up to a thousand characters', () => {
		const long = 'Allow'.padEnd(1_000);
		expect(choose(labelled(long), 'approve')).toBe(1);
		expect(choose(labelled(`${long} `), 'approve')).toBeUndefined();
	});

	test('that is a number is shown as one', () => {
		const options = [
			{ value: 1, label: 7 },
			{ value: 2, label: true },
		];
		expect(readOptions({ response: { options } })).toEqual([
			{ value: 1, label: '7' },
			{ value: 2, label: '' },
		]);
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

describe('several options', () => {
	test('with the same word are ambiguous, also if one lasts', () => {
		const twice = ['allow', 'allow please'].map((value) => ({ value, label: '' }));
		expect(choose(twice, 'approve')).toBeUndefined();
		const lasting = ['always', 'always please'].map((value) => ({ value, label: '' }));
		expect(choose(lasting, 'approve', 'always')).toBeUndefined();
	});

	test('are read up to a thousand of them', () => {
		const others = Array.from({ length: 999 }, (_, index) => ({ value: index, label: '' }));
		const once = { value: 'once', label: '' };
		expect(choose([...others, once], 'approve')).toBe('once');
		expect(choose([...others, { value: 'x', label: '' }, once], 'approve')).toBeUndefined();
	});

	test('are found by the values from the fields, with any spaces around the values', () => {
		const options = [
			{ value: ' go ', label: '' },
			{ value: 'once', label: '' },
		];
		expect(choose(options, 'approve', 'once', { approveValues: ['go'] })).toBe(' go ');
		expect(
			choose([{ value: ' allow ', label: '' }], 'approve', 'once', { denyValues: ['allow'] }),
		).toBeUndefined();
	});
});

describe('the name of an option', () => {
	test.each<[string, Option, Partial<OptionPreferences>, string | undefined]>([
		['once', { value: 'once', label: '' }, {}, 'Approve once'],
		['an approval', { value: 'allow', label: 'Allow' }, {}, 'Approve once'],
		['always', { value: 'allow_always', label: 'Allow always' }, {}, 'Always approve'],
		['a session', { value: 1, label: 'Allow for this session' }, {}, 'Always approve'],
		['a denial', { value: 'reject', label: 'Reject' }, {}, 'Deny'],
		['a denial that lasts', { value: 'reject_always', label: '' }, {}, 'Always deny'],
		['nothing', { value: 'maybe', label: 'Later' }, {}, undefined],
		['what is not clear', { value: 'allow_24h', label: '' }, {}, undefined],
		['named', { value: 'go', label: '' }, { approveValues: ['go'] }, 'Approve once'],
		['named', { value: 'once', label: 'x' }, { approveValues: ['once'] }, 'Approve once'],
		['named', { value: 'always', label: '' }, { approveValues: ['always'] }, 'Always approve'],
		[
			'named',
			{ value: 'allow_24h', label: '' },
			{ approveValues: ['allow_24h'] },
			'Always approve',
		],
		['named', { value: 'go', label: 'From now on' }, { approveValues: ['go'] }, 'Always approve'],
		['named', { value: 'halt', label: '' }, { denyValues: [' halt '] }, 'Deny'],
		[
			'named against its words',
			{ value: 'no', label: '' },
			{ approveValues: ['no'] },
			'Approve once',
		],
		[
			'named twice',
			{ value: 'a', label: '' },
			{ approveValues: ['a'], denyValues: ['a'] },
			undefined,
		],
	])('of %s: %j with %j is %s', (_, option, named, name) => {
		const meaning = readMeaning(option, named);
		expect(meaning.name).toBe(name);
		expect(meaning.lasts).toBe(name?.startsWith('Always') ?? meaning.lasts);
	});

	test('is Approve once if Approve Values has the value and the label lasts', () => {
		const options = ['allow_once', 'allow_always', 'reject'].map((value) => ({ value, label: '' }));
		const named = { approveValues: ['allow_always'] };
		expect(readChoices(options, named).map(({ value, name }) => [value, name])).toEqual([
			['allow_once', 'Approve once'],
			['allow_always', 'Always approve'],
			['reject', 'Deny'],
		]);
	});

	test('is missing for an option value with two meanings', () => {
		const options = ['Allow', 'Allow always'].map((label) => ({ value: 'go', label }));
		expect(readChoices(options)).toEqual([]);
	});
});
