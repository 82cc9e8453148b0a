// Sessions as both nodes use them: what the item says is held against the service's own record of the session.
import type { IDataObject } from 'n8n-workflow';
import { differences, type Speaker } from './speakers.mts';
import type { OutputKey } from '../runAgentSession.mts';
import { byId, type World } from './world.mts';

/** The words of all dialects for a decision */
const WORDS = {
	approve: ['once', 'grant', 'permit_once', '1', 'go'],
	deny: ['reject', 'refuse', 'block', '3', 'halt'],
};
const meaning = (value: unknown) =>
	Object.entries(WORDS).find(([, words]) => words.includes(String(value)))?.[0] ?? value;

const ended = ['completed', 'failed'];

/** The sessions that came since a speaker began */
async function since(world: World, before: number) {
	return world.sessions().slice(before);
}
const count = async (world: World) => world.sessions().length;

/** A session that someone else has started, under way. */
async function startedElsewhere(world: World, prompt: string): Promise<string> {
	const sessionId = await world.control.startSession({ projectId: world.projectId, prompt });
	world.settle();
	return sessionId;
}
const sessionNow = async (world: World, sessionId: string) =>
	world.sessions().find((session) => session.sessionId === sessionId)!;

const started = (world: World, prompt: string): IDataObject => ({
	operation: 'start',
	projectId: byId(world.projectId),
	prompt,
});

/** Compares the item's decisions with the service's. */
function getDecisions(
	json: any,
	session: { interactions: any[] },
): Record<string, [unknown, unknown]> {
	return {
		'what is listed as decided': [
			(json.decisions ?? []).map((each: any) => [each.interactionId, each.decision]),
			session.interactions
				.filter(({ value }) => value !== undefined)
				.map(({ id, value }) => [id, meaning(value)]),
		],
	};
}

const agentSessions: Speaker[] = [
	{
		name: 'agentSession.create',
		makes: { what: 'sessions' },
		async use(world) {
			const before = await count(world);
			const prompt = '[work 20s] [say Done]';
			const [item] = await world.operation('agentSession.create', {
				projectId: byId(world.projectId),
				prompt,
			});
			const now = await since(world, before);
			return differences({
				'what was started': [now.map((each) => each.prompt), [prompt]],
				'the id': [item.sessionId, now[0]?.sessionId],
			});
		},
	},
	{
		name: 'agentSession.get',
		async use(world) {
			const sessionId = await startedElsewhere(world, '[ask bash: x] [work 10h]');
			const [item] = await world.operation('agentSession.get', { sessionId });
			return differences({
				// Wherever the service has them
				'whether it says the status': [/"running"/i.test(JSON.stringify(item)), true],
				'whether it says what is asked': [JSON.stringify(item).includes('"bash"'), true],
			});
		},
	},
	{
		name: 'agentSession.sendMessage',
		makes: { what: 'turns', beyond: 1 },
		async use(world) {
			const sessionId = await startedElsewhere(world, '[say One]');
			await world.operation('agentSession.sendMessage', { sessionId, message: '[work 10h]' });
			return differences({ 'the turns': [(await sessionNow(world, sessionId)).turns, 2] });
		},
	},
	{
		name: 'agentSession.resolveInteraction',
		async use(world) {
			const sessionId = await startedElsewhere(world, '[ask bash: x] [work 10h]');
			const [{ id }] = (await sessionNow(world, sessionId)).interactions;
			await world.operation('agentSession.resolveInteraction', {
				sessionId,
				interactionId: id,
				decision: 'approve',
			});
			const [{ value }] = (await sessionNow(world, sessionId)).interactions;
			return differences({ 'the decision': [meaning(value), 'approve'] });
		},
	},
	{
		name: 'agentSession.abort',
		async use(world) {
			const sessionId = await startedElsewhere(world, '[work 10h]');
			await world.operation('agentSession.abort', { sessionId });
			return differences({
				'whether it was aborted': [(await sessionNow(world, sessionId)).aborted, true],
			});
		},
	},
];

/** Returns whether it leaves an unreadable request to an approver, and says so. That's always right. */
const leavesToAPerson = ({ output, json }: { output?: OutputKey; json: any }) =>
	output === 'needsApproval' && json.warnings?.length > 0 && typeof json.question === 'string';

const ask = '[ask bash: x] [work 30s] [say First]';

const runs: Speaker[] = [
	...(['approve', 'deny'] as const).map((policy): Speaker => ({
		name: policy,
		async use(world) {
			const before = await count(world);
			const { output, json } = await world.session({
				...started(world, ask),
				permissionPolicy: policy,
			});
			const [session, ...others] = await since(world, before);
			const decided = session?.interactions.map(({ value }) => meaning(value));
			// A request left to an approver is right, if the item says so.
			if (output === 'needsApproval')
				return differences({
					'what it waits for': [
						[session?.status, decided],
						['running', [undefined]],
					],
					'whether it says what is asked': [typeof json.question === 'string', true],
				});
			return differences({
				'the prompt': [session?.prompt, ask],
				'the number of others': [others.length, 0],
				'the output': [output, 'completed'],
				'the session': [json.sessionId, session?.sessionId],
				'what was decided': [decided, [policy]],
				'the status': [session?.status, 'completed'],
				...getDecisions(json, session),
			});
		},
	})),
	{
		name: 'asking an approver',
		makes: { what: 'sessions' },
		async use(world) {
			const before = await count(world);
			const { output, json } = await world.session({
				...started(world, ask),
				permissionPolicy: 'ask',
			});
			const [session, ...others] = await since(world, before);
			return differences({
				'the number of others': [others.length, 0],
				'the output': [output, 'needsApproval'],
				'the session': [json?.sessionId, session?.sessionId],
				'what was decided': [session?.interactions.map(({ value }) => value), [undefined]],
			});
		},
	},
	{
		name: 'with a message',
		makes: { what: 'turns', beyond: 1 },
		async use(world) {
			const sessionId = await startedElsewhere(world, '[say First]');
			const { output, json } = await world.session({
				operation: 'continue',
				sessionId: byId(sessionId),
				message: '[work 40s] [say Second]',
				permissionPolicy: 'approve',
			});
			const session = await sessionNow(world, sessionId);
			if (leavesToAPerson({ output, json }))
				return differences({ 'the turns': [session.turns, 2] });
			return differences({
				'the output': [output, 'completed'],
				'the turns': [session.turns, 2],
				'the text': [json?.text, 'Second'],
			});
		},
	},
	{
		name: 'aborting',
		makes: { what: 'sessions' },
		async use(world) {
			const before = await count(world);
			const error = await world
				.session({
					...started(world, '[work 10h]'),
					permissionPolicy: 'approve',
					maxWait: 1,
					onMaxWait: 'abort',
				})
				.then(
					(left) => (leavesToAPerson(left) ? undefined : `left by output ${left.output}`),
					(thrown: Error) => thrown,
				);
			const [session, ...others] = await since(world, before);
			if (others.length > 0) return `${others.length} other sessions were started`;
			if (error === undefined) return undefined;
			if (typeof error === 'string') return `a session without end ${error}`;
			const says = /was aborted$/.test(error.message);
			if (says && session?.aborted) return undefined;
			if (says) return 'it is said to be aborted, and was not';
			throw error;
		},
	},
	{
		name: 'letting it run',
		makes: { what: 'sessions' },
		async use(world) {
			const before = await count(world);
			const error = await world
				.session({
					...started(world, '[work 10h]'),
					permissionPolicy: 'approve',
					maxWait: 1,
				})
				.then(
					(left) => (leavesToAPerson(left) ? undefined : `left by output ${left.output}`),
					(thrown: Error) => thrown,
				);
			if (typeof error === 'string') return `a session without end ${error}`;
			if (error && !/still running$/.test(error.message)) throw error;
			const [session] = await since(world, before);
			return differences({ 'whether it has ended': [ended.includes(session?.status), false] });
		},
	},
];

export const sessionSpeakers = { 'Agent sessions': agentSessions, 'Run Agent Session': runs };
