// The smallest world of each fault that was found. Each keeps its promises.
import { HOUR, MINUTE, SECOND, type Ask, type World } from './world.mts';

interface Row {
	rule: string;
	world: Omit<World, 'seed'> & { seed?: number };
}

const permission = (afterMs: number, more: Partial<Ask> = {}): Ask => ({
	afterMs,
	kind: 'permission',
	...more,
});
const lasting = (lastsMs: number, ...asks: Ask[]) => [
	{ lastsMs, ...(asks.length > 0 && { asks }) },
];
const failing = (lastsMs: number) => [{ lastsMs, fails: true }];
const times = <T,>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

export const TABLE: Row[] = [
	{
		rule: 'Retry On Fail counts its tries over pauses',
		world: { items: [failing(15 * SECOND)], settings: { maxTries: 2 } },
	},
	{
		rule: 'Retry On Fail counts its tries over Max Wait',
		world: {
			items: [lasting(3 * HOUR)],
			settings: { maxTries: 2, maxWaitMinutes: 5 },
		},
	},
	{
		rule: "Another session's request every 10 minutes delays no reading",
		world: {
			items: [
				lasting(4 * HOUR, permission(10 * MINUTE, { isCovered: true, everyMs: 10 * MINUTE })),
				lasting(4 * HOUR),
			],
			settings: { policy: 'rules' },
		},
	},
	{
		rule: "Another session's request each minute delays no reading",
		world: {
			items: [
				lasting(2 * HOUR, permission(MINUTE, { isCovered: true, everyMs: MINUTE })),
				lasting(2 * HOUR),
			],
			settings: { policy: 'rules' },
		},
	},
	{
		rule: "Another node's busy session delays no first reading",
		world: {
			shape: 'parallel',
			items: [lasting(HOUR, permission(2 * SECOND, { everyMs: 30 * SECOND }))],
			settings: { policy: 'approve' },
			second: {},
			people: [{ does: 'page', afterMs: 20 * SECOND }],
		},
	},
	{
		rule: 'Sessions that ask together are asked together',
		world: { items: times(3, lasting(HOUR, permission(2 * SECOND))), isManual: true },
	},
	{
		rule: 'A limit on starts makes the night slower, never shorter',
		world: { items: times(6, lasting(MINUTE)), startLimit: 2 },
	},
	{
		rule: 'Another execution that ends removes no record',
		world: {
			items: [lasting(HOUR)],
			settings: { keepsRunning: true },
			executionsAt: [10 * SECOND],
			weather: [{ kind: '500', fromMs: 8 * SECOND, lastsMs: 10 * SECOND, share: 1, on: 'start' }],
			kills: [{ at: 30 * SECOND, downMs: 10 * SECOND }],
			retries: { count: 1, afterMs: MINUTE },
		},
	},
	{
		rule: 'A kill in a later node leads to no second session',
		world: {
			shape: 'slow',
			items: [lasting(SECOND)],
			settings: { keepsRunning: true },
			behindMs: 10 * MINUTE,
			kills: [{ at: MINUTE, downMs: 10 * SECOND }],
			retries: { count: 1, afterMs: MINUTE },
		},
	},
	{
		rule: 'A retry beside a wake that n8n took for crashed leads to no second session',
		world: {
			seed: 2,
			items: [lasting(HOUR)],
			settings: { maxTries: 2, maxWaitMinutes: 5 },
			weather: [{ kind: 'slow', fromMs: 3 * MINUTE, lastsMs: 4 * MINUTE, share: 0.5, on: 'read' }],
			kills: [{ at: 'save', count: 2, downMs: 10 * SECOND }],
			retries: { count: 1, afterMs: 5 * SECOND },
		},
	},
	{
		rule: "A sub-workflow's records are those of the parent's retry",
		world: {
			shape: 'sub',
			items: [lasting(HOUR)],
			settings: { keepsRunning: true },
			kills: [{ at: 20 * SECOND, downMs: 10 * SECOND }],
			retries: { count: 1, afterMs: MINUTE },
		},
	},
	{
		rule: 'A kill while many items start loses no result',
		world: {
			items: times(6, lasting(MINUTE)),
			settings: { maxConcurrent: 2 },
			latencyMs: SECOND,
			kills: [{ at: 'answer', count: 6, downMs: 10 * SECOND }],
			retries: { count: 3, afterMs: 2 * MINUTE },
		},
	},
	{
		rule: 'A kill while products are created creates none twice',
		world: {
			shape: 'create',
			items: times(4, lasting(MINUTE)),
			kills: [{ at: 'answer', count: 3, downMs: 10 * SECOND }],
			retries: { count: 1, afterMs: MINUTE },
		},
	},
	{
		rule: "Another session's answer completes nothing",
		world: {
			items: [lasting(10 * SECOND), lasting(HOUR)],
			weather: [
				{ kind: 'other session', fromMs: 50 * SECOND, lastsMs: MINUTE, share: 1, on: 'read' },
			],
		},
	},
	{
		rule: 'A kill after an item asked leads to no second session',
		world: {
			items: [lasting(HOUR, permission(2 * SECOND))],
			settings: { keepsRunning: true },
			kills: [{ at: MINUTE, downMs: 10 * SECOND }],
			retries: { count: 1, afterMs: MINUTE },
		},
	},
	{
		rule: 'One uncertain start loses no result of the others',
		world: {
			seed: 3,
			items: times(4, lasting(10 * SECOND)),
			weather: [{ kind: '500', fromMs: 0, lastsMs: 5 * SECOND, share: 0.5, on: 'start' }],
			retries: { count: 3, afterMs: MINUTE },
		},
	},
	{
		rule: 'A denial for If Nobody Answers is sent again after a 503',
		world: {
			items: [lasting(4 * HOUR, permission(10 * SECOND))],
			settings: { ifNobodyAnswers: 'deny', unansweredAfterHours: 0.1 },
			weather: [{ kind: '503', fromMs: 6 * MINUTE, lastsMs: 3 * MINUTE, share: 1, on: 'decide' }],
			people: [{ does: 'page', afterMs: 40 * MINUTE }],
		},
	},
	{
		rule: 'A pausing node is executed beside one that keeps running',
		world: {
			shape: 'parallel',
			items: [lasting(15 * MINUTE)],
			settings: { keepsRunning: true },
			second: {},
		},
	},
	{
		rule: 'A session that completed with a pending request is a result after Max Wait',
		world: {
			items: [[{ lastsMs: MINUTE, asks: [permission(10 * SECOND)], leavesPending: true }]],
			settings: { maxTries: 2, maxWaitMinutes: 5 },
		},
	},
	{
		rule: 'Idle wakes of several entries leave no runs',
		world: { shape: 'twice', items: [lasting(HOUR)] },
	},
	{
		rule: "The custom data names another node's sessions, however many",
		world: {
			shape: 'parallel',
			items: [failing(MINUTE), ...times(5, lasting(HOUR))],
			settings: { maxWaitMinutes: 5 },
			second: {},
		},
	},
	{
		rule: "A retry that can't read the credential names the sessions",
		world: {
			items: times(2, lasting(3 * HOUR)),
			settings: { keepsRunning: true, maxWaitMinutes: 5, letsRun: true },
			retries: { count: 1, afterMs: MINUTE },
			credential: { fromMs: 330 * SECOND, lastsMs: 30 * MINUTE },
		},
	},
	{
		rule: 'Max Wait 0 is one poll while the execution runs',
		world: {
			items: [lasting(HOUR)],
			settings: { keepsRunning: true, maxWaitMinutes: 0 },
		},
	},
	{
		rule: 'Approvers are asked at once in execution order v0, too',
		world: {
			items: [lasting(10 * MINUTE, permission(2 * SECOND))],
			settings: { keepsRunning: true },
			isLegacyOrder: true,
		},
	},
	{
		rule: "An error names each item's earlier session, also if no other one was started",
		world: {
			items: times(2, [{ lastsMs: 10 * SECOND, fails: true }]),
			settings: { maxTries: 2, maxWaitMinutes: 5 },
			weather: [{ kind: '503', fromMs: 20 * SECOND, lastsMs: HOUR, share: 1, on: 'start' }],
		},
	},
	{
		rule: 'Retry On Fail makes Max Wait no longer',
		world: {
			items: [lasting(2 * HOUR)],
			settings: { maxTries: 2, maxWaitMinutes: 60, letsRun: true },
		},
	},
	{
		rule: 'An answer in the dashboard makes readings frequent again',
		world: {
			items: [lasting(6 * HOUR, permission(10 * SECOND))],
			settings: { maxWaitMinutes: 0 },
			people: [{ does: 'dashboard', afterMs: 3 * HOUR }],
		},
	},
	{
		rule: 'A second call of a sub-workflow with an equal item has a session of its own, also after a restart',
		world: {
			successes: 2,
			shape: 'calls',
			isEqual: true,
			items: times(2, lasting(MINUTE)),
			behindMs: 10 * MINUTE,
			kills: [{ at: 8 * MINUTE, downMs: 10 * SECOND }],
		},
	},
	{
		rule: 'So has a second call that keeps the execution running',
		world: {
			successes: 2,
			shape: 'calls',
			isEqual: true,
			items: times(2, lasting(MINUTE)),
			settings: { keepsRunning: true },
			behindMs: 10 * MINUTE,
			kills: [{ at: 8 * MINUTE, downMs: 10 * SECOND }],
		},
	},
	{
		rule: 'So has a second call if another worker goes on',
		world: {
			successes: 2,
			shape: 'calls',
			isEqual: true,
			items: times(2, lasting(MINUTE)),
			forgets: 'runs',
		},
	},
	{
		rule: 'A retry asks again if the node behind To Approve failed',
		world: {
			items: [lasting(HOUR, permission(10 * SECOND))],
			settings: { maxWaitMinutes: 240 },
			messageFailures: 1,
			retries: { count: 1, afterMs: MINUTE },
			people: [{ does: 'page', afterMs: MINUTE }],
		},
	},
	{
		rule: 'A link of an execution that was killed and retried shows no form',
		world: {
			items: [lasting(3 * HOUR, permission(10 * SECOND))],
			settings: { maxWaitMinutes: 240 },
			kills: [{ at: 'answer', count: 6, downMs: 10 * SECOND }],
			retries: { count: 1, afterMs: MINUTE },
			people: [{ does: 'page', afterMs: 20 * MINUTE }],
		},
	},
	{
		rule: "An approver's abort of a quiet session is done while it can't be read",
		world: {
			items: [[{ lastsMs: HOUR, quietAfterMs: 10 * SECOND }]],
			settings: { askIfQuietMinutes: 5, maxWaitMinutes: 600 },
			weather: [{ kind: '503', fromMs: 20 * MINUTE, lastsMs: 12 * HOUR, share: 1, on: 'read' }],
			people: [{ does: 'page', afterMs: 30 * MINUTE, quiet: 'abort' }],
		},
	},
	{
		rule: "An approver's message to a quiet session is sent while it can't be read",
		world: {
			items: [[{ lastsMs: HOUR, quietAfterMs: 10 * SECOND }]],
			settings: { askIfQuietMinutes: 5, maxWaitMinutes: 600 },
			weather: [{ kind: '503', fromMs: 20 * MINUTE, lastsMs: 3 * HOUR, share: 1, on: 'read' }],
			people: [{ does: 'page', afterMs: 30 * MINUTE, quiet: 'message' }],
		},
	},
	{
		rule: 'Stop in the first wake after a restart ends the sessions of all nodes',
		world: {
			shape: 'parallel',
			items: [lasting(3 * HOUR)],
			latencyMs: SECOND,
			kills: [{ at: 10 * MINUTE, downMs: 10 * SECOND }],
			stopInWakeMs: 300,
		},
	},
	{
		rule: "Nothing starts a session after an approver's abort",
		world: {
			items: [[{ lastsMs: HOUR, quietAfterMs: 10 * SECOND }]],
			settings: { askIfQuietMinutes: 5, maxTries: 3, maxWaitMinutes: 240 },
			people: [{ does: 'page', afterMs: MINUTE, quiet: 'abort' }],
		},
	},
	{
		rule: 'A Retry-After of a year silences nobody',
		world: {
			items: [lasting(2 * HOUR)],
			weather: [
				{
					...{ kind: '429', fromMs: 5 * MINUTE, lastsMs: 5 * MINUTE, share: 1, on: 'read' },
					retryAfterSeconds: 365 * 86_400,
				},
			],
		},
	},
	{
		rule: 'A start that the service refuses for a year is an error at once',
		world: {
			items: [lasting(MINUTE)],
			settings: { maxWaitMinutes: 240 },
			weather: [
				{
					...{ kind: '429', fromMs: 0, lastsMs: 20 * MINUTE, share: 1, on: 'start' },
					retryAfterSeconds: 365 * 86_400,
				},
			],
		},
	},
	{
		rule: 'A node behind one that fails in a retry starts nothing',
		world: {
			shape: 'chain',
			items: [failing(10 * SECOND), lasting(10 * SECOND)],
			second: {},
			retries: { count: 1, afterMs: MINUTE },
		},
	},
	{
		rule: 'An outage of readings ends no healthy session',
		world: {
			items: [lasting(4 * HOUR)],
			settings: { askIfQuietMinutes: 30, ifNobodyAnswers: 'abort', unansweredAfterHours: 0.5 },
			weather: [{ kind: '503', fromMs: 10 * MINUTE, lastsMs: 80 * MINUTE, share: 1, on: 'read' }],
		},
	},
	{
		rule: 'A confirmed decision stays confirmed if the request comes back',
		world: {
			items: [
				lasting(
					HOUR,
					permission(10 * SECOND, { again: { afterMs: 10 * MINUTE, hasSameId: true } }),
				),
			],
			people: [{ does: 'page', afterMs: MINUTE }],
		},
	},
	{
		rule: "An old tab doesn't answer a request that is asked again",
		world: {
			items: [
				lasting(
					3 * HOUR,
					permission(10 * SECOND, { again: { afterMs: 10 * MINUTE, hasSameId: true } }),
				),
			],
			people: [
				{ does: 'page', afterMs: MINUTE, isTwo: true },
				{ does: 'page', afterMs: HOUR, takesFirstLink: true },
			],
		},
	},
	{
		rule: 'A request that is gone for a while has no answer',
		world: {
			items: [
				lasting(
					3 * HOUR,
					permission(10 * SECOND, { gone: { afterMs: 10 * MINUTE, lastsMs: 30 * MINUTE } }),
				),
			],
			people: [{ does: 'page', afterMs: 30 * MINUTE }],
		},
	},
	{
		rule: 'After Retry On Fail, links of the first session and the decisions there are known',
		world: {
			items: [
				[{ lastsMs: 10 * MINUTE, fails: true, asks: [permission(10 * SECOND)] }, { lastsMs: HOUR }],
			],
			settings: { maxTries: 2 },
			people: [{ does: 'page', afterMs: MINUTE, isTwo: false, changesAfterMs: 20 * MINUTE }],
		},
	},
	{
		rule: 'The policy decides a request that comes back seconds after it was decided',
		world: {
			items: [
				lasting(
					HOUR,
					permission(SECOND, { isCovered: true, again: { afterMs: 10 * SECOND, hasSameId: true } }),
				),
			],
			settings: { keepsRunning: true, policy: 'rules' },
		},
	},
	{
		rule: 'An approver decides a request that comes back minutes after it was decided',
		world: {
			items: [
				lasting(HOUR, permission(SECOND, { again: { afterMs: 5 * MINUTE, hasSameId: true } })),
			],
			people: [{ does: 'page', afterMs: MINUTE }],
		},
	},
	{
		rule: "A session that couldn't be read before and after its abort may have completed",
		world: {
			items: [lasting(20 * MINUTE)],
			settings: { maxWaitMinutes: 60 },
			weather: [{ kind: 'unsent', fromMs: 10 * MINUTE, lastsMs: 2 * HOUR, share: 1, on: 'read' }],
		},
	},
	{
		rule: 'Approvers are asked a few times about a request that has another ID in each reading',
		world: {
			items: [lasting(HOUR, permission(10 * SECOND, { reissuedMs: 5 * SECOND }))],
			settings: { keepsRunning: true },
		},
	},
	{
		rule: 'A retry that is killed while it asks for its marks starts nothing twice',
		world: {
			shape: 'sub',
			items: [lasting(5 * MINUTE), lasting(25 * SECOND, permission(2 * SECOND))],
			kills: [
				{ at: 'answer', count: 1, downMs: 4 * MINUTE },
				{ at: 'mark', count: 4, downMs: 7 * MINUTE },
			],
			retries: { count: 2, afterMs: 2 * MINUTE },
		},
	},
	{
		rule: 'A retry with another prompt ends, although one of its sessions has completed',
		world: {
			items: [failing(10 * SECOND), lasting(SECOND)],
			retries: { count: 1, afterMs: 10 * SECOND, isCurrent: true, hasChanged: true },
		},
	},
	{
		rule: 'A retry with another prompt starts nothing, also with Retry On Fail',
		world: {
			items: [lasting(HOUR, permission(10 * SECOND)), lasting(HOUR)],
			settings: { maxTries: 2, maxConcurrent: 1 },
			messageFailures: 1,
			retries: { count: 1, afterMs: MINUTE, isCurrent: true, hasChanged: true },
		},
	},
	{
		rule: 'A retry beside a wake that n8n took for crashed leads to no second session in a later node',
		world: {
			shape: 'chain',
			items: [lasting(MINUTE, permission(2 * SECOND))],
			settings: {},
			second: { policy: 'approve' },
			weather: [{ kind: '503', fromMs: 10 * MINUTE, lastsMs: HOUR, share: 0.5, on: 'read' }],
			people: [{ does: 'dashboard', afterMs: HOUR }],
			kills: [{ at: 5 * MINUTE, downMs: 200 * SECOND }],
			retries: { count: 1, afterMs: 10 * SECOND },
		},
	},
	{
		rule: 'A decision right before the request for another answer is confirmed by later readings',
		world: {
			items: [
				[
					{
						...{ lastsMs: 1_000 * SECOND, asks: [permission(2 * SECOND)], leavesPending: true },
						misfits: 1,
					},
				],
			],
			settings: {
				...{ keepsRunning: true, ifNobodyAnswers: 'deny', unansweredAfterHours: 0.05 },
				hasFormat: true,
			},
		},
	},
	{
		rule: 'An error waits for the starts of other nodes, and names their sessions',
		world: {
			shape: 'parallel',
			items: [lasting(10 * SECOND, { afterMs: 10 * SECOND, kind: 'question' })],
			settings: { keepsRunning: true },
			weather: [{ kind: '429', fromMs: 0, lastsMs: 3 * MINUTE, share: 1, on: 'read' }],
			retries: { count: 2, afterMs: 20 * SECOND },
		},
	},
];
