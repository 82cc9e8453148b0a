// The webhook of the approval page: nothing that reaches the link ends, resumes or changes the paused execution, except a valid answer.
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { INode, IWebhookFunctions } from 'n8n-workflow';
import {
	createForm,
	createLink,
	type PageRecord,
} from '../../nodes/RunAgentSession/approval/page/view.ts';
import { handleWebhook, takeAnswered } from '../../nodes/RunAgentSession/approval/page/webhook.ts';
import {
	createTeam,
	type Team,
	type Vote,
} from '../../nodes/RunAgentSession/approval/approvers.ts';
import { runOnceAtATime } from '../../nodes/RunAgentSession/session/claims.ts';
import { realClock } from '../../nodes/shared/client/clock.ts';
import { fingerprintContent, requestKey } from '../../nodes/shared/client/session.ts';
import { asking, request as requestWith } from './interactions.mts';

const request = requestWith();
const session = asking(request);
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
	headers?: Record<string, unknown> | null;
	query?: unknown;
	body?: unknown;
	/** What the service answers, or throws */
	serves?: () => unknown;
	credential?: () => Promise<unknown>;
	/** In the node's context */
	more?: object;
	page?: unknown;
	/** The records of several sessions */
	records?: Array<{
		sessionId: string;
		page: PageRecord;
		ledger?: object[];
		dashboardUrl?: string;
	}>;
	/** What happens before the service answers */
	before?: () => Promise<void>;
	/** What happens before a page is sent */
	beforeSend?: () => void;
	until?: number;
}

let executions = 0;
let hold = jest.spyOn(realClock, 'sleep');
beforeEach(() => {
	executions++;
	hold = jest.spyOn(realClock, 'sleep').mockReset().mockResolvedValue();
});

/** Asks the webhook, and says what it told n8n, what it sent, and whether what n8n keeps is as it was. */
async function ask(world: World) {
	const sent: Array<number | string> = [];
	const response = {
		set: () => response,
		status: (code: number) => (sent.push(code), response),
		send: (html: string) => {
			world.beforeSend?.();
			sent.push(html);
			return response;
		},
	};
	const records = (world.records ?? []).map((each) => ({ state: 'sent', ledger: [], ...each }));
	const value = { state: 'sent', sessionId: 's1', ledger: [], page: world.page ?? page() };
	const items = [{ json: { n: 1 } }];
	const values = records.length > 0 ? records : [value];
	const sessions = values.map((each, at) => [`0.${at}`, { fingerprint: '', value: each }]);
	const nodeContext: Record<string, unknown> = {
		sessions: Object.fromEntries(sessions),
		pause: { until: world.until ?? Date.now() + 3_600_000, runs: 1 },
		...world.more,
	};
	const execution = {
		executionData: {
			contextData: { 'node:Agent': nodeContext },
			nodeExecutionStack: [{ data: { main: [items] } }],
		},
	};
	const before = JSON.stringify(execution);
	const httpRequest = async () => {
		await world.before?.();
		return {
			statusCode: 200,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify((world.serves ?? (() => session))()),
		};
	};
	const logged = jest.fn();
	const context = {
		runExecutionData: execution,
		logger: { warn: logged, error: logged, info: logged, debug: logged },
		getNode: () => ({ id: 'node', name: 'Agent', type: 'x', typeVersion: 1 }),
		getExecutionId: () => String(executions),
		getQueryData: () => ('query' in world ? world.query : { question: link.nonce }),
		getBodyData: () => world.body,
		getRequestObject: () => ({
			method: world.method ?? 'POST',
			headers: world.headers === undefined ? FORM : world.headers,
		}),
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
		records,
		nodeContext,
		logged,
	};
}

/** What the node does first when n8n executes it with this context */
function runNode(nodeContext: { pause: { runs: number } }): string[] {
	nodeContext.pause.runs++;
	return takeAnswered({
		getContext: (type) => (type === 'node' ? nodeContext : {}) as never,
		getNode: () => ({ id: 'node' }) as INode,
		getExecutionId: () => String(executions),
	});
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

describe('the execution keeps waiting', () => {
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
		for (const headers of [{}, null])
			await expectNothing({ headers, body: VALID }, 415, 'Your answer couldn’t be read');
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
		'after an error of the page, here a record with %s',
		async (_, broken) => {
			await expectNothing({ method: 'GET', page: broken }, 500, 'The page can’t be shown');
			const { logged } = await ask({ method: 'GET', page: broken });
			expect(logged).toHaveBeenCalledWith(
				expect.stringMatching(/^The approval page couldn't be shown: .*flatMap/),
			);
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

	test("if even the error page can't be sent", async () => {
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
	test('resumes the execution with the saved data, and is repeated', async () => {
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
	])('can also come as %s', async (type) => {
		const { answer } = await ask({ body: VALID, headers: { 'content-type': type } });
		expect(answer.workflowData).toBeDefined();
	});

	test('of two at once is the first, and the page informs the second approver', async () => {
		const until = Date.now() + 3_600_000;
		const both = await Promise.all([
			ask({ body: VALID, until }),
			ask({ body: { ...VALID, request0: '1' }, until }),
		]);
		expect(both.filter(({ answer }) => answer.workflowData)).toHaveLength(1);
		const [{ sent }] = both.filter(({ answer }) => !answer.workflowData);
		expect(sent).toEqual([409, expect.stringContaining('<h1>Already answered</h1>')]);
	});

	test('waits for a second, and other approvers read on the page that they were late', async () => {
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

	test('resumes nothing if n8n has just executed the node by its timer: the page asks to try again', async () => {
		const until = Date.now() + 3_600_000;
		const byTimer = {
			getContext: () => ({ pause: { until, runs: 1 } }),
			getNode: () => ({ id: 'node' }),
			getExecutionId: () => String(executions),
		};
		let end = () => {};
		const work = async () => await new Promise<never[]>((resolve) => (end = () => resolve([])));
		const running = runOnceAtATime(byTimer as never, work);
		const { answer, sent, isAsBefore } = await ask({ body: VALID, until });
		expect(answer).toEqual({ noWebhookResponse: true });
		expect(sent).toEqual([409, expect.stringContaining('The session is being updated')]);
		expect(isAsBefore).toBe(true);
		end();
		await running;
	});

	test('counts if n8n executes the node by its timer meanwhile, with data that does not have it', async () => {
		let release = () => {};
		hold.mockImplementation(async () => await new Promise((resolve) => (release = resolve)));
		const until = Date.now() + 3_600_000;
		const asking = ask({ body: VALID, until });
		while (hold.mock.calls.length === 0) await new Promise(setImmediate);
		const value = { state: 'sent', sessionId: 's1', ledger: [], page: page() };
		const byTimer = { sessions: { '0.0': { value } }, pause: { until, runs: 1 } };
		expect(runNode(byTimer)).toEqual(['s1']);
		expect(Object.values(value.page.answers)).toMatchObject([{ decision: 'approve' }]);
		release();
		const { answer, sent } = await asking;
		expect(answer).toEqual({ noWebhookResponse: true });
		expect(sent).toEqual([200, expect.stringContaining('<h1>Your answer was sent</h1>')]);
	});

	describe('in a process that has executed the node', () => {
		beforeEach(async () => {
			const earlier = {
				getContext: () => ({ pause: { until: 0, runs: 0 } }),
				getNode: () => ({ id: 'node' }),
				getExecutionId: () => String(executions),
			};
			const work = async () => await Promise.resolve([]);
			await runOnceAtATime(earlier as never, work);
		});

		test('is confirmed once a run of the node has it, because n8n refuses to resume an execution that its timer has claimed', async () => {
			const releases: Array<() => void> = [];
			hold.mockImplementation(async (ms) => {
				if (ms < 1_000) await new Promise<void>((resolve) => releases.push(resolve));
			});
			const { answer, sent, nodeContext } = await ask({ body: VALID });
			expect(answer).toEqual({ workflowData: [[{ json: { n: 1 } }]], noWebhookResponse: true });
			expect(sent).toEqual([]);
			expect(runNode(nodeContext as never)).toEqual(['s1']);
			releases.forEach((release) => release());
			await new Promise(setImmediate);
			expect(sent).toEqual([200, expect.stringContaining('<h1>Your answer was sent</h1>')]);
		});

		test('resumes nothing if a run that the timer started has it already, and is confirmed', async () => {
			const value = { state: 'sent', sessionId: 's1', ledger: [], page: page() };
			const byTimer = { sessions: { '0.0': { value } }, pause: { until: 0, runs: 1 } };
			hold.mockImplementationOnce(async () => {
				runNode(byTimer);
				await Promise.resolve();
			});
			const { answer, sent } = await ask({ body: VALID });
			expect(answer).toEqual({ noWebhookResponse: true });
			expect(sent).toEqual([200, expect.stringContaining('<h1>Your answer was sent</h1>')]);
			expect(Object.values(value.page.answers)).toMatchObject([{ decision: 'approve' }]);
		});

		test('is not confirmed if no run of the node has it within a minute', async () => {
			const { answer, sent } = await ask({ body: VALID });
			expect(answer).toMatchObject({ workflowData: expect.anything(), noWebhookResponse: true });
			while (sent.length === 0) await new Promise(setImmediate);
			expect(sent).toEqual([409, expect.stringContaining('The session is being updated')]);
		});

		test("whose page can't be sent stays applied, and n8n's log has the error", async () => {
			const beforeSend = jest.fn(() => {
				throw new Error('the connection is closed');
			});
			const { answer, value, logged } = await ask({ body: VALID, beforeSend });
			expect(answer).toMatchObject({ workflowData: expect.anything(), noWebhookResponse: true });
			while (beforeSend.mock.calls.length < 2) await new Promise(setImmediate);
			expect(logged).toHaveBeenCalledWith(expect.stringContaining('the connection is closed'));
			expect(Object.values((value.page as PageRecord).answers)).toHaveLength(1);
		});
	});

	test('resumes the node once, with the session of the answer', async () => {
		const { nodeContext } = await ask({ body: VALID });
		const before = JSON.stringify(nodeContext.sessions);
		expect(runNode(nodeContext as never)).toEqual(['s1']);
		expect(JSON.stringify(nodeContext.sessions)).toBe(before);
	});

	test('is for no session if n8n executes the node without one', () => {
		expect(runNode({ pause: { runs: 1 } })).toEqual([]);
	});

	test('also belongs to the requests that the agent has added since the link was sent', async () => {
		const added = { ...request, id: 'i2', patterns: ['npm test'] };
		const now = { ...session, pendingInteractions: [request, added] };
		const asksAlways = { ...page(), asksAlways: true };
		const { shown: digest } = createForm(now, [], asksAlways, link);
		const { value } = await ask({
			body: { shown: digest, request0: '0', request1: '1' },
			page: asksAlways,
			serves: () => now,
		});
		const [{ contents }] = (value.page as PageRecord).questions;
		expect(contents).toEqual([request, added].map((each) => fingerprintContent(each)));
	});

	test('that is first is shown to the other approver, also if the session has ended meanwhile', async () => {
		const until = Date.now() + 3_600_000;
		await ask({ body: VALID, until });
		const serves = () => ({ ...session, status: 'completed', pendingInteractions: [] });
		const { answer, sent } = await ask({ body: { ...VALID, request0: '1' }, until, serves });
		expect(answer).toEqual({ noWebhookResponse: true });
		expect(sent).toEqual([409, expect.stringContaining('<h1>Already answered</h1>')]);
	});

	test('is not replaced by one that was being read meanwhile, and answers for other sessions still count', async () => {
		const until = Date.now() + 3_600_000;
		const first = { at: 1, choices: [] };
		const answered = page();
		const other = { ...page(), questions: [createLink(link.contents)] };
		const records = [
			{ sessionId: 's1', page: answered },
			{ sessionId: 's2', page: other },
		];
		const before = async () => await Promise.resolve(void (answered.questions[0].sent = first));
		const late = await ask({ body: VALID, until, records, before });
		expect(late.answer).toEqual({ noWebhookResponse: true });
		expect(late.sent).toEqual([409, expect.stringContaining('<h1>Already answered</h1>')]);
		expect(answered).toMatchObject({ questions: [{ sent: first }], answers: {} });
		const [{ nonce }] = other.questions;
		const { shown: digest } = createForm({ ...session, sessionId: 's2' }, [], other, link);
		const body = { ...VALID, shown: digest };
		const next = await ask({ body, until, records, query: { question: nonce } });
		expect(next.answer.workflowData).toBeDefined();
		expect(next.nodeContext.answered).toEqual(['s2']);
	});

	test("that is late doesn't count, and the page shows the first answer with its time", async () => {
		const { value } = await ask({ body: VALID });
		executions++;
		const { answer, sent } = await ask({ body: VALID, page: value.page });
		expect(answer).toEqual({ noWebhookResponse: true });
		expect(sent[0]).toBe(409);
		expect(sent[1]).toMatch(/Already answered.*Sent at.*Approved once.*git push/s);
	});
});

describe('a link with nothing left to decide', () => {
	const content = fingerprintContent(request)!;
	const line = (patterns: string[], of = content) => ({
		record: {
			decision: 'approve',
			decidedBy: 'rule 1',
			interactionId: 'i1',
			permission: 'bash',
			patterns,
			at: '2026-10-05T09:00:00.000Z',
		},
		content: of,
		state: 'confirmed',
		polls: 0,
	});
	const nothing = { ...session, pendingInteractions: [] };
	const newer = createLink(['another']);

	test.each<[title: string, serves: object, questions: unknown[], ledger: object[]]>([
		['The session has ended', { ...nothing, status: 'completed' }, [link], []],
		['Nothing needs your approval', nothing, [link], []],
		['Already answered', nothing, [link], [line(['git push'])]],
		['Nothing needs your approval', nothing, [link], [line(['another command'], 'another')]],
		['This link was replaced', nothing, [link, newer], []],
		[
			'Already answered',
			nothing,
			[link, newer],
			[line(['another command'], 'another'), line(['git push'])],
		],
	])('says "%s": %j', async (title, serves, questions, ledger) => {
		const questionsNow = structuredClone(questions) as PageRecord['questions'];
		const records = [{ sessionId: 's1', ledger, page: { ...page(), questions: questionsNow } }];
		const { html, sent } = await ask({ method: 'GET', serves: () => serves, records });
		expect(sent[0]).toBe(200);
		expect(html).toContain(`<h1>${title}</h1>`);
		const isOver =
			questions.length === 1 && !ledger.some((each) => (each as any).content === content);
		expect(html.includes('There’s nothing left to decide here.')).toBe(
			isOver || title === 'Already answered',
		);
		expect(html.includes('by rule 1: ')).toBe(title === 'Already answered');
		expect(html).not.toContain('another command');
	});

	test('leads to the dashboard, at the address that the session has now', async () => {
		const url = (name: string) => `https://dashboard.example/${name}`;
		const records = [{ sessionId: 's1', page: page(), dashboardUrl: url('then') }];
		const get = { method: 'GET', records };
		const now = await ask({ ...get, serves: () => ({ ...nothing, dashboardUrl: url('now') }) });
		expect(now.html).toContain(url('now'));
		expect(now.html).not.toContain(url('then'));
		const open = await ask({ ...get, serves: () => ({ ...session, dashboardUrl: url('now') }) });
		expect(open.html).toContain(url('now'));
		expect((await ask({ ...get, serves: () => nothing })).html).toContain(url('then'));
	});

	test.each([
		[true, 'The agent gets your comment, too.'],
		[undefined, 'The agent doesn’t get it.'],
	])(
		'unlike an open one, which says who reads the comment (sent to the agent: %p)',
		async (sendComments, text) => {
			const { html } = await ask({ method: 'GET', page: { ...page(), sendComments } });
			expect(html).toContain(text);
		},
	);

	test('unlike one whose service fails, which the page asks twice at most', async () => {
		const serves = jest.fn(() => {
			throw Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
		});
		const { sent } = await ask({ method: 'GET', serves });
		expect(sent[0]).toBe(503);
		expect(serves).toHaveBeenCalledTimes(2);
	});

	test('unlike one whose session can’t be read, which n8n’s log explains', async () => {
		const serves = () => ({ hello: 1 });
		const { logged } = await ask({ method: 'GET', serves });
		expect(logged).toHaveBeenCalledWith(
			expect.stringContaining("The approval page couldn't read its session: "),
		);
	});
});

describe('several approvers', () => {
	const approvers = ['Anna', 'Ben', 'Carla'].map((name) => ({ name, contact: name }));
	const key = requestKey(request);
	const question = (needed: number) => ({
		...createLink([fingerprintContent(request)!]),
		team: createTeam({ approvers, needed, maxReminders: 1 }, [key], 1),
	});
	/** An n8n whose execution is paused for these sessions. Each request gets a copy of what it has saved. */
	function paused(sessions: Array<ReturnType<typeof question>>) {
		const until = Date.now() + 3_600_000;
		const records = (saved: unknown) =>
			(saved as Array<{ page: PageRecord }>).map((each, at) => ({ ...each, sessionId: `s${at}` }));
		const saved = records(sessions.map((each) => ({ page: { ...page(), questions: [each] } })));
		return {
			async press(
				name: string,
				choice: string,
				at = 0,
				{ comment = '', ...more }: World & { comment?: string } = {},
			) {
				const copy = structuredClone(saved);
				const { approvers: asked } = sessions[at].team;
				const { nonce } = asked.find((each) => each.name === name)!;
				const link = copy[at].page.questions[0];
				const { shown: digest } = createForm(
					{ ...session, sessionId: `s${at}` },
					[],
					copy[at].page,
					link,
					approvers.findIndex((each) => each.name === name),
				);
				return await ask({
					until,
					records: copy,
					query: { question: nonce },
					body: { shown: digest, request0: choice, comment },
					...more,
				});
			},
		};
	}
	/** What n8n resumes the execution with, by session */
	const votes = ({ records }: Awaited<ReturnType<typeof ask>>) =>
		records.map(({ page: { questions } }) =>
			(questions[0].team as Team).votes.map(({ approver }) => approvers[approver].name),
		);
	const titles = (all: Array<Awaited<ReturnType<typeof ask>>>) =>
		all.map(({ html }) => /<h1>([^<]*)</.exec(html)![1]);
	/** Answers that come while the first one is held */
	async function together(presses: Array<() => ReturnType<typeof ask>>) {
		const releases: Array<() => void> = [];
		hold.mockImplementation(
			async () => await new Promise((resolve) => void releases.push(resolve)),
		);
		const [first, ...others] = presses;
		const holding = first();
		while (releases.length === 0) await new Promise(setImmediate);
		const later: Array<Awaited<ReturnType<typeof ask>>> = [];
		for (const press of others) later.push(await press());
		hold.mockResolvedValue();
		releases.forEach((release) => release());
		return [await holding, ...later];
	}

	test('who press Send in the same second all count, in one execution', async () => {
		const n8n = paused([question(3)]);
		const all = await together([
			() => n8n.press('Anna', '0'),
			() => n8n.press('Ben', '0'),
			() => n8n.press('Carla', '0'),
		]);
		expect(titles(all)).toEqual(Array(3).fill('Your answer was sent'));
		expect(all.map(({ answer }) => answer.workflowData !== undefined)).toEqual([
			true,
			false,
			false,
		]);
		expect(votes(all[0])).toEqual([['Anna', 'Ben', 'Carla']]);
		expect(all[0].nodeContext.answered).toEqual(['s0']);
		expect(all[1].html).toMatch(
			/2 of 3 approvals.*waits for more|waits for more.*2 of 3 approvals/s,
		);
		expect(all[2].html).toContain('The agent continues.');
	});

	test('of several sessions also count together', async () => {
		const n8n = paused([question(2), question(2), question(2)]);
		const all = await together([
			() => n8n.press('Anna', '0', 0),
			() => n8n.press('Anna', '0', 2),
			() => n8n.press('Ben', '1', 2),
		]);
		expect(titles(all)).toEqual(Array(3).fill('Your answer was sent'));
		expect(votes(all[0])).toEqual([['Anna'], [], ['Anna', 'Ben']]);
		expect(all[0].nodeContext.answered).toEqual(['s0', 's2']);
	});

	test('decide nothing until enough of them agree, and each page repeats only its own answer', async () => {
		const n8n = paused([question(3)]);
		const all = await together([() => n8n.press('Anna', '0'), () => n8n.press('Ben', '0')]);
		expect(all[0].records[0].page.answers).toEqual({});
		for (const { html } of all) expect(html.match(/<section/g)).toHaveLength(1);
	});

	test('who press Send twice count once', async () => {
		const n8n = paused([question(2)]);
		const all = await together([
			() => n8n.press('Anna', '0'),
			() => n8n.press('Anna', '1'),
			() => n8n.press('Ben', '0'),
			() => n8n.press('Ben', '0'),
		]);
		expect(titles(all)).toEqual([
			'Your answer was sent',
			'Already answered',
			'Your answer was sent',
			'Already answered',
		]);
		expect(votes(all[0])).toEqual([['Anna', 'Ben']]);
	});

	test('who are late see the decision, and change nothing', async () => {
		const n8n = paused([question(1)]);
		const all = await together([() => n8n.press('Anna', '0'), () => n8n.press('Ben', '1')]);
		expect(titles(all)).toEqual(['Your answer was sent', 'Already answered']);
		expect(votes(all[0])).toEqual([['Anna']]);
	});

	test('who answer while n8n resumes the execution must try again, and no answer is lost', async () => {
		const n8n = paused([question(2)]);
		const first = await n8n.press('Anna', '0');
		const second = await n8n.press('Ben', '0');
		expect(titles([second])).toEqual(['The session is being updated']);
		expect(second.answer).toEqual({ noWebhookResponse: true });
		expect(second.isAsBefore).toBe(true);
		expect(votes(first)).toEqual([['Anna']]);
	});

	test('whose answers n8n is applying are waited for, even if the service is slow', async () => {
		const n8n = paused([question(2)]);
		let serve = () => {};
		const reading = new Promise<void>((resolve) => (serve = resolve));
		const slow = n8n.press('Ben', '0', 0, { before: async () => await reading });
		hold.mockImplementation(async (ms) => {
			if (ms < 1_000) serve();
			await new Promise(setImmediate);
		});
		const first = await n8n.press('Anna', '0');
		expect(titles([first, await slow])).toEqual(Array(2).fill('Your answer was sent'));
		expect(votes(first)).toEqual([['Anna', 'Ben']]);
	});

	test("are greeted by name, and see who has answered and who hasn't", async () => {
		const name = '<b>@here</b> https://evil.example';
		const base = question(2);
		const voted = await together([() => paused([base]).press('Ben', '0')]);
		const link = voted[0].records[0].page.questions[0];
		const team = {
			...link.team!,
			approvers: link.team!.approvers.map((each) => ({ ...each, askedAt: 1 })),
		};
		team.approvers[0] = { ...team.approvers[0], name };
		const records = [{ sessionId: 's0', page: { ...page(), questions: [{ ...link, team }] } }];
		const get = { method: 'GET', query: { question: team.approvers[0].nonce }, records };
		executions++;
		const { html } = await ask(get);
		expect(html).toContain('Hello <bdo dir="ltr">&#60;b&#62;@here');
		expect(html).not.toContain('<b>@here');
		expect(html).not.toContain('href="https://evil');
		expect(html).toMatch(
			/Each request needs 2 approvals.*1 of 2 approvals.*Ben<\/bdo> approved this.*Not answered yet: you, <bdo dir="ltr">Carla/s,
		);
		const own = await ask({ ...get, query: { question: team.approvers[1].nonce } });
		expect(own.html).toMatch(/You’ve already answered.*Approved once.*Not answered yet/s);
	});

	test('add their comments with their names, and one approver alone without', async () => {
		const n8n = paused([question(3)]);
		const press = (name: string, comment: string) => async () =>
			await n8n.press(name, '0', 0, { comment });
		const [first] = await together([
			press('Anna', 'Fine.'),
			press('Ben', ''),
			press('Carla', 'Go.'),
		]);
		expect(first.records[0].page.comment).toBe('Anna: Fine.\nCarla: Go.');
		executions++;
		const { value } = await ask({ body: VALID });
		expect((value.page as PageRecord).comment).toBe('Go.');
	});

	test.each([
		['The request has changed', ['Anna'], true],
		['This link was replaced', [], true],
		['Nothing needs your approval', ['Anna'], false],
	])(
		'read "%s" if it has, after answers of %j (asked again: %p)',
		async (title, voters, isAskedAgain) => {
			const asked = question(2);
			if (voters.length > 0) {
				const [{ records }] = await together(
					voters.map((name) => () => paused([asked]).press(name, '0')),
				);
				Object.assign(asked, records[0].page.questions[0]);
			}
			const questions = isAskedAgain ? [asked, createLink(['another'])] : [asked];
			executions++;
			const { html } = await ask({
				method: 'GET',
				query: { question: asked.team.approvers[1].nonce },
				records: [{ sessionId: 's0', page: { ...page(), questions } }],
				serves: () => ({
					...session,
					pendingInteractions: [{ ...request, patterns: ['git push --force'] }],
				}),
			});
			expect(html).toContain(`<h1>${title}</h1>`);
			expect(html).not.toContain('<form');
		},
	);

	test.each([
		['Already answered', 'Carla', 'a denial of all requests', ['deny', 'deny']],
		['You’ve already answered', 'Anna', 'a denial of one request', ['deny', undefined]],
		['Already answered', 'Anna', 'approvals of all requests', ['approve', 'approve']],
		['The agent needs your approval', 'Carla', 'a denial of one request', ['deny', undefined]],
	] as const)('read "%s" (here %s) after Ben’s answer: %s', async (title, reader, _, decisions) => {
		const second = { ...request, id: 'i2', patterns: ['npm test'] };
		const asked = [request, second];
		const vote = (approver: number, at: number, decision: 'approve' | 'deny'): Vote => ({
			approver,
			interactionId: asked[at].id,
			answer: { decision, option: decision === 'deny' ? 'reject' : 'once' },
			choice: {
				name: decision === 'deny' ? 'Deny' : 'Approve once',
				decision,
				content: fingerprintContent(asked[at])!,
				permission: 'bash',
				targets: asked[at].patterns as string[],
			},
			once: 'once',
			at: 1,
		});
		const contents = asked.map((each) => fingerprintContent(each)!);
		const keys = asked.map((each) => requestKey(each));
		const team = createTeam({ approvers, needed: 2, maxReminders: 1 }, keys, 1);
		team.votes.push(vote(0, 0, 'approve'), vote(0, 1, 'approve'));
		for (const [at, decision] of decisions.entries())
			if (decision) team.votes.push(vote(1, at, decision));
		const { nonce } = team.approvers.find(({ name }) => name === reader)!;
		const { html, sent } = await ask({
			method: 'GET',
			query: { question: nonce },
			records: [
				{ sessionId: 's0', page: { ...page(), questions: [{ ...createLink(contents), team }] } },
			],
			serves: () => ({ ...session, pendingInteractions: asked }),
		});
		expect(sent[0]).toBe(200);
		expect(html).toContain(`<h1>${title}</h1>`);
	});

	test('have different links: the nonce of the question opens nothing', async () => {
		const each = question(2);
		const records = [{ sessionId: 's0', page: { ...page(), questions: [each] } }];
		const { sent } = await ask({ method: 'GET', query: { question: each.nonce }, records });
		expect(sent[0]).toBe(404);
	});
});
