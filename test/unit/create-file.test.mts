// Create File with a lost response, while someone else creates a file with the same name: only our own file is reported as ours.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { IndeterminateError } from '../../nodes/shared/errors.ts';
import { findInPlace, reconcileFile } from '../../nodes/shared/client/files.ts';
import { Base64 } from '../../nodes/shared/client/json.ts';
import { apiWith, type Answer, type SentRequest } from '../support/apiWith.mts';

const NAME = 'report.md';
const FOLDER = '123e4567-e89b-42d3-a456-426614174000';
const OUR_TEXT = 'Our report, with a ä';
const OUR_BYTES = Buffer.byteLength(OUR_TEXT);
const HOUR_MS = 60 * 60_000;

/** Result of an attempt to create the file */
type Fate = 'fine' | 'lost before' | 'lost after' | 'a page before' | 'a page after';

interface StoredFile {
	id: string;
	name: string;
	kind: string;
	parentId: string;
	sizeBytes?: number;
	createdAt: string;
}

/** Someone else creates a file with this name, or removes the file with it, right before one of our requests. */
interface Foreign {
	before: number;
	action: 'create' | 'remove';
	sizeBytes: number;
	kind: string;
}

interface Situation {
	fates: Fate[];
	foreign: Foreign[];
	/** Distance that the service's clock is off */
	skewMs: number;
	/** True if responses have a `Date` header */
	isDated: boolean;
	values?: object;
}

async function create({ fates, foreign, skewMs, isDated, values = { text: OUR_TEXT } }: Situation) {
	const files: StoredFile[] = [];
	const ours: string[] = [];
	let requests = 0;
	let attempts = 0;
	const add = (id: string, kind: string, sizeBytes: number | undefined, at: number) => {
		const createdAt = new Date(at + skewMs).toISOString();
		files.push({ id, name: NAME, kind, parentId: FOLDER, sizeBytes, createdAt });
	};
	const createOurs = (request: SentRequest): Answer => {
		if (files.length > 0) return { status: 409, body: { error: { code: 'conflict' } } };
		const id = `ours${attempts}`;
		ours.push(id);
		add(id, 'file', OUR_BYTES, request.at);
		return { status: 201, body: files[0] };
	};
	const answer = (request: SentRequest): Answer => {
		const headers = isDated ? { date: new Date(request.at + skewMs).toUTCString() } : undefined;
		for (const { action, sizeBytes, kind } of foreign.filter((each) => each.before === requests)) {
			if (action === 'remove') files.length = 0;
			else if (files.length === 0) add(`foreign${requests}`, kind, sizeBytes, request.at);
		}
		requests++;
		if (request.method === 'GET') return { headers, body: { data: files, has_more: false } };
		const fate = fates[attempts++] ?? 'fine';
		if (fate === 'lost before') return { code: 'ECONNRESET' };
		if (fate === 'a page before') return { status: 403, body: '<p>' };
		const response = createOurs(request);
		if (fate === 'lost after') return { code: 'ECONNRESET' };
		if (fate === 'a page after') return { status: 200, body: '<p>' };
		return { headers, ...response };
	};
	const { api, clock } = await apiWith(answer);
	clock.advance(HOUR_MS);
	const calling = api.call('createFile', {
		projectId: FOLDER,
		parentId: FOLDER,
		kind: 'file',
		name: NAME,
		...values,
	});
	const result = await clock.run(calling.catch((error: WorkspaceAutomationError) => error));
	return { result, ours };
}

const fate = fc.constantFrom<Fate>(
	'fine',
	'lost before',
	'lost after',
	'a page before',
	'a page after',
);
const foreign = fc.record({
	before: fc.nat(6),
	action: fc.constantFrom('create' as const, 'remove' as const),
	sizeBytes: fc.nat(100).filter((bytes) => bytes !== OUR_BYTES),
	kind: fc.constantFrom('file', 'file', 'folder'),
});

test('a file of another user is never reported as ours, no matter when it was created', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.record({
				fates: fc.array(fate, { maxLength: 4 }),
				foreign: fc.array(foreign, { maxLength: 4 }),
				skewMs: fc.constantFrom(0, HOUR_MS, -HOUR_MS),
				isDated: fc.boolean(),
			}),
			async (situation) => {
				const { result, ours } = await create(situation);
				if (result instanceof Error) return;
				expect(ours).toContain((result.body as StoredFile).id);
			},
		),
		{ numRuns: 500 },
	);
});

describe('our file after a lost response', () => {
	const lost: Situation = { fates: ['lost after'], foreign: [], skewMs: 0, isDated: true };

	test.each<[string, Partial<Situation>]>([
		['with the clocks in step', {}],
		['with the service an hour ahead', { skewMs: HOUR_MS }],
		['with the service an hour behind', { skewMs: -HOUR_MS }],
		['without a Date header', { isDated: false }],
		['from bytes', { values: { data: new Base64(Buffer.from(OUR_TEXT)) } }],
		['after two lost responses', { fates: ['lost before', 'lost after'] }],
		['after a page', { fates: ['a page after'] }],
	])('is found %s', async (_, changes) => {
		const { result, ours } = await create({ ...lost, ...changes });
		expect(result).toMatchObject({ body: { id: ours[0] } });
	});

	test.each<[string, Foreign]>([
		['of another size', { before: 1, action: 'create', sizeBytes: 1, kind: 'file' }],
		['of another kind', { before: 1, action: 'create', sizeBytes: OUR_BYTES, kind: 'folder' }],
	])('is not a file %s, and the error names the check to do', async (_, other) => {
		const { result } = await create({ ...lost, fates: ['lost before'], foreign: [other] });
		expect(result).toBeInstanceOf(IndeterminateError);
		expect(result).toMatchObject({ message: 'The file may have been created' });
	});

	test('is not a file that was there before, even of the same size', async () => {
		for (const isDated of [true, false])
			for (const skewMs of isDated ? [0, HOUR_MS, -HOUR_MS] : [0]) {
				const before = { before: 0, action: 'create' as const, sizeBytes: OUR_BYTES, kind: 'file' };
				const old = await createAfterOld({ ...lost, isDated, skewMs, foreign: [before] });
				expect(old).toBeInstanceOf(IndeterminateError);
			}
	});

	/** The file of someone else is ten minutes old. */
	async function createAfterOld({ skewMs, isDated }: Situation) {
		const createdAt = new Date(HOUR_MS - 600_000 + skewMs).toISOString();
		const file = { id: 'old', name: NAME, kind: 'file', parentId: FOLDER, sizeBytes: OUR_BYTES };
		const { api, clock } = await apiWith((request) => {
			if (request.method === 'POST') return { code: 'ECONNRESET' };
			const headers = isDated ? { date: new Date(request.at + skewMs).toUTCString() } : undefined;
			return { headers, body: { data: [{ ...file, createdAt }], has_more: false } };
		});
		clock.advance(HOUR_MS);
		const values = {
			projectId: FOLDER,
			parentId: FOLDER,
			kind: 'file',
			name: NAME,
			text: OUR_TEXT,
		};
		return await clock.run(
			api.call('createFile', values).catch((error: WorkspaceAutomationError) => error),
		);
	}
});

describe('the file in a folder', () => {
	const [here, there] = [
		{ id: 'here', parentId: FOLDER },
		{ id: 'there', parentId: 'elsewhere' },
	];
	const [snake, top, none] = [
		{ id: 'snake', parent_id: FOLDER },
		{ id: 'top', parentId: null },
		{ id: 'none' },
	];
	const folder = { parentId: FOLDER };

	test.each<[string, object[], object, string | undefined]>([
		['is the one with its ID', [there, here], folder, 'here'],
		['is found in snake case too', [there, snake], folder, 'snake'],
		["isn't one of another folder", [there], folder, undefined],
		["isn't one without a folder", [top, none], folder, undefined],
		['is unclear if there are two', [here, snake], folder, undefined],
		['is none if there are no files', [], folder, undefined],
		['without an ID is the one outside of all folders', [there, top], {}, 'top'],
		['without an ID may have no parent at all', [here, there, none], {}, 'none'],
		['without an ID is the only one, if each has a folder', [here], {}, 'here'],
		['without an ID is unclear if two are outside of all folders', [top, none], {}, undefined],
		['without an ID is unclear if each of two has a folder', [here, there], {}, undefined],
	])('%s', (_, named, values, id) => {
		expect(findInPlace(named as never, { kind: 'file', ...values })?.id).toBe(id);
	});

	test('is of the requested kind, or says nothing of its kind', () => {
		const kinds = ['file', 'folder', undefined, null].map((kind) => {
			const found = findInPlace([{ ...here, kind }] as never, { ...folder, kind: 'file' });
			return found?.id;
		});
		expect(kinds).toEqual(['here', undefined, 'here', 'here']);
	});
});

describe('proof of a new file', () => {
	const SECOND = 1_000;
	const values = { projectId: FOLDER, parentId: FOLDER, kind: 'file', name: NAME, text: OUR_TEXT };
	const ours = { id: 'ours', name: NAME, parentId: FOLDER, sizeBytes: OUR_BYTES };

	/** Lists the files with creation times in milliseconds after the request. `tookMs` passes before the check. */
	async function check(
		files: Array<Record<string, unknown> & { after?: number }>,
		{ tookMs = 0, isDated = true, ...changes }: Record<string, unknown> & { tookMs?: number } = {},
	) {
		const { api, sent, clock } = await apiWith(({ at }) => ({
			headers: isDated ? { date: new Date(at).toUTCString() } : undefined,
			body: {
				data: files.map(({ after = 0, ...file }) => ({
					...file,
					createdAt: new Date(HOUR_MS + after).toISOString(),
				})),
				has_more: false,
			},
		}));
		clock.advance(HOUR_MS);
		const reconcile = await reconcileFile(api, { ...values, ...changes }, {});
		clock.advance(tookMs);
		return { results: [await clock.run(reconcile())], reconcile, sent, clock };
	}
	const found = [expect.objectContaining({ status: 200 })];

	test('is searched in the folder that it was created in', async () => {
		const { results, sent } = await check([ours]);
		expect(results).toEqual(found);
		expect(sent[0]).toMatchObject({
			path: '/files',
			query: { projectId: FOLDER, parentId: FOLDER },
		});
	});

	test('is a creation time after the request, even if its response took a minute to get lost', async () => {
		expect((await check([ours], { tookMs: 60 * SECOND })).results).toEqual(found);
		const before = { ...ours, after: -10 * SECOND };
		expect((await check([before], { tookMs: 60 * SECOND })).results).toEqual(['unknown']);
	});

	test.each([
		['a Date header allows for two seconds', { isDated: true }, 2 * SECOND],
		['the clocks may differ by a minute without one', { isDated: false }, 60 * SECOND],
	])('is an earlier time only as far as %s', async (_, options, ms) => {
		expect((await check([{ ...ours, after: -ms }], options)).results).toEqual(found);
		expect((await check([{ ...ours, after: -ms - 1 }], options)).results).toEqual(['unknown']);
	});

	test('is the size of what was sent, as text or as bytes', async () => {
		const data = new Base64(Buffer.alloc(7));
		const sized = (sizeBytes: unknown) => [{ ...ours, sizeBytes }];
		expect((await check(sized(7), { text: undefined, data })).results).toEqual(found);
		expect((await check(sized('7'), { text: undefined, data })).results).toEqual(found);
		expect((await check(sized(8), { text: undefined, data })).results).toEqual(['unknown']);
		expect((await check(sized(8))).results).toEqual(['unknown']);
		expect((await check(sized(null))).results).toEqual(['unknown']);
	});

	test('of an asset, whose size nobody knows, needs no size', async () => {
		expect((await check([ours], { text: undefined, assetId: 'a1' })).results).toEqual(found);
	});

	test('is not given by one of two files that could be ours', async () => {
		expect((await check([ours, { ...ours, id: 'other' }])).results).toEqual(['unknown']);
	});

	test('is not given by a file with another name, of another kind or in another folder', async () => {
		expect((await check([{ ...ours, name: 'other.md' }])).results).toEqual(['notApplied']);
		expect((await check([{ ...ours, kind: 'folder' }])).results).toEqual(['unknown']);
		expect((await check([{ ...ours, parentId: 'elsewhere' }])).results).toEqual(['unknown']);
	});

	test('allows one more attempt if nothing has the name, and is unknown after that one', async () => {
		const { results, reconcile, sent, clock } = await check([]);
		expect([results, sent.length]).toEqual([['notApplied'], 1]);
		const since = clock.now();
		for (const times of [1, 2]) {
			expect(await clock.run(reconcile())).toBe('unknown');
			expect(clock.now() - since).toBe(times * 30 * SECOND);
		}
	});
});
