// The smallest world of each fault that was found. It's mended, so each of them keeps its promises.
import type { HostVersion } from '../../n8n-host/versions.mts';
import { HOUR, MINUTE, SECOND, type Ask, type World } from './world.mts';

interface Row {
	rule: string;
	world: Omit<World, 'seed'> & { seed?: number };
	/** What n8n 1 can't keep: it doesn't say whose retry a retry is, so no session of the killed execution can be named */
	onN8n1?: string;
}

/** Returns the kinds of violations that a row has on an n8n. */
export const expectedKinds = ({ onN8n1 }: Row, version: HostVersion): string[] =>
	version === '1.123' && onN8n1 !== undefined ? [onN8n1] : [];

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
		onN8n1: "an error doesn't name a session (running)",
	},
	{
		rule: 'A kill in a later node leads to no second session, and the error names the session',
		world: {
			shape: 'slow',
			items: [lasting(SECOND)],
			settings: { keepsRunning: true },
			behindMs: 10 * MINUTE,
			kills: [{ at: MINUTE, downMs: 10 * SECOND }],
			retries: { count: 1, afterMs: MINUTE },
		},
		onN8n1: "an error doesn't name a session (completed)",
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
		onN8n1: "an error doesn't name a session (running)",
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
		onN8n1: "an error doesn't name a session (running)",
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
];
