// Several approvers in a real n8n: who counts, also in the same second, after a restart, and when a request has changed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { startHost, type OwnHost } from '../../n8n-host/host.mts';
import { importCredential, type Stage } from '../../tools/demoStage.mts';
import { startLocalService, type LocalService } from '../../tools/demoService.mts';
import { durable, looped } from './durable.mts';
import { arrived, getChoice, MESSAGE, messages, openPage, send, type PageAnswer } from './page.mts';
import { shared } from './shared.mts';
import { editFields, eventually, getRecord, NODE, sessionsFor } from './support.mts';

const userFolder = mkdtempSync(join(tmpdir(), 'n8n-teams-'));
let host: OwnHost;
let service: LocalService;
const stage = () => ({ host, service }) as unknown as Stage;
const executions: Record<string, string> = {};

const start = async (login?: OwnHost['login']) =>
	await startHost({ packageDir: shared().packageDir, userFolder, login, env: WITHOUT_EDITOR });

const person = (name: string, isBackup = false) => ({
	name,
	contact: `${name.toLowerCase()}@example.com`,
	isBackup,
});

/** Starts sessions that several approvers decide about, with a message for each of them. */
async function begin(name: string, prompts: string[], options: object): Promise<void> {
	const fields = {
		text: '={{ $json.question }}',
		url: '={{ $json.approvalUrl }}',
		to: '={{ $json.approver.contact }}',
		reminder: '={{ $json.reminder ?? 0 }}',
	};
	const file = looped(
		name,
		prompts.map((prompt) => ({ prompt })),
		durable({
			permissionPolicy: 'ask',
			prompt: '={{ $json.prompt }}',
			options: { approvalsNeeded: 2, maxConcurrentSessions: 20, ...options },
		}),
		{
			wires: [[NODE], ['Completed'], [MESSAGE]],
			more: [{ ...editFields(MESSAGE, fields), position: [600, 0] }],
			follows: { [MESSAGE]: [[NODE]] },
		},
	);
	executions[name] = await host.run(await host.importWorkflow(file));
}

const two = { approvers: { approver: [person('Anna'), person('Ben')] } };
const three = { approvers: { approver: [...two.approvers.approver, person('Carla')] } };

/** Fifty rounds, in ten executions */
const RACES = Array.from({ length: 10 }, (_, n) => `race ${n}`);
const ROUNDS = Array.from({ length: 5 }, (_, n) => `round ${n}`);
const MANY = Array.from({ length: 20 }, (_, n) => `Many ${n} [ask bash: deploy ${n}] [say Done.]`);
const PROMPTS = {
	votes: [
		'Votes [ask bash: npm publish] [say Done.]',
		'Votes [ask bash: rm -rf build] [say Done.]',
	],
	killed: ['Killed [ask bash: npm publish] [say Done.]'],
	reminded: ['Reminded [ask bash: npm publish] [say Done.]'],
	changes: ['Changes [ask bash: npm publish] [say Done.]'],
};

beforeAll(async () => {
	[host, service] = await Promise.all([start(), startLocalService()]);
	await importCredential(host, service);
	await begin('reminded', PROMPTS.reminded, {
		approvers: { approver: [...two.approvers.approver, person('Dora', true)] },
		remindAfter: 0.005,
		askBackupsAfter: 0.005,
	});
	await begin('killed', PROMPTS.killed, two);
	for (const name of RACES)
		await begin(
			name,
			ROUNDS.map((round) => `${name} [ask bash: ${name} ${round}] [say Done.]`),
			two,
		);
	await begin('votes', PROMPTS.votes, three);
	await begin('many', MANY, three);
});

afterAll(async () => {
	await Promise.allSettled([host?.close(), service?.close()]);
	rmSync(userFolder, { recursive: true, force: true });
});

interface Message {
	text: string;
	url: string;
	to: string;
	reminder: number | string;
}
const sent = async (name: string, count: number): Promise<Message[]> =>
	(await messages(stage(), executions[name], count)) as Message[];

/** The link that an approver got about a request, at the host's present address */
function linkTo(list: Message[], name: string, about = ''): string {
	const found = list.find(
		({ to, text }) => to.startsWith(name.toLowerCase()) && text.includes(about && `«${about}»`),
	);
	const { pathname, search } = new URL(found!.url);
	return `${host.url}${pathname}${search}`;
}

const choose = async (url: string, page: PageAnswer, label: string, comment = '') =>
	await send(url, page, { request0: getChoice(page, 0, label), comment });

/** Opens a link, and sends a choice. */
const press = async (url: string, label: string, comment = '') =>
	await choose(url, await openPage(url), label, comment);

const SENT = { status: 200, title: 'Your answer was sent' };

async function ended(name: string) {
	const execution = await host.waitForExecution(executions[name]);
	const { status, error } = execution;
	expect({ name, status, error: error?.message }).toEqual({ name, status: 'success' });
	return arrived(execution, 'Completed');
}

const names = ({ approvers }: { approvers: Array<{ name: string }> }) =>
	approvers.map(({ name }) => name);

/** What the service was told for the session with this prompt */
async function decision(prompt: string): Promise<unknown> {
	const [{ sessionId }] = await sessionsFor(stage(), prompt);
	return (await getRecord(stage(), sessionId)).interactions[0].value;
}

/** Runs works, so many at once. */
async function inBatches(size: number, works: Array<() => Promise<unknown>>): Promise<void> {
	for (let at = 0; at < works.length; at += size)
		await Promise.all(works.slice(at, at + size).map(async (work) => await work()));
}

describe('two approvals of three', () => {
	test('approve, one denial denies, and a second answer of an approver changes nothing', async () => {
		const list = await sent('votes', 6);
		expect(new Set(list.map(({ url }) => url)).size).toBe(6);
		const anna = linkTo(list, 'Anna', 'npm publish');
		expect((await openPage(anna)).html).toMatch(
			/Hello <bdo dir="ltr">Anna<.*Each request needs 2 approvals.*0 of 2 approvals.*you, <bdo dir="ltr">Ben/s,
		);
		expect(await press(anna, 'Approve once', 'Fine.')).toMatchObject(SENT);
		const again = await send(anna, { hidden: {} }, { request0: '1' });
		expect(again).toMatchObject({ status: 409, title: 'You’ve already answered' });
		const other = linkTo(list, 'Anna', 'rm -rf build');
		expect(await press(other, 'Approve once')).toMatchObject(SENT);
		expect(await Promise.all(PROMPTS.votes.map(decision))).toEqual([undefined, undefined]);
		const ben = linkTo(list, 'Ben', 'npm publish');
		expect((await openPage(ben)).html).toMatch(/1 of 2 approvals.*Anna<\/bdo> approved this/s);
		expect(await press(ben, 'Approve once')).toMatchObject(SENT);
		expect(await press(linkTo(list, 'Carla', 'rm -rf build'), 'Deny')).toMatchObject(SENT);
		const items = await ended('votes');
		const decisions = items.map(({ decisions: [each] }) => each);
		expect(decisions).toHaveLength(2);
		expect(decisions.find(({ patterns }) => patterns[0] === 'npm publish')).toMatchObject({
			decision: 'approve',
			decidedBy: 'page',
			approvers: [
				{ name: 'Anna', decision: 'approve', comment: 'Fine.', at: expect.any(String) },
				{ name: 'Ben', decision: 'approve' },
			],
		});
		expect(decisions.find(({ patterns }) => patterns[0] !== 'npm publish')).toMatchObject({
			decision: 'deny',
			approvers: [
				{ name: 'Anna', decision: 'approve' },
				{ name: 'Carla', decision: 'deny' },
			],
		});
	});
});

test('two approvers who select Send in the same second both count, fifty times', async () => {
	const race = async (name: string) => {
		const list = await sent(name, 2 * ROUNDS.length);
		for (const round of ROUNDS) {
			const urls = ['Anna', 'Ben'].map((each) => linkTo(list, each, `${name} ${round}`));
			const pages = await Promise.all(urls.map(async (url) => await openPage(url)));
			const answers = await Promise.all(
				urls.map(async (url, at) => await choose(url, pages[at], 'Approve once')),
			);
			const { status } = await host.rest.get(`/executions/${executions[name]}`);
			expect({ name, round, status, answers }).toMatchObject({ answers: [SENT, SENT] });
		}
		return await ended(name);
	};
	const items = (await Promise.all(RACES.map(race))).flat();
	expect(items.map(({ decisions: [each] }) => names(each).sort())).toEqual(
		Array(RACES.length * ROUNDS.length).fill(['Anna', 'Ben']),
	);
	const resolved = (await service.requests()).filter(
		({ path }) =>
			path.endsWith('/resolve') && items.some(({ sessionId }) => path.includes(sessionId)),
	);
	expect(resolved).toHaveLength(RACES.length * ROUNDS.length);
});

test('twenty sessions with three approvers each, in one execution, are decided separately', async () => {
	const list = await sent('many', 3 * MANY.length);
	expect(new Set(list.map(({ url }) => url)).size).toBe(3 * MANY.length);
	const each = (who: string, label: (n: number) => string) =>
		inBatches(
			10,
			MANY.map((_, n) => async () => {
				const url = linkTo(list, who, `deploy ${n}`);
				expect(await press(url, label(n))).toMatchObject(SENT);
			}),
		);
	await each('Carla', () => 'Approve once');
	expect(await Promise.all(MANY.map(decision))).toEqual(MANY.map(() => undefined));
	await each('Ben', (n) => (n % 3 === 0 ? 'Deny' : 'Approve once'));
	const items = await ended('many');
	const decided = items.map(({ decisions: [one] }) => [one.patterns[0], one.decision]);
	expect(Object.fromEntries(decided)).toEqual(
		Object.fromEntries(MANY.map((_, n) => [`deploy ${n}`, n % 3 === 0 ? 'deny' : 'approve'])),
	);
	for (const { decisions } of items) expect(names(decisions[0])).toEqual(['Carla', 'Ben']);
});

test('a reminder has the same link and changes nothing, and backups are asked after their time', async () => {
	const first = await sent('reminded', 2);
	const anna = linkTo(first, 'Anna');
	// The link has said so already if this is slower than the time of a reminder.
	expect(await press(anna, 'Approve once')).toMatchObject(SENT);
	const later = await eventually(async () => {
		const list = await sent('reminded', 4);
		return list.some(({ to }) => to.startsWith('dora')) ? list : undefined;
	});
	const ben = later.filter(({ to }) => to.startsWith('ben'));
	expect(ben.map(({ reminder }) => Number(reminder))).toEqual([0, 1]);
	expect(ben[1].url).toBe(ben[0].url);
	expect(ben[1].text).toMatch(/^Reminder: /);
	expect(await decision(PROMPTS.reminded[0])).toBeUndefined();
	const page = await openPage(linkTo(later, 'Dora'));
	expect(page.html).toMatch(/1 of 2 approvals.*Anna<\/bdo> approved this/s);
	expect(await choose(linkTo(later, 'Dora'), page, 'Approve once')).toMatchObject(SENT);
	const [item] = await ended('reminded');
	expect(names(item.decisions[0])).toEqual(['Anna', 'Dora']);
});

test('both answers count if n8n is killed between them', async () => {
	const list = await sent('killed', 2);
	expect(await press(linkTo(list, 'Anna'), 'Approve once')).toMatchObject(SENT);
	// The answer is saved when the execution is paused again.
	expect((await openPage(linkTo(list, 'Anna'))).title).toBe('You’ve already answered');
	await host.kill();
	host = await start(host.login);
	// The one of before is there, but this handle does not know it.
	await importCredential(host, service);
	expect(await press(linkTo(list, 'Ben'), 'Approve once')).toMatchObject(SENT);
	const [item] = await ended('killed');
	expect(names(item.decisions[0])).toEqual(['Anna', 'Ben']);
});

test('a request that changes after the first approval is new: the approval is void, and the page says so', async () => {
	await begin('changes', PROMPTS.changes, two);
	const list = await sent('changes', 2);
	expect(await press(linkTo(list, 'Anna'), 'Approve once')).toMatchObject(SENT);
	await openPage(linkTo(list, 'Anna'));
	// Its `metadata` has a time, which is another one from now on.
	await service.control.addFaults({
		operationId: 'getAgentSession',
		kind: 'skew',
		ms: 3_600_000,
		times: 0,
	});
	const page = await openPage(linkTo(list, 'Ben'));
	expect(page.html).toMatch(
		/The request has changed.*don’t count: <bdo dir="ltr">Anna<.*0 of 2 approvals/s,
	);
	expect(await choose(linkTo(list, 'Ben'), page, 'Approve once')).toMatchObject(SENT);
	const again = await sent('changes', 3);
	expect(again[2]).toMatchObject({ url: again.find(({ to }) => to.startsWith('anna'))!.url });
	expect(again[2].text).toContain('A request has changed');
	expect(await decision(PROMPTS.changes[0])).toBeUndefined();
	expect(await press(linkTo(list, 'Anna'), 'Approve once')).toMatchObject(SENT);
	const [item] = await ended('changes');
	expect(names(item.decisions[0])).toEqual(['Ben', 'Anna']);
});
