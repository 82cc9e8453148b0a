import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	parseDirectives,
	usualOptions,
	type PermissionRequest,
	type Question,
	type Step,
} from '../../local-service/agent/directives.mts';

const word = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/);
/** Words as people write them in patterns and sentences, without what would end or split them */
const phrase = fc
	.stringMatching(/^[A-Za-z0-9*/.~!?’-][A-Za-z0-9*/.~!? ’-]{0,18}[A-Za-z0-9*/.~!?’-]$/)
	.filter((text) => !/ [+] /.test(text));
const ms = fc.integer({ min: 1, max: 10_000_000 });
const option = fc.record({ value: word, label: phrase });
const request: fc.Arbitrary<PermissionRequest> = fc.record({
	permission: word,
	patterns: fc.array(phrase, { minLength: 1, maxLength: 3 }),
	options: fc.oneof(fc.constant(usualOptions), fc.array(option, { minLength: 1, maxLength: 3 })),
});
const question: fc.Arbitrary<Question> = fc.oneof(
	fc.record({ type: fc.constant('question' as const), text: phrase }),
	fc.record({
		type: fc.constant('question' as const),
		text: phrase,
		options: fc.array(option, { minLength: 1, maxLength: 3 }),
	}),
	fc.record({
		type: fc.constant('choice' as const),
		text: phrase,
		options: fc
			.array(phrase, { minLength: 1, maxLength: 3 })
			.map((values) => values.map((value) => ({ value, label: value }))),
	}),
);
const step: fc.Arbitrary<Step> = fc.oneof(
	fc.record({ kind: fc.constantFrom('work' as const, 'idle' as const), ms }),
	fc.record({
		kind: fc.constant('ask' as const),
		requests: fc.array(request, { minLength: 1, maxLength: 3 }),
		orFail: fc.boolean(),
	}),
	fc.record({ kind: fc.constant('say' as const), text: phrase }),
	fc.record({ kind: fc.constant('fail' as const), text: phrase }),
	fc.record({ kind: fc.constant('question' as const), question }),
	fc.record({
		kind: fc.constant('change' as const),
		change: fc.record({
			form: fc.constantFrom('diff' as const, 'texts' as const, 'content' as const),
			before: phrase,
			after: phrase,
		}),
	}),
	fc.record({ kind: fc.constant('status' as const), status: word, ms }),
);

const writeRequest = ({ permission, patterns, options }: PermissionRequest) =>
	`${permission}: ${patterns.join(', ')}` +
	(options === usualOptions
		? ''
		: ` {${options.map(({ value, label }) => `${value}=${label}`).join(', ')}}`);

const writeOptions = ({ type, options }: Question) =>
	options
		? ` {${options.map(({ value, label }) => (type === 'choice' ? value : `${value}=${label}`)).join(', ')}}`
		: '';

function write(step: Step): string {
	switch (step.kind) {
		case 'work':
		case 'idle':
			return `[${step.kind} ${step.ms}ms]`;
		case 'status':
			return `[status ${step.status} ${step.ms}ms]`;
		case 'ask':
			return `[ask${step.orFail ? '!' : ''} ${step.requests.map(writeRequest).join(' + ')}]`;
		case 'question':
			return `[question ${step.question.text}${writeOptions(step.question)}]`;
		case 'change':
			return `[change ${step.change.form}: ${step.change.before} => ${step.change.after}]`;
		default:
			return `[${step.kind} ${step.text}]`;
	}
}

describe('directives', () => {
	test('every script is read back unchanged, in order', () => {
		fc.assert(
			fc.property(fc.array(step), (steps) =>
				expect(parseDirectives(steps.map(write).join(' ')).steps).toEqual(steps),
			),
		);
	});

	test('no prompt is ever an error, and a prompt without directives is all text', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), (prompt) => {
				const { steps, text } = parseDirectives(prompt);
				if (steps.length === 0) expect(text).toBe(prompt.trim());
			}),
		);
	});

	test.each([
		['500ms', 500],
		['20s', 20_000],
		['1.5s', 1500],
		['2m', 120_000],
		['1h', 3_600_000],
	])('reads the duration %s', (text, ms) => {
		expect(parseDirectives(`[work ${text}]`).steps).toEqual([{ kind: 'work', ms }]);
	});

	test.each([
		'[work soon]',
		'[work]',
		'[status odd]',
		'[dance 3s]',
		'[ask : x]',
		'[change diff: a]',
		'[change a => b]',
		'[say ]',
		'arr[0]',
	])('%s is not a directive', (text) => {
		expect(parseDirectives(text)).toEqual({ steps: [], text });
	});
});
