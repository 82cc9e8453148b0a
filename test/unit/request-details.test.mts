// What an approver sees of a request: no field may be left out, even if the agent adds fields.
import { describe, expect, test } from '@jest/globals';
import { describeRequest } from '../../nodes/RunAgentSession/requests/details.ts';

const request = (changes: object = {}) => ({
	type: 'permission',
	id: 'i1',
	permission: 'bash',
	patterns: ['git push'],
	...changes,
});

describe('a request', () => {
	test.each<[unknown, string]>([
		['rm -rf /', 'rm -rf /'],
		[null, 'null'],
		[undefined, 'undefined'],
		[['rm'], '["rm"]'],
	])('that is no object is shown whole: %j', (interaction, text) => {
		expect(describeRequest(interaction)).toStrictEqual({
			kind: 'unreadable',
			permission: { label: 'Not readable', text },
			targets: [],
			covers: [],
			more: [],
			options: [],
		});
	});

	test.each<[unknown, string, string]>([
		['bash', 'command', 'Command'],
		[' Bash\n', 'command', 'Command'],
		['Write', 'edit', 'File'],
		['read ', 'read', 'File'],
		['bash -c', 'other', 'Pattern'],
		['', 'other', 'Pattern'],
		[7, 'other', 'Pattern'],
	])('for %j is one of kind %s, with a %s', (permission, kind, label) => {
		const details = describeRequest(request({ permission }));
		expect(details.kind).toBe(kind);
		expect(details.targets).toEqual([{ label, text: 'git push' }]);
	});

	test.each<[unknown, string]>([
		['question', 'question'],
		[undefined, 'undefined'],
	])('of type %j is never shown as a command', (type, text) => {
		expect(describeRequest(request({ type }))).toMatchObject({
			kind: 'unreadable',
			permission: { label: 'Not a permission but', text },
			targets: [{ label: 'Pattern', text: 'git push' }],
			more: [{ label: 'Permission', text: 'bash' }],
		});
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
		const { targets, covers } = describeRequest(request({ patterns: ['git *'], ...changes }));
		expect(targets.map(({ text }) => text)).toEqual(texts);
		expect(covers).toEqual([pattern]);
	});

	test.each<[string, unknown, string | undefined]>([
		['a text', 'rm', undefined],
		['an empty text', '', undefined],
		['missing', undefined, undefined],
		['a list', ['rm', '-rf'], '["rm","-rf"]'],
		['null', null, 'null'],
	])('or a folder that is %s has a fact of its own unless a text shows it', (_, value, text) => {
		const { more } = describeRequest(request({ command: value, cwd: value }));
		const facts = text === undefined ? [] : ['Command', 'Folder'].map((label) => ({ label, text }));
		expect(more).toEqual(facts);
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
		expect(describeRequest(request(changes)).more).toEqual(
			rest === undefined ? [] : [{ label: 'Other details', text: JSON.stringify(rest) }],
		);
	});
});
