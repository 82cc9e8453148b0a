// The webhook of the approval page: nothing that reaches the link ends, resumes or changes the paused execution, except a valid answer.
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { IWebhookFunctions } from 'n8n-workflow';
import {
	createForm,
	createLink,
	type PageRecord,
} from '../../nodes/RunAgentSession/approval/page/view.ts';
import { handleWebhook } from '../../nodes/RunAgentSession/approval/page/webhook.ts';
import { realClock } from '../../nodes/shared/client/clock.ts';
import { fingerprintContent, type Interaction } from '../../nodes/shared/client/session.ts';

const request: Interaction = {
	type: 'permission',
	id: 'i1',
	permission: 'bash',
	patterns: ['git push'],
	response: {
		options: [
			{ value: 'once', label: 'Allow once' },
			{ value: 'reject', label: 'Reject' },
		],
	},
};
const session = { sessionId: 's1', status: 'running', pendingInteractions: [request] };
const link = createLink([fingerprintContent(request)!]);
const page = (): PageRecord => ({
	questions: [structuredClone(link)],
	answers: {},
	preferences: { approveWith: 'once' },
});
const { shown } = createForm(session, [], page(), link);
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const VALID = { shown, request0: '0', comment: 'Go.' };

/** How an n8n is that asks the webhook */
interface World {
	method?: string;
	headers?: Record<string, unknown>;
	query?: unknown;
	body?: unknown;
	/** What the service answers, or throws */
	serves?: () => unknown;
	credential?: () => Promise<unknown>;
	/** In the node's context */
	more?: object;
	page?: unknown;
	until?: number;
}

let executions = 0;
let hold = jest.spyOn(realClock, 'sleep');
beforeEach(() => {
	executions++;
	hold = jest.spyOn(realClock, 'sleep').mockResolvedValue();
});

/** Asks the webhook, and says what it told n8n, what it sent, and whether what n8n keeps is as it was. */
async function ask(world: World) {
	const sent: Array<number | string> = [];
	const response = {
		set: () => response,
		status: (code: number) => (sent.push(code), response),
		send: (html: string) => (sent.push(html), response),
	};
	const value = { state: 'sent', sessionId: 's1', ledger: [], page: world.page ?? page() };
	const items = [{ json: { n: 1 } }];
	const execution = {
		executionData: {
			contextData: {
				'node:Agent': {
					sessions: { '0.0': { fingerprint: '', value } },
					pause: { until: world.until ?? Date.now() + 3_600_000, resumed: 0 },
					...world.more,
				},
			},
			nodeExecutionStack: [{ data: { main: [items] } }],
		},
	};
	const before = JSON.stringify(execution);
	const httpRequest = async () => ({
		statusCode: 200,
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify((world.serves ?? (() => session))()),
	});
	const logged = jest.fn();
	const context = {
		runExecutionData: execution,
		logger: { warn: logged, error: logged, info: logged, debug: logged },
		getNode: () => ({ id: 'node', name: 'Agent', type: 'x', typeVersion: 1 }),
		getExecutionId: () => String(executions),
		getQueryData: () => ('query' in world ? world.query : { question: link.nonce }),
		getBodyData: () => world.body,
		getRequestObject: () => ({ method: world.method ?? 'POST', headers: world.headers ?? FORM }),
		getResponseObject: () => response,
		getCredentials:
			world.credential ??
			(async () => ({
				accessToken: 'key',
				apiVersion: '2026-10-05',
				baseUrl: 'https://api.example.com/v1',
			})),
		helpers: { httpRequestWithAuthentication: httpRequest },
	} as unknown as IWebhookFunctions;
	const answer = await handleWebhook(context);
	const html = typeof answer.webhookResponse === 'string' ? answer.webhookResponse : sent.at(-1);
	return {
		answer,
		sent,
		html: String(html),
		isAsBefore: JSON.stringify(execution) === before,
		value,
	};
}

/** That the execution waits as before, with a page of this status */
async function expectNothing(world: World, status: number, title: string) {
	const { answer, sent, isAsBefore } = await ask(world);
	expect(answer).toEqual({ noWebhookResponse: true });
	expect(sent[0]).toBe(status);
	expect(String(sent[1])).toContain(`<h1>${title}</h1>`);
	expect(isAsBefore).toBe(true);
}

const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown;

describe('the execution waits as before', () => {
	test.each<[string, World['body']]>([
		['nothing', undefined],
		['null', null],
		['a list', [VALID]],
		['a text', 'shown=1'],
		['a number', 7],
		['a buffer', Buffer.from('shown')],
		['deeply nested JSON', { shown: deep, request0: deep, comment: deep }],
		['megabytes', { shown: 'x'.repeat(8_000_000) }],
		['no digest', { request0: '0' }],
		['another digest', { ...VALID, shown: 'A'.repeat(22) }],
		['a digest that is a list', { ...VALID, shown: [shown] }],
	])('after a POST of %s', async (_, body) => {
		await expectNothing({ body }, 409, 'The request has changed');
	});

	test.each([
		{ request0: '7' },
		{ request0: ['0'] },
		{ request0: undefined },
		{ request0: '__proto__' },
	])('after a POST without a choice: %p', async (part) => {
		await expectNothing({ body: { ...VALID, ...part } }, 409, 'A choice is missing');
	});

	test.each([
		'application/json',
		'text/plain',
		'multipart/form-data; boundary=x',
		'application/x-www-form-urlencodedx',
		'',
		undefined,
		['application/json'],
	])('after a POST of a valid answer as %p', async (type) => {
		const headers = { 'content-type': type };
		await expectNothing({ headers, body: VALID }, 415, 'Your answer couldn’t be read');
	});

	test('after a POST without headers', async () => {
		const headers = undefined as unknown as Record<string, unknown>;
		await expectNothing(
			{ headers: headers ?? {}, body: VALID },
			415,
			'Your answer couldn’t be read',
		);
	});

	test.each(['PUT', 'DELETE', 'PATCH', 'TRACE', ''])('after %p', async (method) => {
		await expectNothing({ method, body: VALID }, 405, 'Nothing was decided');
	});

	test.each<unknown>([
		undefined,
		null,
		'x',
		[],
		{},
		{ question: '' },
		{ question: [link.nonce] },
		{ question: { $ne: '' } },
		{ question: 'A'.repeat(22) },
		{ question: 'x'.repeat(1_000_000) },
	])('after a link with the query %#', async (query) => {
		await expectNothing({ query, body: VALID }, 404, 'This link isn’t valid');
	});

	test.each(['GET', 'HEAD'])('after %s', async (method) => {
		await expectNothing({ method }, 200, 'The agent needs your approval');
	});

	test.each<[string, World]>([
		['a deleted credential', { credential: async () => await Promise.reject(new Error('gone')) }],
		['a credential that is none', { credential: async () => undefined }],
		[
			'a service that throws',
			{
				serves: () => {
					throw new Error('down');
				},
			},
		],
		['a service that answers with something else', { serves: () => ({ hello: 1 }) }],
	])('after a GET and a POST with %s', async (_, world) => {
		const title = 'The session can’t be read right now';
		await expectNothing({ ...world, method: 'GET' }, 503, title);
		await expectNothing({ ...world, body: VALID }, 503, title);
	});

	test.each<[string, unknown]>([['links that are no list', { ...page(), questions: 7 }]])(
		'after an error of ours, here a record with %s',
		async (_, broken) => {
			await expectNothing({ method: 'GET', page: broken }, 500, 'The page can’t be shown');
		},
	);

	test('while an earlier answer is applied', async () => {
		const world = { more: { answered: 's2' } };
		await expectNothing({ ...world, method: 'GET' }, 409, 'The session is being updated');
		await expectNothing({ ...world, body: VALID }, 409, 'The session is being updated');
	});

	test('shortly before n8n executes the node anyway', async () => {
		const until = Date.now() + 1_000;
		const { answer, sent } = await ask({ body: VALID, until });
		expect(answer).toEqual({ noWebhookResponse: true });
		expect(sent).toEqual([409, expect.stringContaining('The session is being updated')]);
	});

	test('where even the error page cannot be sent', async () => {
		const context = {
			getRequestObject: () => {
				throw new Error('no request');
			},
			getResponseObject: () => {
				throw new Error('no response');
			},
			logger: { error: () => {} },
		} as unknown as IWebhookFunctions;
		expect(await handleWebhook(context)).toEqual({ noWebhookResponse: true });
	});
});

describe('a valid answer', () => {
	test('resumes the execution with what n8n has saved, and is repeated', async () => {
		const { answer, html, value } = await ask({ body: VALID });
		expect(answer.workflowData).toEqual([[{ json: { n: 1 } }]]);
		expect(html).toMatch(/Your answer was sent.*You approved this once.*git push.*Go\./s);
		const { answers, questions } = value.page as PageRecord;
		expect(Object.values(answers)).toEqual([
			{ decision: 'approve', option: 'once', comment: 'Go.' },
		]);
		expect(questions[0].sent).toMatchObject({ choices: [{ name: 'Approve once' }] });
	});

	test.each([
		'application/x-www-form-urlencoded;charset=UTF-8',
		'Application/X-WWW-Form-Urlencoded',
	])('comes as %s, too', async (type) => {
		const { answer } = await ask({ body: VALID, headers: { 'content-type': type } });
		expect(answer.workflowData).toBeDefined();
	});

	test('of two at once is the first, and the other is told', async () => {
		const until = Date.now() + 3_600_000;
		const both = await Promise.all([
			ask({ body: VALID, until }),
			ask({ body: { ...VALID, request0: '1' }, until }),
		]);
		expect(both.filter(({ answer }) => answer.workflowData)).toHaveLength(1);
		const [{ sent }] = both.filter(({ answer }) => !answer.workflowData);
		expect(sent).toEqual([409, expect.stringContaining('<h1>Already answered</h1>')]);
	});

	test('is held back for a second, in which others read on the page that they came later', async () => {
		let release = () => {};
		hold.mockImplementation(async () => await new Promise((resolve) => (release = resolve)));
		const until = Date.now() + 3_600_000;
		const steps: string[] = [];
		const first = ask({ body: VALID, until }).then(() => steps.push('the first is applied'));
		while (hold.mock.calls.length === 0) await new Promise(setImmediate);
		expect(hold).toHaveBeenCalledWith(1_000);
		const { sent } = await ask({ body: { ...VALID, request0: '1' }, until });
		expect(sent).toEqual([409, expect.stringContaining('<h1>Already answered</h1>')]);
		steps.push('the second is told');
		release();
		await first;
		expect(steps).toEqual(['the second is told', 'the first is applied']);
	});

	test('that comes first is told to the other, also where the session has ended meanwhile', async () => {
		const until = Date.now() + 3_600_000;
		await ask({ body: VALID, until });
		const serves = () => ({ ...session, status: 'completed', pendingInteractions: [] });
		const { answer, sent } = await ask({ body: { ...VALID, request0: '1' }, until, serves });
		expect(answer).toEqual({ noWebhookResponse: true });
		expect(sent).toEqual([409, expect.stringContaining('<h1>Already answered</h1>')]);
	});

	test('given later is none, and the page shows the first with its time', async () => {
		const { value } = await ask({ body: VALID });
		executions++;
		const { answer, sent } = await ask({ body: VALID, page: value.page });
		expect(answer).toEqual({ noWebhookResponse: true });
		expect(sent[0]).toBe(409);
		expect(sent[1]).toMatch(/Already answered.*Sent at.*Approved once.*git push/s);
	});
});
