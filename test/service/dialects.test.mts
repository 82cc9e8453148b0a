// Dialects: foreign requests are understood, and ours are refused where they differ. What a caller makes of them: test/slow/dialects.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { namedOperations } from '../../openapi/contract.mts';

import {
	assumedRequests,
	operationIds,
	type OperationId,
} from '../../local-service/dialects/assumed-requests.mts';
import type { Dialect } from '../../local-service/dialects/dialect.mts';
import { createDialectLayer } from '../../local-service/dialects/layer.mts';
import { getOverrides } from '../../local-service/dialects/overrides.mts';
import type { Store } from '../../local-service/state.mts';
import {
	findConflict,
	dialectNames,
	dialects,
	settingsFor,
	type DialectName,
} from '../../local-service/dialects/index.mts';
import {
	findPlaceholders,
	writeValues,
	type Values,
} from '../../local-service/dialects/templates.mts';
import { speaker, useSpeakers } from './speaker.mts';
import { unknownId } from './support.mts';

const speak = useSpeakers();

/** Values for every placeholder; nothing has these ids */
const samples: Values = {
	projectId: unknownId,
	parentId: unknownId,
	siteId: unknownId,
	sessionId: unknownId,
	interactionId: 'x',
	taskId: unknownId,
	fileId: unknownId,
	customDomainId: unknownId,
	productId: unknownId,
	cursor: 'x',
	limit: 10,
	title: 'x',
	prompt: 'x',
	rrule: 'FREQ=DAILY',
	emoji: 'x',
	text: 'x',
	type: 'base64',
	option: 'once',
	query: 'SELECT 1',
	route: '/',
	locale: 'en',
	kind: 'file',
	name: 'x',
	data: 'AAEC',
	contentType: 'image/png',
	assetId: unknownId,
};

describe('the assumed requests', () => {
	test('are of operations in the contract', () => {
		const known = namedOperations.map(({ operationId }) => operationId);
		expect(operationIds.filter((operationId) => !known.includes(operationId))).toEqual([]);
	});

	test.each(namedOperations)('$operationId is valid by the contract', (operation) => {
		const { method, path, query, body } = assumedRequests[operation.operationId as OperationId];
		expect([method, path]).toEqual([operation.method, operation.path]);
		const names = (where: string) =>
			operation.parameters.filter((parameter) => parameter.in === where).map(({ name }) => name);
		expect(Object.keys(query ?? {}).sort()).toEqual(names('query').sort());
		expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(names('path'));
		expect(findPlaceholders(body ?? {}).filter((name) => !(name in samples))).toEqual([]);
		// A change of a product has any fields that its caller gives it.
		const isFree = Object.keys(body ?? { none: true }).length === 0;
		const sent = isFree ? { name: 'x' } : body && writeValues(body, samples);
		expect(operation.validateBody?.(sent) ?? (isFree || sent === undefined)).toBe(true);
	});
});

test('an answer to a question can have a shape of its own, which decisions don’t have', () => {
	const dialect: Dialect = {
		summary: 'An answer is in answer',
		questionAnswer: { answer: { text: '{answer}', choice: '{option}' } },
	};
	expect(getOverrides([dialect])).toEqual({
		answerQuestion: {
			body: { type: '{type}', answer: { text: '{answer}', choice: '{option}' } },
		},
	});
	const layer = createDialectLayer([dialect]);
	const operation = namedOperations.find(
		({ operationId }) => operationId === 'resolveInteraction',
	)!;
	const read = (body: unknown) => layer.readBody(operation, body, {} as Store);
	expect(read({ type: 'choice', answer: { text: 'blue', choice: 'blue' } })).toEqual({
		type: 'choice',
		response: 'blue',
	});
	expect(() => read({ type: 'choice', response: 'blue' })).toThrow('body/response is not known');
	const decision = { type: 'permission', response: 'once' };
	expect(read(decision)).toEqual(decision);
});

describe('every dialect', () => {
	test.each(dialectNames.filter((name) => dialects[name].overrides && !dialects[name].ignores))(
		'%s refuses requests as we assume them, if they differ',
		async (name) => {
			const service = speak(name);
			for (const [operationId, override] of Object.entries(service.overrides)) {
				const { response: _, words: __, ...request } = override;
				if (Object.keys(request).length === 0) continue;
				// The table's names are those of operations
				const refused = await service.call(operationId as OperationId, samples, { as: {} });
				expect([operationId, [400, 404].includes(refused.status)]).toEqual([operationId, true]);
				const understood = await service.call(operationId as OperationId, samples);
				expect([operationId, understood.text]).not.toEqual([operationId, refused.text]);
			}
		},
	);

	test('is named in the README, and nothing else is', () => {
		const readme = readFileSync(new URL('../../local-service/README.md', import.meta.url), 'utf8');
		const [, section] = /\n## Dialects\n(.*?)\n## /s.exec(readme)!;
		const rows = section.split('\n').filter((line) => /^\| [a-z]/.test(line));
		const named = rows.flatMap((row) => [...row.matchAll(/`([\w-]+)`/g)].map(([, name]) => name));
		expect(named.sort()).toEqual([...dialectNames].sort());
	});
});

describe('mixtures', () => {
	const mixture = fc
		.subarray([...dialectNames], { minLength: 2 })
		.map((names) =>
			names.reduce<DialectName[]>(
				(chosen, name) => (findConflict([...chosen, name]) ? chosen : [...chosen, name]),
				[],
			),
		);

	test("don't depend on the order of the names", () => {
		fc.assert(
			fc.property(mixture, (names) => {
				expect(settingsFor([...names].reverse())).toEqual(settingsFor(names));
			}),
		);
	});

	test('of dialects that contradict each other are refused, and an unknown name is refused with a list of the known names', async () => {
		expect(findConflict(['message-parts', 'small-pages'])).toBeUndefined();
		expect(findConflict(['session-ids-plain', 'session-ids-run'])).toBe(
			'The dialects session-ids-plain and session-ids-run contradict each other: a service has one kind of session ids',
		);
		expect(findConflict(['small-pages', 'small-pages'])).toContain('named twice');
		expect(findConflict(['klingon'])).toMatch(
			/^There is no dialect klingon\. There are: .*message-parts/,
		);
		expect(() => speaker(['klingon'])).toThrow('There is no dialect klingon');
	});
});
