// What an approver sees of a request: no field may be left out, even if the agent adds fields.
import { describe, expect, test } from '@jest/globals';
import { omit } from '../../nodes/shared/values.ts';
import { toSheets } from './sheets.mts';

const request = (changes: object = {}) => ({
	type: 'permission',
	id: 'i1',
	permission: 'bash',
	patterns: ['git push'],
	...changes,
});

const sheetOf = (changes: object) => toSheets([request(changes)])[0];
/** The facts but for those that every request has */
const moreOf = (changes: object) =>
	sheetOf(changes).facts.flatMap((fact) =>
		fact.isMinor || ['Permission', 'Option'].includes(fact.label)
			? []
			: [omit(fact, 'isMinor', 'value')],
	);

describe('a request', () => {
	test.each<[unknown, string, string]>([
		['bash', 'wants to run this command', 'Command'],
		[' Bash\n', 'wants to run this command', 'Command'],
		['Write', 'wants to edit this file', 'File'],
		['read ', 'wants to read this file', 'File'],
		['bash -c', 'wants to do this', 'Pattern'],
		['', 'wants to do this', 'Pattern'],
		[7, 'wants to do this', 'Pattern'],
	])('for %j %s, with a %s', (permission, says, label) => {
		const sheet = sheetOf({ permission });
		expect(sheet.says).toBe(says);
		expect(sheet.wants).toEqual([{ label, text: 'git push' }]);
		expect(sheet.named).toEqual(label === 'Pattern' ? sheet.facts[0] : undefined);
	});

	test('to edit a file that has a command is never shown as a file', () => {
		const { says, wants } = sheetOf({ permission: 'edit', command: 'rm -rf /' });
		expect([says, wants]).toEqual(['wants to do this', [{ label: 'Command', text: 'rm -rf /' }]]);
	});
});

describe('a command', () => {
	const pattern = { label: 'Pattern', text: 'git *' };

	test.each<[string, object, string[]]>([
		['beside the patterns', { command: 'git push' }, ['git push']],
		['in the metadata', { metadata: { command: 'git push' } }, ['git push']],
		['twice', { command: 'git push', metadata: { command: 'git push' } }, ['git push']],
		['of two kinds', { command: 'git push', metadata: { command: 'rm' } }, ['git push', 'rm']],
	])('that is given %s comes before the patterns', (_, changes, texts) => {
		const { wants, covers } = sheetOf({ patterns: ['git *'], ...changes });
		expect(wants.map(({ text }) => text)).toEqual(texts);
		expect(covers).toEqual([pattern]);
	});

	test.each<[string, unknown, string | undefined]>([
		['a text', 'rm', undefined],
		['an empty text', '', undefined],
		['missing', undefined, undefined],
		['a list', ['rm', '-rf'], '["rm","-rf"]'],
		['null', null, 'null'],
	])('or a folder that is %s has a fact of its own unless a text shows it', (_, value, text) => {
		const facts = text === undefined ? [] : ['Command', 'Folder'].map((label) => ({ label, text }));
		expect(moreOf({ command: value, cwd: value })).toEqual(facts);
	});
});

describe('other details', () => {
	test.each<[string, object, object | undefined]>([
		['nothing unknown', {}, undefined],
		['known fields of the response', { response: { type: 'choice', options: [] } }, undefined],
		['an unknown field', { force: true }, { force: true }],
		['an unknown field without a value', { force: null }, { force: null }],
		[
			'an unknown field of the response',
			{ response: { options: [{ value: 'once' }], runs: 'rm' } },
			{ response: { runs: 'rm' } },
		],
		[
			'an unknown field of an option',
			{ response: { options: [{ value: 'once' }, { value: 'a', runs: 'rm' }] } },
			{ response: { options: [{ runs: 'rm' }] } },
		],
		[
			'options that are no list',
			{ response: { options: 'all' } },
			{ response: { options: 'all' } },
		],
		['options that are null', { response: { options: null } }, { response: { options: null } }],
		['a response that is a text', { response: 'rm' }, { response: 'rm' }],
		[
			'all of them',
			{ force: 1, response: { options: ['all'], runs: 'rm' } },
			{ force: 1, response: { runs: 'rm', options: ['all'] } },
		],
		[
			'fields of the request that have the name of one of the response',
			{ options: 'rm -rf /', response: { options: [{ value: 'once', color: 'red' }] } },
			{ options: 'rm -rf /', response: { options: [{ color: 'red' }] } },
		],
		[
			'the name that a short form has',
			{ n8nLeftOut: { fields: -1, run: 'rm' } },
			{ n8nLeftOut: { fields: -1, run: 'rm' } },
		],
	])('show what no other fact shows: %s', (_, changes, rest) => {
		expect(moreOf(changes)).toEqual(
			rest === undefined ? [] : [{ label: 'Other details', text: JSON.stringify(rest) }],
		);
	});
});
