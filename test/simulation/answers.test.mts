// Approvers' answers against running sessions: for any order of questions and answers, nothing is approved without an approver.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { byId } from '../../n8n-host/workflows.mts';
import { byRules, simulation, type Settings, type Simulation } from './simulation.mts';

const ASK = { permissionPolicy: 'ask' };
/** Approves what is called safe. */
const RULES = byRules({ permission: 'bash', pattern: 'safe *', decision: 'approve' });
/** An item for an approver */
interface Asked {
	sessionId: string;
	pendingInteractions: Array<{ patterns: string[] }>;
}

/** Applies an answer. */
const apply = async (
	service: Simulation,
	sessionId: string,
	asked: unknown,
	answer: 'approve' | 'deny' = 'approve',
) => await service.apply(sessionId, asked, answer);

/** Runs it until it has asked, and returns the item for the approver. */
const ask = async (service: Simulation, prompt: string, settings: Settings = ASK) =>
	(await service.runOn(prompt, { maxWait: 1, ...settings })).asked[0] as IDataObject & Asked;
const findAsked = ({ pendingInteractions }: Asked) => pendingInteractions;

/** Decision sent for each request: pattern and option */
const told = (service: Simulation): Record<string, string | null> =>
	Object.fromEntries(
		service
			.sessions()
			.flatMap(({ interactions }) => interactions)
			.map((request) => [
				'patterns' in request ? request.patterns.join() : '',
				request.value ?? null,
			]),
	);

describe('an answer', () => {
	test('for one session decides nothing in another session with the same request', async () => {
		const service = simulation();
		const one = await ask(service, '[ask bash: a] [say One]');
		const other = await ask(service, '[ask bash: a] [say Other]');
		const asked = findAsked(one);
		expect((await apply(service, other.sessionId, asked)).because).toMatch(
			/: it wasn't among the requests shown$|: the request shown was for another session$/,
		);
		expect(service.sessions().map(({ interactions }) => interactions[0].value)).toEqual([
			undefined,
			undefined,
		]);
	});
});

test('no request is approved without a rule or an approver, for any order of requests and answers', async () => {
	const session = fc.nat(1);
	const event = fc.oneof(
		fc.record({ does: fc.constant('look' as const), session }),
		fc.record({ does: fc.constant('rules' as const), session }),
		fc.record({
			does: fc.constant('answer' as const),
			session,
			/** Which of the questions so far the person answers, of any approver; also an old one, and one again */
			question: fc.nat(10),
			answer: fc.constantFrom('approve' as const, 'deny' as const),
		}),
	);
	const asks = fc.array(fc.boolean(), { minLength: 1, maxLength: 4 });
	await fc.assert(
		fc.asyncProperty(asks, asks, fc.array(event, { maxLength: 12 }), async (one, two, events) => {
			const service = simulation();
			const approved = new Set<string>();
			const started = [];
			for (const [index, list] of [one, two].entries()) {
				const requests = list.map(
					(safe, place) => `[ask bash: ${safe ? 'safe' : 'other'} ${index}${place}]`,
				);
				started.push(await ask(service, `${requests.join(' ')} [say Done]`));
			}
			const questions = started.map(findAsked);
			for (const { does, ...more } of events) {
				const { sessionId } = started[more.session];
				if ('question' in more) {
					const asked = questions[more.question % questions.length];
					if (more.answer === 'approve')
						for (const { patterns } of asked) approved.add(String(patterns));
					await apply(service, sessionId, asked, more.answer);
					continue;
				}
				if (does === 'rules') approved.add(`rules ${more.session}`);
				const settings = does === 'rules' ? RULES : ASK;
				const target = { operation: 'continue', sessionId: byId(sessionId), ...settings };
				const after = await ask(service, '', target);
				if (after) questions.push(findAsked(after));
			}
			for (const [pattern, option] of Object.entries(told(service))) {
				if (option === null || option === 'reject') continue;
				const byRule = pattern.startsWith('safe') && approved.has(`rules ${pattern.at(5)}`);
				expect({ pattern, isApproved: byRule || approved.has(pattern) }).toEqual({
					pattern,
					isApproved: true,
				});
			}
		}),
		{ numRuns: 15 },
	);
});
