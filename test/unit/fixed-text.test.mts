// As an AI tool, fields that decide have a fixed value, or text with only these forms of expressions.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isFixedValue } from '../../nodes/shared/n8n/aiTool.ts';

describe('no model can write', () => {
	test.each<[unknown]>([
		['rules'],
		[null],
		['{{ $json.x }}'],
		['git push, $fromAI("x")'],
		[{ rule: [{ permission: 'bash', pattern: 'git *', decision: 'approve' }] }],
		['=git push'],
		['={{ $vars.branch }}'],
		['=git push {{ $vars.remote }} {{ $vars.branch }}'],
		['={{ $workflow.name }}'],
		['={{ $now.minus({ days: 7 }).toISO() }}'],
		['={{ $now.plus(1, "day").toFormat(\'yyyy-MM-dd\') }}'],
		['={{ $vars.branch.trim().toLowerCase() }}'],
		['={{ $vars.a.replace("a", "b").slice(0, -1) }}'],
		['={{ $(\'Config\').first().json["pattern"] }}'],
		['={{ $("Config node").first().json[\'a b\'][0].c.trim() }}'],
	])('%j', (value) => expect(isFixedValue(value)).toBe(true));
});

describe('a model may write', () => {
	test.each([
		'={{ $json.x }}',
		'={{ $js\\u006fn.x }}',
		'={{ $evaluateExpression("{{ $json.x }}") }}',
		'={{ $node["Agent"].json.x }}',
		"={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('x') }}",
		'={{ this.$json.x }}',
		'={{ globalThis }}',
		'={{ $vars }}',
		'={{ $execution.customData.get("x") }}',
		'={{ $vars[$json.x] }}',
		'={{ $vars["a"] }}',
		'={{ $vars.a; $json.x }}',
		'={{ $vars.a // }}',
		'={{ $vars.a\n }}{{ $json.x }}',
		'={{ $vars.a.replace("a", $json.x) }}',
		'={{ $vars.a.replace(/a/, "b") }}',
		'={{ $vars.a.replace("a", `${$json.x}`) }}',
		'={{ $vars.a.constructor("return $json")() }}',
		'={{ $vars.constructor.constructor("return 1").call("") }}',
		'={{ $vars.a.call("x") }}',
		'={{ $now.plus({ days: $json.x }) }}',
		'={{ $now.plus({ [$json.x]: 1 }) }}',
		'={{ $now.plus({ days: { a: 1 }}) }}',
		"={{ $('Agent').item.json.x }}",
		"={{ $('Agent').first().json }}",
		"={{ $('Agent').first().binary.x }}",
		"={{ $('Agent').first($json.x).json.x }}",
		"={{ $('Agent').first().json[$json.x] }}",
		'={{ $(`Agent`).first().json.x }}',
		'={{ $($json.x).first().json.x }}',
		"={{ $('a }} {{ $json.x }} b').first().json.a }}",
		"={{ $('a\\'').first().json.a }}",
		'={{ "approve" }}',
		'={{ }}',
		'={{ $vars.a }} {{ $json.x',
		'={{ {{ $vars.a }} }}',
		'=}}{{ $vars.a }}',
	])('%j', (text) => {
		expect(isFixedValue(text)).toBe(false);
		expect(isFixedValue({ rule: [{ pattern: 'x' }, { pattern: text }] })).toBe(false);
	});

	test('every expression with another name of n8n, wherever it stands', () => {
		const name = fc.constantFrom(
			...['$json', '$input', '$data', '$parameter', '$fromAI("x")', '$tool.x'],
		);
		const around = fc.constantFrom(
			...['', '$vars.a', '+', '.trim()', '("x")', ' ', '||', '}}', '{{', "'"],
		);
		fc.assert(
			fc.property(around, name, around, (before, root, after) => {
				expect(isFixedValue(`={{ ${before}${root}${after} }}`)).toBe(false);
			}),
		);
	});
});

test('a deep value and a long text are read without a stack and in linear time', () => {
	let deep: unknown = '={{ $json.x }}';
	for (let level = 0; level < 100_000; level++) deep = [deep];
	expect(isFixedValue(deep)).toBe(false);
	for (const piece of ['{{ ', '$vars.a', "$('", '.trim()', '{{ $vars.a }}', ' ', '"'])
		expect(typeof isFixedValue(`=${piece.repeat(100_000)}`)).toBe('boolean');
});
