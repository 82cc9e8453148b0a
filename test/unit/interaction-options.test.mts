import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	readOptions,
	chooseOption,
	readMeaning,
	type ApproveWith,
	type OptionPreferences,
} from '../../nodes/shared/approvals/options.ts';

type Side = 'approve' | 'deny';

/** Options from `value=label`, from a value alone, or as they are. */
const getOptions = (options: Array<string | { value: unknown; label?: unknown }>) =>
	readOptions({
		response: {
			options: options.map((option) => {
				if (typeof option !== 'string') return option;
				const [value, label] = option.split('=');
				return { value, label };
			}),
		},
	});
const choose = (
	options: Parameters<typeof getOptions>[0],
	decision: Side,
	approveWith: ApproveWith = 'once',
	named: Partial<OptionPreferences> = {},
) => chooseOption(getOptions(options), decision, { approveWith, ...named });

describe('an option with a description, or any other field,', () => {
	const only = (words: object, others: object) =>
		choose([{ ...words, ...others } as never], 'approve');
	test.each([
		{ description: 'Standing approval' },
		{ description: 'Skips this prompt next time' },
		{ description: 'Runs it' },
		{ hint: 'No longer ask' },
		{ title: 'Adds git push to the allowlist' },
		{ duration: 3_600 },
		{ scope: 'command' },
		{ expiresAt: null },
		{ icon: 'check' },
	])('is once only if its value or label says once: %j', (others) => {
		expect(only({ value: 'allow', label: 'Allow' }, others)).toBeUndefined();
		expect(only({ value: 'allow', label: 'Allow once' }, others)).toBe('allow');
		expect(only({ value: 'once', label: 'Allow' }, others)).toBe('once');
		expect(only({ value: 'allow', label: 'Allow' }, {})).toBe('allow');
	});

	test.each([
		{ description: "Don't ask again" },
		{ description: 'Forever' },
		{ scope: 'always' },
		{ id: 'allow_session' },
	])('is never once if that says always: %j', (others) => {
		expect(only({ value: 'once', label: 'Allow once' }, others)).toBeUndefined();
	});

	test('denies as one without, and lasts only if it says so', () => {
		const reject = { value: 'reject', label: 'Reject', description: 'The agent goes on' };
		expect(choose([reject], 'deny')).toBe('reject');
		expect(readMeaning(readOptions({ response: { options: [reject] } })[0]).name).toBe('Deny');
	});
});

describe('an option is recognized by the words of its value', () => {
	test.each<[string[], Side, ApproveWith, string | undefined]>([
		[['always', 'once', 'reject'], 'approve', 'once', 'once'],
		[['always', 'once', 'reject'], 'approve', 'always', 'always'],
		[['always', 'once', 'reject'], 'deny', 'once', 'reject'],
		[['alwaysAllow', 'allowOnce', 'no'], 'approve', 'always', 'alwaysAllow'],
		[['y', 'n'], 'deny', 'once', 'n'],
		[['APPROVE', 'DECLINE'], 'deny', 'once', 'DECLINE'],
		[['proceed', 'stop'], 'approve', 'once', 'proceed'],
		[['permit', 'block'], 'deny', 'once', 'block'],
		[['allow', 'disallow'], 'deny', 'once', 'disallow'],
		[['accept', 'continue'], 'approve', 'once', 'accept'],
		[['left', 'right'], 'approve', 'once', undefined],
		[['do_not_allow', 'later'], 'approve', 'once', undefined],
		[['reject_once', 'reject_always'], 'deny', 'once', 'reject_once'],
		[['allow_a', 'allow_b'], 'approve', 'once', undefined],
		[['allowing', 'rejected'], 'approve', 'once', undefined],
		[['allow_or_deny'], 'approve', 'always', undefined],
		[['allow_or_deny'], 'deny', 'once', undefined],
		[['allow=Allow', 'allow=Allow always'], 'approve', 'once', undefined],
		[[], 'approve', 'once', undefined],
	])('of %j, %s with %s is %j', (values, decision, approveWith, expected) => {
		expect(choose(values, decision, approveWith)).toBe(expected);
	});
});

describe('an option that allows more than once', () => {
	test.each([
		['always'],
		['all'],
		['allow_session'],
		['allowForSession'],
		['allow_permanent'],
		['allow_for_2_days'],
		["yes=Yes, and don't ask again"],
		['once=Allow once for this session'],
		['allow_24h'],
		['24h=Allow'],
		['1=Allow from now on'],
		['allow=From now on'],
		['workspace=Allow once'],
		['allow=Always ask'],
		['allow=∞'],
	])('is never treated as once: %s', (option) => {
		expect(choose([option, 'reject=Reject'], 'approve', 'once')).toBeUndefined();
	});

	test.each([
		[['allow', 'allow_session', 'allow_forever'], 'allow_forever'],
		[['allow', 'permanently'], 'permanently'],
		[['allow', "yes=Yes, and don't ask again"], 'yes'],
		[['allow_session_a', 'allow_session_b', 'once'], 'once'],
		[['session=Allow', 'session=Always', 'always', 'forever=Always'], 'always'],
	])('is preferred with Approve With Always: of %j, %j', (options, expected) => {
		expect(choose(options, 'approve', 'always')).toBe(expected);
	});
});

describe('the label', () => {
	test.each<[Array<string | { value: unknown; label?: unknown }>, Side, unknown]>([
		[['1=Yes, go ahead', '2=No'], 'deny', '2'],
		[
			[
				{ value: '1', label: 'Allow' },
				{ value: '0', label: 'Reject' },
			],
			'deny',
			'0',
		],
		[['a=Erlauben 🚀', 'b=✅ Allow'], 'approve', 'b'],
		[['a=Nicht erlauben'], 'deny', undefined],
		[['once=Einmal erlauben', 'reject=Ablehnen'], 'approve', 'once'],
		[['a=🚫 Reject', 'b=✅ Allow once'], 'deny', 'a'],
		[['1=Just this time: allow', '2=Reject'], 'approve', '1'],
		[['x=Don’t allow', 'y2=Allow'], 'approve', 'y2'],
		[['x=Never allow'], 'deny', 'x'],
		[['x=No, reject'], 'deny', 'x'],
	])('decides if the value has no meaning: of %j, %s is %j', (options, decision, expected) => {
		expect(choose(options, decision)).toBe(expected);
	});

	test.each([
		'stop=Stop asking',
		'stop_asking',
		'disallow=Disallow further prompts',
		'1=Cancel approvals',
		'deny=Continue',
		'launch=Deny',
		"1=Don't ask again",
		'constructor',
	])('never allows beside the value deny: %s', (option) => {
		expect(choose([option], 'deny')).toBeUndefined();
	});

	test.each(['no_limits', 'n_plus_1', 'no block', 'x=No limits', 'x=No rejections'])(
		'denies beside the value deny with "no" only if "no" is alone: %s',
		(option) => {
			expect(choose([option], 'deny')).toBeUndefined();
		},
	);
});

describe('the words of a label', () => {
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
		expect(choose([{ value: '1', label }], side, 'always')).toBe('1');
		expect(choose([{ value: '1', label }], other, 'always')).toBeUndefined();
	});

	test.each(['allow deny', 'deny once always', 'allow once always', 'no allow', 'nothing, reject'])(
		'%j has no clear meaning',
		(label) => {
			expect(choose([{ value: '1', label }], 'approve', 'always')).toBeUndefined();
			expect(choose([{ value: '1', label }], 'deny')).toBeUndefined();
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
	test.each<[string, object[]]>([
		['say once and always', [{ value: 'allow_once', label: 'Allow always' }]],
		['say always and once', [{ value: 'allow_always', label: 'Allow once' }]],
		['say permanent, and what is not known', [{ value: 'permanent_xyz', label: 'Allow' }]],
	])('that %s are no approval', (_, options) => {
		expect(choose(options as never, 'approve', 'always')).toBeUndefined();
	});
});

describe('a value from the panel', () => {
	test.each<[string[], Side, ApproveWith, Partial<OptionPreferences>, unknown]>([
		[['go', 'halt'], 'approve', 'once', { approveValues: ['go'] }, 'go'],
		[['go', 'halt'], 'deny', 'once', { denyValues: [' halt '] }, 'halt'],
		[['b', 'a'], 'approve', 'once', { approveValues: ['a', 'b'] }, 'a'],
		[['yes=Deny', 'no=Allow'], 'approve', 'once', { approveValues: ['no'] }, 'no'],
		[['once'], 'approve', 'once', { approveValues: ['elsewhere'] }, 'once'],
		[['once'], 'approve', 'once', { denyValues: ['once'] }, undefined],
		[['reject'], 'deny', 'once', { approveValues: ['reject'] }, undefined],
		[['go'], 'approve', 'once', { approveValues: ['go'], denyValues: ['go'] }, undefined],
		[['go'], 'approve', 'once', { approveValues: ['', ' '] }, undefined],
	])(
		'wins over words: of %j, %s with %s and %j is %j',
		(options, decision, approveWith, named, expected) => {
			expect(choose(options, decision, approveWith, named)).toBe(expected);
		},
	);
});

describe('for any options', () => {
	const word = fc.constantFrom(
		...['allow', 'once', 'always', 'yes', 'accept', 'session', 'forever', 'permanently', 'all'],
		...['not', 'no', 'reject', 'deny', 'never', 'cancel', 'stop', 'later', 'x', 'Don’t'],
	);
	const text = fc.array(word, { maxLength: 3 }).map((words) => words.join(' '));
	const option = fc.record({ value: text, label: text });

	test('an approval never selects a denial, and with Once never a lasting option', () => {
		let picked = 0;
		fc.assert(
			fc.property(
				fc.array(option, { maxLength: 4 }),
				fc.constantFrom<ApproveWith>('once', 'always'),
				(options, approveWith) => {
					const value = choose(options, 'approve', approveWith);
					if (value === undefined) return;
					picked++;
					const said = options
						.filter((each) => each.value === value)
						.map((each) => `${each.value} ${each.label}`)
						.join(' ');
					expect(said).not.toMatch(/\b(not|no|never|reject|deny|cancel|stop|don’t)\b/i);
					if (approveWith === 'always') return;
					expect(said).not.toMatch(/always|session|forever|permanently|all\b(?<!allow)/);
				},
			),
			{ numRuns: 5_000 },
		);
		expect(picked).toBeGreaterThan(20);
	});

	// Unknown words, with which a service may limit the time or the user, or stop asking
	const outside = fc.oneof(
		fc.constantFrom(
			...['workspace', 'everyone', 'admin', '24h', 'team', 'global', 'trusted', 'unrestricted'],
			...['now', 'asking', 'prompts', 'further', 'future', 'similar', 'remember', 'any', '全部'],
		),
		fc.string({ unit: fc.constantFrom(...'qxzäжк'), minLength: 4, maxLength: 8 }),
	);
	const known = fc.constantFrom(
		...['allow', 'grant', 'yes', 'ok', 'once', 'always', 'session', 'accept', 'proceed'],
		...['reject', 'deny', 'stop', 'block', 'disallow', 'no', 'cancel', 'decline'],
	);
	const spelled = (list: string[], style: number) =>
		[
			list.join('_'),
			list.join(' '),
			list.join('-'),
			list.map((each, at) => (at ? each[0].toUpperCase() + each.slice(1) : each)).join(''),
		][style];

	test('an unknown word beside a known word makes the option unclear', () => {
		fc.assert(
			fc.property(
				known,
				outside,
				fc.nat(1),
				fc.nat(3),
				fc.boolean(),
				(word, other, first, style, asLabel) => {
					const said = spelled(first ? [word, other] : [other, word], style);
					const options = [asLabel ? { value: 1, label: said } : { value: said }];
					for (const decision of ['approve', 'deny'] as const)
						for (const approveWith of ['once', 'always'] as const)
							expect(choose(options, decision, approveWith)).toBeUndefined();
				},
			),
			{ numRuns: 3_000 },
		);
	});

	test.each(['a', ' ', ',', "'", 'aB', 'no ', 'don’t ', ': ', 'x allow '])(
		"a megabyte of %j in a value or a label has no meaning, and isn't parsed",
		(piece) => {
			const long = piece.repeat(Math.ceil(1_000_000 / piece.length));
			const options = Array.from({ length: 900 }, (_, index) => ({ value: index, label: long }));
			expect(choose(options, 'approve')).toBeUndefined();
			expect(choose([{ value: `allow ${long}` }], 'approve')).toBeUndefined();
			expect(choose([{ value: 'x', label: `Allow ${long}` }], 'approve')).toBeUndefined();
		},
	);
});
