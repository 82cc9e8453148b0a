// Requests as templates: what is written by one is read by it, and nothing else is.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	findPlaceholders,
	readValues,
	strayField,
	writeValues,
	type Template,
} from '../../local-service/dialects/templates.mts';

const names = ['a', 'b', 'c', 'd'];
const key = fc.stringMatching(/^[a-z_]{1,6}$/);

/** Templates in which every placeholder stands once */
const template: fc.Arbitrary<Template> = fc
	.letrec<{ node: Template }>((tie) => ({
		node: fc.oneof(
			{ depthSize: 'small' },
			fc.constant('?'),
			fc.stringMatching(/^[a-z]{0,5}$/),
			fc.array(tie('node'), { minLength: 1, maxLength: 2 }),
			fc.dictionary(key, tie('node'), { minKeys: 1, maxKeys: 3 }),
		),
	}))
	.node.map((node) => {
		let next = 0;
		const numbered = (part: Template): Template => {
			if (part === '?') return next < names.length ? `{${names[next++]}}` : 'x';
			if (Array.isArray(part)) return part.map(numbered);
			if (typeof part !== 'object' || part === null) return part;
			return Object.fromEntries(
				Object.entries(part).map(([name, inner]) => [name, numbered(inner)]),
			);
		};
		return { top: numbered(node), kind: 'fixed' };
	});
const value = fc.jsonValue({ maxDepth: 2 });

test('a template reads the values that it writes, for any values', () => {
	fc.assert(
		fc.property(template, fc.array(value, { minLength: 4, maxLength: 4 }), (shape, given) => {
			const values = Object.fromEntries(
				findPlaceholders(shape).map((name) => [name, given[names.indexOf(name)]]),
			);
			expect(readValues(shape, writeValues(shape, values), 'body')).toEqual(values);
		}),
	);
});

test('a value is never searched for placeholders', () => {
	expect(writeValues({ text: '{text}' }, { text: '{prompt}', prompt: 'secret' })).toEqual({
		text: '{prompt}',
	});
});

test('a field without a value is omitted, with the objects that become empty', () => {
	const shape = { kind: '{kind}', source: { type: '{type}', data: '{data}' } };
	expect(writeValues(shape, { kind: 'folder' })).toEqual({ kind: 'folder' });
	expect(writeValues(shape, { kind: 'file', type: 'text' })).toEqual({
		kind: 'file',
		source: { type: 'text' },
	});
	expect(writeValues(shape, { kind: null })).toEqual({ kind: null });
});

test('a field in its assumed place is found if the template has none there', () => {
	const assumed = { projectId: '{projectId}', source: { data: '{data}', type: '{type}' } };
	const own = { project_id: '{projectId}', source: { base64: '{data}', type: '{type}' } };
	expect(strayField(own, assumed, { projectId: 1 })).toBe('projectId');
	expect(strayField(own, assumed, { source: { data: 1 } })).toBe('source/data');
	expect(strayField(own, assumed, { project_id: 1, source: { type: 1, base64: 2 } })).toBe(
		undefined,
	);
});
