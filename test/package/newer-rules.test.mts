// Rules of n8n's linter that are newer than the one that installs, followed by hand.
import { describe, expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { INodeProperties } from 'n8n-workflow';
import { builtPackage } from '../../n8n-host/core.mts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { nodes } = builtPackage();

/** The editor's canvas, light and dark */
const BACKGROUND = { light: '#ffffff', dark: '#2d2e2e' };
/** WCAG 2 asks for this of what is no text. */
const MIN_CONTRAST = 3;
const MAX_HINT_LENGTH = 150;
const CATEGORIES = [
	...['AI', 'Analytics', 'Communication', 'Data & Storage', 'Development', 'Finance & Accounting'],
	...['Marketing & Content', 'Miscellaneous', 'Productivity', 'Sales', 'Utility'],
];
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i;
/** The UUID of examples, which belongs to nobody */
const EXAMPLE_UUID = '123e4567-e89b-12d3-a456-426614174000';

/** Returns the relative luminance of a color such as #1f3b6e. */
function luminance(color: string): number {
	const [red, green, blue] = [1, 3, 5].map((at) => {
		const value = parseInt(color.slice(at, at + 2), 16) / 255;
		return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
	const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
	return (light + 0.05) / (dark + 0.05);
}

/** Returns all fields of a panel, those within collections included. */
const allFields = (fields: INodeProperties[]): INodeProperties[] =>
	fields.flatMap((field) => {
		const inner = (field.options ?? []).flatMap((option) =>
			'values' in option ? option.values : 'type' in option ? [option] : [],
		);
		return [field, ...allFields(inner)];
	});

const icons = globSync('nodes/**/*.svg', { cwd: root });

test.each(icons)('icon-contrast: %s', (icon) => {
	const background = icon.endsWith('.dark.svg') ? BACKGROUND.dark : BACKGROUND.light;
	const colors = readFileSync(root + icon, 'utf8').match(/#[\da-f]{6}/gi)!;
	expect(colors.filter((color) => contrast(color, background) < MIN_CONTRAST)).toEqual([]);
});

test.each(globSync('nodes/*/*.node.json', { cwd: root }))('valid-node-categories: %s', (file) => {
	const { categories } = JSON.parse(readFileSync(root + file, 'utf8')) as { categories: string[] };
	expect(categories.length).toBeGreaterThan(0);
	expect(categories.filter((category) => !CATEGORIES.includes(category))).toEqual([]);
});

const descriptions = Object.values(nodes).map(({ description }) => description);

describe.each(descriptions)('$displayName', (description) => {
	test('single-credential-per-node', () => {
		expect(description.credentials).toHaveLength(1);
	});

	test(`hint-max-length: ${MAX_HINT_LENGTH} characters`, () => {
		const hints = allFields(description.properties).flatMap(({ hint }) => hint ?? []);
		expect(hints.filter((hint) => hint.length > MAX_HINT_LENGTH)).toEqual([]);
	});

	test('non-required-fields-in-collection: no field of a collection is required', () => {
		const collections = description.properties.filter(({ type }) => type === 'collection');
		const required = collections
			.flatMap(({ options }) => options as INodeProperties[])
			.filter((field) => field.required);
		expect(required).toEqual([]);
	});

	test('no-logic-or-flow-nodes: the node calls the service, and none is named after flow control', () => {
		expect(description.displayName).not.toMatch(
			/\b(if|switch|merge|loop|wait|filter|set|code|function|split|aggregate)\b/i,
		);
	});
});

test('no-hardcoded-ids: the only ID in the code is that of examples', () => {
	const found = globSync('{nodes,credentials}/**/*.ts', { cwd: root }).flatMap((file) =>
		(readFileSync(root + file, 'utf8').match(new RegExp(UUID, 'gi')) ?? [])
			.filter((id) => id !== EXAMPLE_UUID)
			.map((id) => `${file}: ${id}`),
	);
	expect(found).toEqual([]);
});
