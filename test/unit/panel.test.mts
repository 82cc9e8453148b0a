// What the panel of Run Agent Session shows, which is also all that n8n hands on to the node.
import { describe, expect, test } from '@jest/globals';
import { NodeHelpers, type INode, type INodeProperties } from 'n8n-workflow';
import { properties } from '../../nodes/RunAgentSession/panel/properties.ts';

const options = properties.find(({ name }) => name === 'options')!.options as INodeProperties[];
const everyOption = Object.fromEntries(options.map(({ name, default: value }) => [name, value]));
const MOVED = ['maxWait', 'onMaxWait'];

/** What n8n hands on of what a workflow has */
const handedOn = (saved: object) =>
	NodeHelpers.getNodeParameters(properties, { ...saved }, true, false, {} as INode, null) as Record<
		string,
		any
	>;
const optionsFor = (saved: object, entered: object = everyOption) =>
	Object.keys(handedOn({ ...saved, options: entered }).options).filter(
		(name) => !MOVED.includes(name),
	);

describe('options are shown where they count', () => {
	const saying = ['approveValues', 'approveWith', 'denyValues'];
	const running = ['abortOnStop', 'decisionBody', 'maxConcurrentSessions'];
	const polling = ['maxPollInterval', 'pollInterval'];
	const patience = [
		'giveUpAfter',
		'ifNobodyAnswers',
		'onGiveUp',
		'sendComments',
		'unansweredAfter',
	];
	test.each([
		['Try Rules', { operation: 'tryRules', permissionPolicy: 'rules' }, saying],
		['Start, Ask a Person', {}, ['body', 'denyValues', ...running, ...polling]],
		[
			'Start, Approve All',
			{ permissionPolicy: 'approve' },
			['body', ...saying, ...running, ...polling],
		],
		[
			'Continue, a policy by expression',
			{ operation: 'continue', permissionPolicy: '={{ $json.policy }}' },
			[...saying, ...running, ...polling],
		],
		[
			'In the Database',
			{ wait: 'database', permissionPolicy: 'rules' },
			['body', ...saying, ...running, ...patience],
		],
	])('%s', (_, saved, expected) => {
		expect(optionsFor(saved).sort()).toEqual([...expected].sort());
	});

	test('they stand in the order of their labels', () => {
		const labels = options.map(({ displayName }) => displayName);
		expect(labels).toEqual([...labels].sort((one, other) => one.localeCompare(other)));
	});
});

describe('Max Wait and On Max Wait', () => {
	const fields = (saved: object) => Object.keys(handedOn(saved));

	test('are fields of their own, in memory only', () => {
		expect(fields({})).toEqual(expect.arrayContaining(MOVED));
		for (const saved of [{ wait: 'database' }, { operation: 'tryRules' }])
			for (const name of MOVED) expect(fields(saved)).not.toContain(name);
	});

	test('are kept among the options by a workflow that has them there, and offered there to no other', () => {
		const saved = { maxWait: 3, onMaxWait: 'abort' };
		expect(handedOn({ options: saved }).options).toEqual(saved);
		const isOffered = (entered: object) =>
			options
				.filter((option) => NodeHelpers.displayParameter(entered as never, option, null, null))
				.map(({ name }) => name)
				.filter((name) => MOVED.includes(name));
		expect(isOffered({})).toEqual([]);
		expect(isOffered(saved).sort()).toEqual(MOVED);
	});
});
