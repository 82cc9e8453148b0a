// The agent's questions, reasons for denials, and edits, from the service to the approval page and back, in n8n-core's engine and in simulated time.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { exampleWorkflow } from '../../tools/examples.mts';
import {
	answering,
	createStage,
	fillIn,
	NODE,
	runsOf,
	type Fill,
	type Flow,
	type Stage,
} from './flow.mts';

const ask = (prompt: string, parameters: IDataObject = {}): Flow => ({
	parameters: { permissionPolicy: 'ask', ...parameters },
	items: [{ prompt }],
});

const FORMS = ['', 'questions-in-text'];
const stageFor = (dialect: string) => createStage(dialect === '' ? [] : [dialect]);

describe('a question of the agent', () => {
	test.each(FORMS)('is answered by an option (%s)', async (dialect) => {
		const { item, pages, sent, asked } = await answering(
			stageFor(dialect),
			ask('[question Which style? {new=Modern, old=Classic}] [say Went on.]'),
			(html) => fillIn(html, 'Classic'),
		);
		expect(asked[0].question).toMatch(/^The agent asks a question\s+Question: «Which style\?»/);
		expect(pages[0]).toContain('Which style?');
		expect(sent).toEqual([{ type: 'question', response: 'old' }]);
		expect(item).toMatchObject({
			text: 'Went on.',
			decisions: [
				{
					decision: 'answer',
					question: 'Which style?',
					answer: 'old',
					decidedBy: 'page',
					state: 'confirmed',
				},
			],
		});
		expect(item).not.toHaveProperty('warnings');
	});

	test.each(FORMS)('is answered by a text (%s)', async (dialect) => {
		const { item, sent } = await answering(
			stageFor(dialect),
			ask('[question Which style?] [say Went on.]'),
			(html) => fillIn(html, '', { answer0: ' Something <b>warm</b>.\r\nThanks ' }),
		);
		const answer = 'Something <b>warm</b>.\nThanks';
		expect(sent).toEqual([{ type: 'question', response: answer }]);
		expect(item.decisions).toMatchObject([{ decision: 'answer', answer, state: 'confirmed' }]);
	});

	test('is sent as the credential’s override says', async () => {
		const stage = createStage();
		const body = { type: '{type}', response: '{answer}', choice: '{option}' };
		stage.credentials.overrides = JSON.stringify({ answerQuestion: { body } });
		const { sent } = await answering(
			stage,
			ask('[question Which style? {new=Modern, old=Classic}] [question Why?] [say Done.]'),
			(html) => fillIn(html, 'Modern'),
			(html) => fillIn(html, '', { answer0: 'Because' }),
		);
		expect(sent).toEqual([
			{ type: 'question', response: 'new', choice: 'new' },
			{ type: 'question', response: 'Because' },
		]);
	});

	test.each(['approve', 'deny', 'rules'])(
		'is decided by no policy (%s)',
		async (permissionPolicy) => {
			const rule = [{ permission: '*', pattern: '*', decision: 'approve' }];
			const { sent, asked } = await answering(
				createStage(),
				ask('[question Allow? {once=Allow once, reject=Reject}] [say Done.]', {
					permissionPolicy,
					permissionRules: { rule },
					defaultDecision: 'approve',
				}),
				(html) => fillIn(html, 'Reject'),
			);
			expect(asked).toHaveLength(1);
			expect(sent).toEqual([{ type: 'question', response: 'reject' }]);
		},
	);

	test('keeps what was typed if it can’t be sent, or if the question has changed since', async () => {
		const stage = createStage();
		const flow = ask('[question Which style?] [say Done.]');
		const refused = [
			{ answer0: 'x'.repeat(10_001), comment: 'Soon' },
			{ answer0: 'Warm', shown: 'of another question' },
		];
		const { replies, sent } = await answering(stage, flow, (html) => ({
			...fillIn(html, '', { answer0: 'Warm' }),
			...refused.shift(),
		}));
		expect(replies[0]).toContain('Shorten the answer to 10,000 characters. It has 10,001.');
		expect(replies[0]).toContain(`>\n${'x'.repeat(10_001)}</textarea>`);
		expect(replies[0]).toContain('Soon');
		expect(replies[1]).toContain('The request has changed');
		expect(replies[1]).toContain('>\nWarm</textarea>');
		expect(sent).toEqual([{ type: 'question', response: 'Warm' }]);
	});

	test('takes the first answer of two approvers', async () => {
		const stage = createStage();
		const flow = ask('[question Which style?] [work 3m] [say Done.]', {
			approvals: {
				approvers: { approver: ['Anna', 'Ben'].map((name) => ({ name, contact: name })) },
				approvalsNeeded: 2,
			},
		});
		let isAnswered = false;
		let later = '';
		const run = await stage.run(flow, async (paused) => {
			const [anna, ben] = runsOf(paused, NODE, 1).flat();
			if (!anna || later !== '') return;
			const link = String((isAnswered ? anna : ben).approvalUrl);
			const { body } = await stage.open(flow, paused, link);
			if (isAnswered) return void (later = body);
			isAnswered = true;
			const form = fillIn(body, '', { answer0: 'Warm' });
			return (await stage.open(flow, paused, link, form)).data;
		});
		expect(later).toMatch(/Answered by .*Ben.*Which style\?.*Warm/);
		expect(runsOf(run, NODE).flat()).toMatchObject([
			{ decisions: [{ answer: 'Warm', approvers: [{ name: 'Ben', decision: 'answer' }] }] },
		]);
	});

	const unanswered = (answerIfNobodyAnswers?: string) => ({
		approvals: { ifNobodyAnswers: 'deny', unansweredAfter: 1, answerIfNobodyAnswers },
	});

	test('stops the workflow if nobody answers in time, with an error that quotes it', async () => {
		const flow = ask('[question Which style?] [say Done.]', unanswered());
		const { run, asked, sent } = await answering(createStage(), flow);
		expect(asked[0].question).toMatch(/After that, the workflow stops with an error\./);
		const { error } = run.data.resultData;
		expect(error?.message).toBe("Nobody answered the agent's question in time");
		expect(error?.description).toContain('The agent asks: «Which style?»');
		expect(sent).toEqual([]);
	});

	test('gets Answer If Nobody Answers with any policy, if its options have it', async () => {
		const text = '[question Which style?] [question Which? {new=Modern, old=Classic}] [say Done.]';
		const settings = { permissionPolicy: 'rules', ...unanswered('Classic') };
		const { item, sent } = await answering(createStage(), ask(text, settings));
		expect(sent).toEqual([
			{ type: 'question', response: 'Classic' },
			{ type: 'question', response: 'old' },
		]);
		expect(item.decisions).toMatchObject([
			{ decision: 'answer', answer: 'Classic', decidedBy: 'policy' },
			{ decision: 'answer', answer: 'old', decidedBy: 'policy' },
		]);
		const other = ask('[question Which? {new=Modern}] [say Done.]', unanswered('Classic'));
		const { run } = await answering(createStage(), other);
		expect(run.data.resultData.error?.description).toContain('that is one of its options');
	});
});

describe('a denial with a reason', () => {
	const prompt = '[ask bash: git push + bash: rm -rf build] [say Done.]';
	const deny: Fill = (html) => fillIn(html, 'Deny', { reason1: 'Use the trash.', comment: '' });
	const messages = (stage: Stage) => stage.bodies('/messages').map(({ text }) => text);

	test('sends it with the decision if an override has a place, and a comment on an approval as a message', async () => {
		const stage = createStage();
		const body = { type: '{type}', response: '{option}', reason: '{reason}' };
		stage.credentials.overrides = JSON.stringify({ resolveInteraction: { body } });
		const flow = ask(prompt, { approvals: { sendComments: true } });
		const { item, sent, pages } = await answering(stage, flow, (html, asked) => ({
			...deny(html, asked),
			request0: fillIn(html, 'Approve once').request0,
			comment: 'Thanks.',
		}));
		expect(pages[0]).toContain('The agent gets it.');
		expect(sent).toEqual([
			{ type: 'permission', response: 'once' },
			{ type: 'permission', response: 'reject', reason: 'Use the trash.\nThanks.' },
		]);
		expect(messages(stage)).toEqual(['Thanks.']);
		expect(item.decisions).toMatchObject([
			{ patterns: ['git push'], comment: 'Thanks.' },
			{ patterns: ['rm -rf build'], comment: 'Use the trash.\nThanks.' },
		]);
	});

	test('sends it as a message after all decisions otherwise, with Send Comments to the Agent', async () => {
		const stage = createStage();
		const flow = ask(prompt, { approvals: { sendComments: true } });
		const { item } = await answering(stage, flow, deny);
		expect(messages(stage)).toEqual(['Use the trash.']);
		const times = ['/resolve', '/messages'].map((end) => stage.of('POST', end).at(-1)!.at);
		expect(times[0]).toBeLessThanOrEqual(times[1]);
		expect(item.decisions).toMatchObject([{}, { comment: 'Use the trash.' }]);
	});

	test('sends the same words again about a later request', async () => {
		const stage = createStage();
		const flow = ask('[ask bash: first]', { approvals: { sendComments: true } });
		const again: Fill = (html) => fillIn(html, 'Approve once', { comment: '[ask bash: again]' });
		const last: Fill = (html) => fillIn(html, 'Approve once');
		const { item } = await answering(stage, flow, again, again, last);
		expect(messages(stage)).toEqual(['[ask bash: again]', '[ask bash: again]']);
		expect(item.decisions).toHaveLength(3);
	});

	test('keeps it for the record otherwise', async () => {
		const stage = createStage();
		const { item, pages } = await answering(stage, ask(prompt), deny);
		expect(pages[0]).toContain('The agent doesn’t get it.');
		expect(messages(stage)).toEqual([]);
		expect(item.decisions).toMatchObject([{}, { comment: 'Use the trash.' }]);
	});
});

describe('Apply an Answer', () => {
	/** Runs a session that asks without a page, applies an answer, and returns the item of that. */
	async function applying(prompt: string, answer: unknown, changes: IDataObject = {}) {
		const stage = createStage();
		let applied: IDataObject | undefined;
		let error: Error | undefined;
		const run = await stage.run(ask(prompt), async (paused) => {
			const [item] = runsOf(paused, NODE, 1).flat();
			if (!item || applied || error) return;
			const ended = await stage.run({
				parameters: {
					operation: 'applyAnswer',
					sessionId: { __rl: true, mode: 'id', value: item.sessionId },
					answer: typeof answer === 'object' ? '={{ $json }}' : answer,
					askedInteractions: JSON.stringify((item.pendingInteractions as object[]).slice(0, 1)),
					...changes,
				} as IDataObject,
				items: [typeof answer === 'object' ? (answer as IDataObject) : {}],
			});
			error = ended.data.resultData.error;
			[applied] = runsOf(ended, NODE).flat();
			if (error) await stage.call('POST', `/agent/sessions/${item.sessionId}/abort`, {});
		});
		return { stage, run, applied, error, sent: stage.bodies('/resolve') };
	}

	test.each<[unknown, string]>([
		['approve', 'approve'],
		[{ data: { text: 'Warm' } }, 'Warm'],
	])('answers a question with %j', async (answer, response) => {
		const { sent, applied } = await applying('[question Which style?] [say Done.]', answer);
		expect(sent).toEqual([{ type: 'question', response }]);
		expect(applied?.decisions).toMatchObject([
			{ decision: 'answer', answer: response, decidedBy: 'answer', state: 'confirmed' },
		]);
	});

	test('answers a question with one of its options only', async () => {
		const prompt = '[question Which style? {new=Modern, old=Classic}] [say Done.]';
		expect((await applying(prompt, 'Classic')).sent).toEqual([
			{ type: 'question', response: 'old' },
		]);
		const { error, sent } = await applying(prompt, 'Baroque');
		expect(error?.message).toBe("'Answer' can't be sent");
		expect(sent).toEqual([]);
	});

	test.each([
		['deny', ['On the staging site.']],
		['approve', []],
	])('%s: sends the comment of a denial to the agent', async (answer, messages) => {
		const comment = 'On the staging site.';
		const { stage, applied } = await applying('[ask bash: a] [say Done.]', answer, { comment });
		expect(stage.bodies('/messages').map(({ text }) => text)).toEqual(messages);
		expect(applied?.decisions).toMatchObject([{ comment }]);
	});

	test('says that a comment was not sent while other requests are pending', async () => {
		const { stage, applied } = await applying('[ask bash: a + bash: b] [say Done.]', 'deny', {
			comment: 'No',
		});
		expect(stage.bodies('/messages')).toEqual([]);
		expect(applied?.warnings).toEqual([expect.stringMatching(/^The comment wasn't sent/)]);
	});
});

describe('an edit', () => {
	test('shows its change on the page, and its files and lines in the message', async () => {
		const { asked, pages, item } = await answering(
			createStage(),
			ask('[change texts: Coffee => Fresh coffee] [ask edit: index.html] [say Done.]'),
			(html) => fillIn(html, 'Approve once'),
		);
		expect(asked[0].question).toMatch(/Change: «index․html» \(\+1 −1\)/);
		expect(pages[0]).toContain('<table class="change">');
		expect(item.decisions).toMatchObject([{ decision: 'approve', state: 'confirmed' }]);
		expect(item.changes).toEqual([{ path: 'index.html', added: 1, removed: 1 }]);
	});

	test.each([
		['has its files only, if its lines are unknown', '[ask edit: a.html, b.html]', 'Approve once'],
		['is no change if it was denied', '[ask edit: a.html, b.html]', 'Deny'],
		['is no change if it is none', '[ask bash: rm b.html]', 'Approve once'],
	])('%s', async (name, script, choice) => {
		const { item } = await answering(createStage(), ask(`${script} [say Done.]`), (html) =>
			fillIn(html, choice),
		);
		const isChange = name.startsWith('has');
		expect(item.changes).toEqual(isChange ? [{ path: 'a.html' }, { path: 'b.html' }] : undefined);
	});

	test('of 500 lines is on the page whole, and can be approved', async () => {
		const text = Array.from({ length: 500 }, (_, at) => `line${at}`).join('\n');
		const flow = ask(`[change content: a => ${text}] [ask edit: index.html] [say Done.]`);
		const { pages, sent } = await answering(createStage(), flow, (html) =>
			fillIn(html, 'Approve once'),
		);
		expect(pages[0]).toContain('100 more lines of the change');
		expect(pages[0]).toContain('line499');
		expect(sent).toMatchObject([{ response: 'once' }]);
	});
});

test('the example "Ask before it publishes" asks a question, shows a diff, and tries again after a denial with a reason', async () => {
	const name = 'ask-before-publishing';
	const [node] = exampleWorkflow(name).nodes.filter(({ type }) =>
		type.endsWith('.runAgentSession'),
	);
	const { prompt, permissionPolicy, approvals } = node.parameters;
	const stage = createStage();
	const { item, pages, sent } = await answering(
		stage,
		ask(prompt, { permissionPolicy, approvals }),
		(html) => fillIn(html, 'Fresh coffee'),
		(html) => fillIn(html, 'Approve once'),
		(html) => fillIn(html, 'Deny', { reason0: 'Use the staging site first.' }),
		(html) => fillIn(html, 'Approve once'),
	);
	expect(pages[1]).toContain('<table class="change">');
	expect(pages[2]).toContain('The agent gets it.');
	expect(stage.bodies('/messages').map(({ text }) => text)).toEqual([
		'Use the staging site first.',
	]);
	expect(sent.map(({ response }) => response)).toEqual(['fresh', 'once', 'reject', 'once']);
	expect(item).toMatchObject({
		text: 'Published to the staging site.',
		changes: [{ path: 'index.html', added: 1, removed: 1 }],
	});
});
