// Failed polls.
import { describe, expect, test } from '@jest/globals';
import { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import {
	toPollFailure,
	shouldThrow,
	ConfigurationError,
	type PollSituation,
} from '../../nodes/WorkspaceAutomationTrigger/failures.ts';

const status = (httpStatus: number, retryAfter?: number) =>
	new WorkspaceAutomationError('Message', 'Description', { httpStatus, retryAfter });
const refused = (httpStatus: number) =>
	Object.assign(status(httpStatus), { kind: 'rejected' as const });
const lost = new WorkspaceAutomationError("The service didn't answer", '');
const mistake = new ConfigurationError('Message', 'Description');

const TICK: PollSituation = {
	activation: 'activate',
	isFirst: false,
	hasBaseline: true,
	failures: 1,
};
const SITUATIONS: Record<string, Partial<PollSituation>> = {
	'the first tick': { isFirst: false, failures: 1 },
	'the second in a row': { failures: 2 },
	'the third in a row': { failures: 3 },
	'the first poll after a start of n8n': { activation: 'init', isFirst: true },
	'the first poll of a new leader': { activation: 'leadershipChange', isFirst: true },
	'the same without a baseline': { activation: 'init', isFirst: true, hasBaseline: false },
	'a tick after a start without a baseline': { activation: 'init', hasBaseline: false },
	'an activation by a user': { isFirst: true },
	'an activation by a user without a baseline': { isFirst: true, hasBaseline: false },
};
const in_ = (name: string): PollSituation => ({ ...TICK, ...SITUATIONS[name] });

const AT_START = [
	'the first poll after a start of n8n',
	'the first poll of a new leader',
	'the same without a baseline',
];

describe.each(Object.keys(SITUATIONS))('in %s', (situation) => {
	test.each([
		['401', status(401)],
		['403', status(403)],
		['400', status(400)],
		['a mistake in the panel', mistake],
		['a bug', new TypeError('undefined is not a function')],
	])(`%s is ${AT_START.includes(situation) ? 'a warning' : 'an error'}`, (_, error) => {
		expect(shouldThrow(error, in_(situation))).toBe(!AT_START.includes(situation));
	});

	const waitsFor = [
		...AT_START,
		'the first tick',
		'the second in a row',
		'a tick after a start without a baseline',
		'an activation by a user',
	];
	test.each([
		['no answer', lost],
		['409', refused(409)],
		['423', refused(423)],
		['429', status(429)],
		['408', status(408)],
		['404', status(404)],
		['503', status(503)],
		['a redirect', status(302)],
		['a body that is not JSON', status(200)],
	])(`%s is ${waitsFor.includes(situation) ? 'a warning' : 'an error'}`, (_, error) => {
		expect(shouldThrow(error, in_(situation))).toBe(!waitsFor.includes(situation));
	});
});

test.each([
	[status(429, 7), { cause: 'rate-limited', retryAfterMs: 7000 }],
	[status(429), { cause: 'rate-limited' }],
	[status(401), { cause: 'credential-invalid' }],
	[status(403), { cause: 'credential-invalid' }],
	[status(404), { cause: 'configuration-invalid' }],
	[status(400), { cause: 'configuration-invalid' }],
	[mistake, { cause: 'configuration-invalid' }],
	[status(503), { cause: 'temporarily-unavailable' }],
	[lost, { cause: 'temporarily-unavailable' }],
])('n8n 2.41 gets the cause: %o', (error, failure) => {
	expect(toPollFailure(error)).toEqual(failure);
});
