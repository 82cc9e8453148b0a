// The question about a quiet session on the approval page: what it shows, and which answer counts. Pure.
import { describe, expect, test } from '@jest/globals';
import { renderPage } from '../../nodes/RunAgentSession/page/html.ts';
import { createForm } from '../../nodes/RunAgentSession/page/view.ts';
import { respond } from '../../nodes/RunAgentSession/page/respond.ts';
import { createBallot } from '../../nodes/RunAgentSession/requests/ballots.ts';
import { showQuiet } from '../../nodes/RunAgentSession/requests/quietRequest.ts';
import { requestKey, type Quiet } from '../../nodes/RunAgentSession/requests/requestRecord.ts';
import { readForm } from '../unit/forms.mts';

const NOW = Date.parse('2026-10-05T15:12:00.000Z');
const MINUTE = 60_000;
const QUIET: Quiet = {
	since: NOW - 30 * MINUTE,
	afterMs: 30 * MINUTE,
	latest: { label: 'Latest tool', text: '<b>npm test</b>' },
};

function quietForm(changes: Partial<Quiet> = {}) {
	const requests = showQuiet([], { ...QUIET, ...changes }, NOW);
	const ballot = createBallot(requests, undefined, NOW, {});
	const ballots = [ballot];
	const asked = { sessionId: 's1', state: 'running' as const, requests, ballots, answers: [] };
	return { ...asked, ballot, form: createForm(asked, ballot, 0) };
}
const render = (changes: Partial<Quiet> = {}) =>
	renderPage(
		{
			...{ kind: 'open', title: 'T', says: [], given: [], moreSessions: 0, commentHint: '' },
			sections: [{ pending: quietForm(changes).form }],
		},
		NOW,
	);
const read = (fields: object) => {
	const { form } = quietForm();
	return readForm(form, { shown: form.shown, ...fields });
};

describe('the question about a quiet session', () => {
	test('shows since when, what the session did last as the agent’s text, and three choices', () => {
		const html = render();
		expect(html).toMatch(/No activity since <time[^>]*>2:42 PM<\/time> \(UTC\)\. Latest tool:/);
		expect(html).toContain('&#60;b&#62;npm test&#60;/b&#62;');
		const labels = [...html.matchAll(/type="radio".*?<span>([^<]*)/gs)].map(([, label]) => label);
		expect(labels.map((label) => label.replace(/[^\w ]/g, ''))).toEqual([
			'Keep waiting',
			'Send a message',
			'Abort the session',
		]);
		expect(html).toContain('<textarea id="answer0"');
	});

	test.each<[string, object, object]>([
		['keep waiting', { request0: '0' }, { option: 'Keep waiting' }],
		[
			'keep waiting, whatever was typed',
			{ request0: '0', answer0: 'x' },
			{ option: 'Keep waiting' },
		],
		['a message', { request0: '1', answer0: ' Go\r\non ' }, { option: 'Go\non', isText: true }],
		['a message without a choice', { answer0: 'Go on' }, { option: 'Go on', isText: true }],
		[
			'a message with the words of a choice',
			{ request0: '1', answer0: 'Abort the session' },
			{ option: 'Abort the session', isText: true },
		],
		['abort', { request0: '2' }, { option: 'Abort the session' }],
	])('takes %s', (_, fields, vote) => {
		const [answer] = read(fields) as unknown as Array<{ vote: object }>;
		expect(answer.vote).toEqual({ decision: 'answer', choice: 'Answer', ...vote });
	});

	test.each<[object, string]>([
		[{}, 'Choose an option.'],
		[{ request0: '1' }, 'Enter a message.'],
		[{ request0: '1', answer0: ' ' }, 'Enter a message.'],
		[
			{ request0: '1', answer0: 'x'.repeat(10_001) },
			'Shorten the answer to 10,000 characters. It has 10,001.',
		],
		[{ request0: '3' }, 'Choose an option.'],
	])('refuses %j: %s', (fields, reason) => {
		expect(read(fields)).toEqual({ problems: [{ at: 0, reason }] });
	});

	test.each([false, true])(
		'that activity took back says that nothing was decided, also if an answer was given (%s)',
		(isAnswered) => {
			const { requests, ballots, ballot } = quietForm();
			const { nonce } = ballot.approvers[0];
			const vote = {
				decision: 'answer',
				option: 'Abort the session',
				choice: 'Answer',
			} as const;
			const answer = { link: nonce, request: requestKey(requests[0]), vote, at: NOW, form: '' };
			const record = {
				state: 'running' as const,
				sessionId: 's',
				requests: showQuiet(requests, undefined, NOW),
				ballots,
				answers: isAnswered ? [answer] : [],
			};
			const call = { contentType: '', query: { question: nonce }, body: {} };
			const { view } = respond({ ...call, method: 'GET' }, [record], NOW);
			expect(view.title).toBe('The session is active again');
			expect(view.says.join()).toContain('nothing was decided');
			const posted = respond(
				{ ...call, method: 'POST', contentType: 'application/x-www-form-urlencoded' },
				[record],
				NOW,
			);
			expect(posted).toMatchObject({ status: 409, view: { title: view.title } });
			expect(posted).not.toHaveProperty('answers');
		},
	);
});
