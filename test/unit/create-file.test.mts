// Create File with a lost response, while someone else creates a file with the same name: only our own file is reported as ours.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { reconcileFile } from '../../nodes/WorkspaceAutomation/fileCalls.ts';
import { Base64 } from '../../nodes/shared/client/httpRequest.ts';
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
	const sent = { projectId: FOLDER, parentId: FOLDER, kind: 'file', name: NAME, ...values };
	const reconcile = await reconcileFile(api, sent);
	const calling = api.call('createFile', sent, { reconcile });
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
		const reconcile = await reconcileFile(api, { ...values, ...changes });
		clock.advance(tookMs);
		return { results: [await clock.run(reconcile())], reconcile, sent, clock };
	}
	const found = [expect.objectContaining({ status: 200 })];

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
		expect((await check(sized('7'), { text: undefined, data })).results).toEqual(['unknown']);
		expect((await check(sized(8), { text: undefined, data })).results).toEqual(['unknown']);
		expect((await check(sized(8))).results).toEqual(['unknown']);
		expect((await check(sized(null))).results).toEqual(['unknown']);
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
