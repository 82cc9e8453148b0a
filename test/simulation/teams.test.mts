// Several approvers while paused, in simulated time: who is asked and when, what counts, and what the item says.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { getError, pausingRun, type Settings } from './simulation.mts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const person = (name: string, isBackup = false) => ({
	name,
	contact: `${name.toLowerCase()}@example.com`,
	...(isBackup && { isBackup }),
});
const asks = (approver: object[]): IDataObject => ({ approvers: { approver } });
const TEAM: IDataObject = {
	...asks([person('Anna'), person('Ben'), person('Carla')]),
	approvalsNeeded: 2,
};
/** A session whose approval requests go to several approvers */
function teamRun(prompt: string, approvals: IDataObject = {}, changes: Settings = {}) {
	const run = pausingRun(prompt, { ...changes, approvals: { ...TEAM, ...approvals } });
	return {
		...run,
		/** The items that approvers got since the last time */
		asked: () => run.items.splice(0),
	};
}

const PROMPT = '[ask bash: npm publish] [say Done]';
const who = (items: Array<Record<string, any>>) =>
	items.map(({ approver, reminder }) =>
		[approver.name, reminder].filter((each) => each !== undefined).join(' '),
	);

/** A reading with another request beside those that are pending */
const later = {
	change: (body: any) => ({
		...body,
		pendingInteractions: [
			...body.pendingInteractions,
			{ ...body.pendingInteractions[0], id: 'later', patterns: ['git push'] },
		],
	}),
};

describe('approvers', () => {
	test('each get an item with their own link, once', async () => {
		const run = teamRun(PROMPT);
		await run.begin();
		const items = run.asked();
		expect(items.map(({ approver }) => approver)).toEqual([
			{ name: 'Anna', contact: 'anna@example.com' },
			{ name: 'Ben', contact: 'ben@example.com' },
			{ name: 'Carla', contact: 'carla@example.com' },
		]);
		const nonces = items.map(({ approvalUrl }) =>
			new URL(approvalUrl).searchParams.get('question'),
		);
		expect(new Set(nonces).size).toBe(3);
		for (const nonce of nonces) expect(Buffer.from(nonce!, 'base64url')).toHaveLength(16);
		expect(items[1].question).toMatch(/For: «Ben».*Each request needs 2 approvals/s);
		expect(items[0]).not.toHaveProperty('reminder');
		for (let wakes = 0; wakes < 4; wakes++)
			expect((await run.after(10 * MINUTE)).kind).toBe('stillRunning');
		expect(run.items).toEqual([]);
	});

	test('decide together: the record names each with decision, time and comment', async () => {
		const run = teamRun(PROMPT);
		await run.begin();
		expect(await run.answer('Approve once', { name: 'Anna', comment: 'Looks good.' })).toBe(true);
		const waiting = await run.after(1_000);
		expect(waiting.kind).toBe('stillRunning');
		expect(run.posted('/resolve')).toEqual([]);
		expect(await run.answer('Approve once', { name: 'Carla' })).toBe(true);
		const done = await run.next();
		expect(done).toMatchObject({
			kind: 'completed',
			decisions: [
				{
					decision: 'approve',
					decidedBy: 'page',
					approvers: [
						{
							name: 'Anna',
							decision: 'approve',
							comment: 'Looks good.',
							at: expect.stringMatching(/^2026-10-05T/),
						},
						{ name: 'Carla', decision: 'approve' },
					],
				},
			],
		});
		expect(run.posted('/resolve')).toHaveLength(1);
	});

	test('deny a request at once with one denial', async () => {
		const run = teamRun(PROMPT);
		await run.begin();
		await run.answer('Deny', { name: 'Ben' });
		expect((await run.next()).decisions).toMatchObject([
			{ decision: 'deny', approvers: [{ name: 'Ben', decision: 'deny' }] },
		]);
	});

	test('are asked about a later request by their own links, and the earlier answers stay', async () => {
		const run = teamRun(PROMPT);
		await run.begin();
		await run.answer('Approve once', { name: 'Anna' });
		run.asked();
		run.service.meets('poll', later);
		await run.after(70_000);
		const items = run.asked();
		expect(who(items)).toEqual(['Anna', 'Ben', 'Carla']);
		for (const { pendingInteractions } of items)
			expect(pendingInteractions.map(({ patterns }: any) => patterns)).toEqual([['git push']]);
		await run.answer('Approve once', { name: 'Ben' });
	});

	test('who change while the execution is paused are not asked about requests that were already asked', async () => {
		const run = teamRun(PROMPT);
		await run.begin();
		run.asked();
		const others = { approvals: { ...asks([person('Eve')]), remindAfter: 0 } };
		expect((await run.after(10 * MINUTE, others)).kind).toBe('stillRunning');
		await run.after(10 * MINUTE, { approvals: {} });
		expect(run.items).toEqual([]);
		await run.answer('Approve once', { name: 'Anna' });
		expect((await run.after(1_000, others)).kind).toBe('stillRunning');
		await run.answer('Approve once', { name: 'Ben' });
		expect((await run.next({ approvals: {} })).kind).toBe('completed');
	});
});

test('approvers who agree on no way to approve are asked again, and earlier answers do not count', async () => {
	const run = teamRun(PROMPT);
	const options = ['Allow always', 'Always allow', 'Reject'].map((label) => ({
		value: label,
		label,
	}));
	run.service.meets('poll', {
		change: (body: any) => ({
			...body,
			pendingInteractions: body.pendingInteractions.map((each: object) => ({
				...each,
				response: { options },
			})),
		}),
	});
	await run.begin();
	const [first] = run.asked();
	await run.answer('Allow always', { name: 'Anna' });
	await run.answer('Always allow', { name: 'Ben' });
	await run.after(1_000);
	const again = run.asked();
	expect(who(again)).toEqual(['Anna', 'Ben', 'Carla']);
	expect(again[0].approvalUrl).not.toBe(first.approvalUrl);
	await run.answer('Always allow', { name: 'Carla' });
	await run.after(1_000);
	expect(run.posted('/resolve')).toEqual([]);
	await run.answer('Always allow', { name: 'Anna' });
	await run.after(1_000);
	expect(run.posted('/resolve')).toHaveLength(1);
});

describe('a request that changes after an approver answered', () => {
	const changed = (more: object) => (body: any) => ({
		...body,
		pendingInteractions: body.pendingInteractions.map((each: object) => ({ ...each, ...more })),
	});

	test.each<[string, object]>([
		['its metadata', { metadata: { cwd: '/other' } }],
		['its command', { patterns: ['npm publish --force'] }],
	])('in %s is a new request: earlier approvals are void', async (_, more) => {
		const run = teamRun(PROMPT);
		await run.begin();
		await run.answer('Approve once', { name: 'Anna' });
		run.asked();
		run.service.meets('poll', { change: changed(more) });
		await run.after(70_000);
		const items = run.asked();
		expect(who(items)).toEqual(['Anna', 'Ben', 'Carla']);
		expect(items[0].question).toContain(
			'A request has changed, so earlier answers to it don’t count',
		);
		await run.answer('Approve once', { name: 'Ben' });
		expect((await run.after(1_000)).kind).toBe('stillRunning');
		expect(run.posted('/resolve')).toEqual([]);
		await run.answer('Approve once', { name: 'Anna' });
		await run.after(1_000);
		expect(run.posted('/resolve')).toHaveLength(1);
	});
});

describe('reminders and backups', () => {
	const backups = asks([person('Anna'), person('Ben'), person('Dora', true)]);

	test('reach the approvers without an answer at the set time, with the same link, and decide nothing', async () => {
		const run = teamRun(PROMPT, { ...backups, remindAfter: 1, askBackupsAfter: 3 });
		await run.begin();
		const first = run.asked();
		expect(who(first)).toEqual(['Anna', 'Ben']);
		await run.answer('Approve once', { name: 'Anna' });
		let result = await run.after(1_000);
		const said: Array<[number, string[]]> = [];
		while (said.length < 2) {
			result = await run.after(result.wakeAt! - run.service.wallTime());
			const items = run.asked();
			if (items.length === 0) continue;
			said.push([Math.round(run.service.now() / MINUTE), who(items)]);
			if (said.length > 1) continue;
			expect(items[0].approvalUrl).toBe(first[1].approvalUrl);
			expect(items[0]).toMatchObject({
				reminder: 1,
				waitingSince: expect.stringMatching(/^2026-10-05T09:01/),
			});
			expect(items[0].question).toMatch(/^Reminder: you haven’t answered yet\./);
		}
		expect(said).toEqual([
			[61, ['Ben 1']],
			[181, ['Dora']],
		]);
		expect(run.posted('/resolve')).toEqual([]);
		await run.answer('Approve once', { name: 'Dora' });
		expect((await run.next()).kind).toBe('completed');
	});

	test('leave If Nobody Answers and Max Wait unchanged', async () => {
		const late = teamRun(PROMPT, {
			...backups,
			remindAfter: 0.5,
			maxReminders: 9,
			askBackupsAfter: 1,
			ifNobodyAnswers: 'deny',
			unansweredAfter: 2,
		});
		await late.begin();
		await late.answer('Approve once', { name: 'Anna' });
		let result = await late.after(1_000);
		while (result.kind !== 'completed')
			result = await late.after(result.wakeAt! - late.service.wallTime());
		expect(result.decisions).toMatchObject([{ decision: 'deny', decidedBy: 'policy' }]);
		expect(Math.round(late.service.now() / MINUTE)).toBe(121);
		const given = teamRun(PROMPT, {}, { maxWait: 60 });
		await given.begin();
		expect((await getError(given.after(2 * HOUR))).message).toMatch(/did not finish within 1 hour/);
	});
});

describe('rules from data', () => {
	const rules = { permissionPolicy: 'rules' };

	test('are returned as rulesToRemember if every needed approver approved from now on', async () => {
		const run = teamRun(
			'[ask bash: npm publish] [ask bash: b*] [say Done]',
			{ moreRules: '[]' },
			rules,
		);
		await run.begin();
		await run.answer('Approve from now on', { name: 'Anna' });
		await run.answer('Approve from now on', { name: 'Ben' });
		await run.next();
		await run.answer('Approve from now on', { name: 'Anna' });
		await run.answer('Approve once', { name: 'Ben' });
		const result = await run.next();
		expect(result).toMatchObject({
			kind: 'completed',
			decisions: [{ option: 'once' }, { option: 'once' }],
		});
		expect(result.rulesToRemember).toMatchObject([
			{ decision: 'approve', request: { permission: 'bash', patterns: ['npm publish'] } },
		]);
		const moreRules = JSON.stringify(result.rulesToRemember);
		const next = teamRun(PROMPT, { moreRules }, rules);
		await next.begin();
		expect(next.items).toEqual([]);
	});
});
