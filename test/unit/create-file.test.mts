// Create File with a lost response, while someone else creates a file with the same name: only our own file is reported as ours.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { IndeterminateError } from '../../nodes/shared/errors.ts';
import { Base64 } from '../../nodes/shared/client/json.ts';
import { apiWith, type Answer, type SentRequest } from '../apiWith.mts';

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
