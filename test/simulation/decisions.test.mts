// What comes of decisions.
import { describe, expect, test } from '@jest/globals';
import {
	getError,
	nothingPending,
	of,
	page,
	byRules,
	polls,
	processed,
	simulation,
	status,
	type Saved,
	type Weather,
} from './simulation.mts';

describe('resolving is verified', () => {
	test.each<[string, Weather]>([
		['the connection', 'lost-after'],
		['a server error', processed(status(500))],
		['a web page', processed(page)],
	])(
		"a decision with a response lost to %s after it took effect isn't sent again",
		async (_, weather) => {
			const service = simulation();
			service.meets('decision', weather, { first: 1 });
			const outcome = await service.run('[ask bash: x] [say Done]');
			expect(outcome).toMatchObject({ kind: 'completed', decisions: [{ decision: 'approve' }] });
			expect(of(service.sent, 'POST', '/resolve')).toHaveLength(1);
		},
	);

	test("a page with 403 is no refusal of the service's: the decision is sent again", async () => {
		const service = simulation();
		service.meets('decision', { ...(page as object), status: 403 } as Weather, { first: 1 });
		const outcome = await service.run('[ask bash: x] [say Done]');
		expect(outcome).toMatchObject({ kind: 'completed', decisions: [{ decision: 'approve' }] });
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(2);
	});

	test('a decision that only seemed resolved, because a poll left it out, is resolved when the request is listed again', async () => {
		const service = simulation();
		service.meets('decision', 'lost', { first: 1 });
		service.meets('poll', nothingPending, { after: 'decision', first: 1 });
		const outcome = await service.run('[ask bash: x] [say Done]');
		expect(outcome).toMatchObject({ kind: 'completed', decisions: [{ decision: 'approve' }] });
		expect(service.sessions()[0].interactions).toMatchObject([{ value: 'once' }]);
	});

	test('a decision without a response is unconfirmed, with a warning', async () => {
		const service = simulation();
		service.meets('decision', 'lost');
		service.meets('poll', nothingPending, { after: 'decision' });
		const outcome = await service.run('[ask bash: x] [say Done]', { maxWait: 0.2 });
		expect(outcome).toMatchObject({
			kind: 'stillRunning',
			decisions: [{ state: 'unconfirmed' }],
			warnings: [expect.stringMatching(/couldn't be confirmed/)],
		});
	});

	test('one of two decisions with a lost response is not sent again before a poll lists it, and is listed', async () => {
		const service = simulation();
		service.meets('decision', 'lost-after', { skip: 1, first: 1 });
		service.meets('poll', 'lost', { after: 'decision', until: 20_000 });
		const outcome = await service.run('[ask bash: x + edit: y] [say Done]');
		expect(outcome).toMatchObject({
			kind: 'completed',
			decisions: [
				{ permission: 'bash', state: 'confirmed' },
				{ permission: 'edit', state: 'unconfirmed' },
			],
			warnings: [expect.stringMatching(/couldn't be confirmed/)],
		});
		expect(outcome).not.toHaveProperty('changes');
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(2);
	});

	test("a decision is listed if it's refused because an earlier one took effect", async () => {
		const service = simulation();
		service.meets('decision', 'lost-after', { first: 1 });
		service.meets('poll', 'lost', { after: 'decision', until: 20_000 });
		// The next poll is behind.
		service.stale('decision', { until: () => of(service.sent, 'POST', '/resolve').length > 1 });
		const outcome = await service.run('[ask bash: x] [say Done]');
		expect(outcome).toMatchObject({ kind: 'completed', decisions: [{ permission: 'bash' }] });
		expect(of(service.sent, 'POST', '/resolve').length).toBeGreaterThan(1);
	});

	describe.each<[string, Weather]>([
		['carried out', 'lost-after'],
		['not carried out', 'lost'],
	])('a decision that was %s, without a response before the timeout', (_, weather) => {
		test.each(['route', 'stop'])(
			'is a warning, and the next attempt lists it once (%s)',
			async (end) => {
				const service = simulation();
				const meets = () => {
					if (end === 'stop') service.stop();
					return weather;
				};
				service.meets('decision', meets, { first: 1 });
				service.meets('decision', 'lost');
				service.meets('poll', 'lost', { after: 'decision' });
				const saved: Saved = {};
				const job = { asTool: false, maxWait: 1 / 3, options: { abortOnStop: false } };
				const prompt = '[ask bash: x] [say Done]';
				const error = await getError(service.run(prompt, job, saved));
				if (end === 'stop') expect(error.message).toBe('The execution was canceled');
				else expect(error.context.decisions).toMatchObject([{ state: 'unconfirmed' }]);
				if (end === 'route') expect(error.description).toMatch(/couldn't be confirmed/);

				service.clear();
				const more = { ...job, maxWait: 30 };
				const outcome = await service.run(prompt, more, saved);
				expect(outcome).toMatchObject({
					kind: 'completed',
					decisions: [{ decision: 'approve', patterns: ['x'] }],
				});
				expect(service.sessions().map(({ interactions }) => interactions)).toMatchObject([
					[{ value: 'once' }],
				]);
			},
		);
	});

	test('the same request under another ID is another request, also if the response to the first decision was lost', async () => {
		const service = simulation();
		service.meets('decision', 'lost-after', { first: 1 });
		const { decisions } = await service.run('[ask bash: x] [ask bash: x] [say Done]');
		const [session] = service.sessions();
		expect(decisions.map(({ interactionId }: any) => interactionId)).toEqual(
			session.interactions.map(({ id }: any) => id),
		);
		expect(decisions.map(({ state }: any) => state)).toEqual(['unconfirmed', 'confirmed']);
	});

	test('a decision that was lost before it took effect is sent again', async () => {
		const service = simulation();
		service.meets('decision', 'lost', { first: 1 });
		expect((await service.run('[ask bash: x] [say Done]')).kind).toBe('completed');
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(2);
	});
});

describe('an error', () => {
	test('an error names the permissions that may have been decided', async () => {
		const service = simulation();
		service.meets('decision', 'lost-after');
		service.meets('poll', 'lost', { after: 'decision', until: 60_000 });
		service.meets('poll', status(403), { after: 'decision' });
		const error = await getError(service.run('[ask bash: x] [work 10m]'));
		expect(error.context.decisions).toMatchObject([{ state: 'unconfirmed' }]);
		expect(error.description).toMatch(/couldn't be confirmed/);
	});

	test('a completed session with an undecided request ends on To Approve', async () => {
		const service = simulation();
		service.meets('poll', { change: (body) => ({ ...body, status: 'completed' }) });
		const { sessionId } = await service.run('[ask bash: x]', { permissionPolicy: 'ask' });
		const settings = { permissionPolicy: 'ask' };
		const result = await service.continueWith(sessionId, undefined, settings);
		expect(result).toMatchObject({ kind: 'needsApproval' });
	});
});

describe('every send comes after a poll with exactly that content', () => {
	const rules = [{ permission: 'bash', pattern: 'git *', decision: 'approve' as const }];
	const onlyGit = byRules(...rules);
	/** Request that the poll shows under the same ID */
	const instead = (changes: object): Weather => ({
		change: (body) => ({
			...body,
			pendingInteractions: body.pendingInteractions.map((each: object) => ({
				...each,
				...changes,
			})),
		}),
	});

	test.each<[string, Weather]>([
		['a lost answer', 'lost'],
		['a server error', status(500)],
		['a web page', page],
		['a redirect', status(302)],
		['a rate limit', status(429, '2')],
		['a connection that was refused', 'unsent'],
	])('after %s, a new request under the same ID gets its own decision', async (_, weather) => {
		const service = simulation();
		service.meets('decision', weather, { first: 1 });
		service.meets('poll', instead({ patterns: ['rm -rf /'] }), { after: 'decision' });
		const outcome = await service.run('[ask bash: git push] [say Done]', onlyGit);
		expect(outcome).toMatchObject({
			kind: 'needsApproval',
			pendingInteractions: [{ patterns: ['rm -rf /'] }],
			undecided: [{ because: expect.stringMatching(/^no rule covers/) }],
		});
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(1);
	});

	test('after a refusal, a new request under the same ID also gets its own decision', async () => {
		const service = simulation();
		service.meets('decision', status(409));
		service.meets('poll', instead({ metadata: { path: '/etc' }, permission: 'edit' }), {
			after: 'decision',
		});
		const outcome = await service.run('[ask bash: git push] [say Done]', onlyGit);
		expect(outcome).toMatchObject({ kind: 'needsApproval', decisions: [{ state: 'gone' }] });
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(1);
	});

	test('the list has each request that was pending at the time of a decision', async () => {
		const service = simulation();
		service.meets('decision', 'lost', { first: 1 });
		service.meets('poll', instead({ patterns: ['git pull'] }), { after: 'decision', first: 1 });
		const outcome = await service.run('[ask bash: git push] [say Done]', onlyGit);
		expect(outcome).toMatchObject({
			kind: 'completed',
			decisions: [
				{ patterns: ['git push'], state: 'unconfirmed' },
				{ patterns: ['git pull'], state: 'confirmed' },
			],
		});
	});

	test('a Retry-After of a year holds it up for 10 minutes, and a poll comes before the next try', async () => {
		const service = simulation();
		service.meets('decision', status(429, '31536000'), { first: 1 });
		const outcome = await service.run('[ask bash: x] [say Done]');
		expect(outcome).toMatchObject({ kind: 'completed', decisions: [{ decision: 'approve' }] });
		const [first, second] = of(service.sent, 'POST', '/resolve');
		expect(second.at - first.at).toBeGreaterThanOrEqual(600_000);
		expect(second.at - first.at).toBeLessThan(620_000);
		const between = polls(service.sent).filter(({ at }) => at > first.at && at <= second.at);
		expect(between.length).toBeGreaterThan(0);
	});
});

describe('a decision that is refused for now', () => {
	const passing = [401, 403, 409, 423, 425, 499];

	test.each(passing)(
		'is sent again after a poll that still shows the request: %d',
		async (code) => {
			const service = simulation();
			service.meets('decision', status(code), { first: 2 });
			const outcome = await service.run('[ask bash: x] [say Done]');
			expect(outcome).toMatchObject({ kind: 'completed', decisions: [{ state: 'confirmed' }] });
			expect(of(service.sent, 'POST', '/resolve')).toHaveLength(3);
		},
	);

	test.each(passing)('for three minutes ends the wait: %d', async (code) => {
		const service = simulation();
		service.meets('decision', status(code));
		const error = await getError(service.run('[ask bash: x] [say Done]'));
		expect(error.context).toMatchObject({ httpStatus: code, decisions: [{ state: 'refused' }] });
		expect(service.now()).toBeGreaterThan(3 * 60_000);
		expect(service.now()).toBeLessThan(3.5 * 60_000);
	});
});

describe('a decision that finds no request', () => {
	test("isn't treated as a new session: it's sent once, and the node polls", async () => {
		const service = simulation();
		service.meets('decision', processed(status(404)));
		const outcome = await service.run('[ask bash: x] [say Done]');
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(1);
		expect(outcome).toMatchObject({
			kind: 'completed',
			decisions: [{ option: 'once', state: 'gone' }],
		});
	});

	test.each([404, 409])('is unconfirmed if an earlier one may have arrived: %d', async (code) => {
		const service = simulation();
		service.meets('decision', 'lost-after', { first: 1 });
		service.meets('decision', status(code));
		service.stale('decision', { first: 1 });
		const outcome = await service.run('[ask bash: x] [say Done]');
		expect(outcome).toMatchObject({
			kind: 'completed',
			decisions: [{ permission: 'bash', state: 'unconfirmed' }],
		});
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(2);
	});
});

test('a session that fails while approvers have a request ends at the first poll that shows it', async () => {
	const service = simulation();
	const isLate = () => polls(service.sent).length > 3;
	service.meets('poll', {
		change: (body) => (isLate() ? { ...body, status: 'failed', error: 'Out of disk' } : body),
	});
	const { error, asked } = await service.runOn('[ask bash: x]', { permissionPolicy: 'ask' });
	expect(asked).toHaveLength(1);
	expect(error?.message).toBe('The agent session failed: Out of disk');
	expect(polls(service.sent)).toHaveLength(4);
});
