import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { requireSessionId } from '../shared/agentSession/session';
import { WorkspaceAutomationError } from '../shared/errors/errors';
import {
	requireId,
	requireJsonObject,
	requireNumber,
	requireOneOf,
	requireText,
} from '../shared/validation';
import type { Decision, Policy, Rule } from './permissionPolicy';
import type { Job, Target } from './runSession';

const DECISIONS: readonly Decision[] = ['approve', 'deny', 'ask'];

function readTarget(get: (name: string) => unknown, options: IDataObject): Target {
	const operation = requireOneOf('Operation', get('operation'), ['start', 'continue']);
	if (operation === 'start') {
		return {
			operation,
			projectId: requireId('Project', get('projectId')),
			prompt: requireText('Prompt', get('prompt')),
			extra: requireJsonObject('Body', options.body),
		};
	}
	const message = get('message') ?? '';
	if (typeof message !== 'string') requireText('Message', message);
	return {
		operation,
		sessionId: requireSessionId('Session', get('sessionId')),
		message: String(message).trim() === '' ? undefined : String(message),
	};
}

function readRule(rule: IDataObject, index: number): Rule {
	if (!DECISIONS.includes(rule.decision as Decision)) {
		throw new WorkspaceAutomationError(
			`Rule ${index + 1} has no decision`,
			`Choose Approve, Deny or Ask a Human in rule ${index + 1} of Rules.`,
		);
	}
	const globs = (field: string, value: unknown) => {
		if (value === undefined || value === null || typeof value === 'string') return value ?? '';
		throw new WorkspaceAutomationError(
			`${field} of rule ${index + 1} is not a text`,
			`Enter a text such as git * for ${field} in rule ${index + 1} of Rules.`,
		);
	};
	return {
		permission: globs('Permission', rule.permission),
		pattern: globs('Pattern', rule.pattern),
		decision: rule.decision as Decision,
	};
}

function readPolicy(get: (name: string) => unknown, options: IDataObject): Policy {
	const mode = requireOneOf('Permission Policy', get('permissionPolicy'), [
		'ask',
		'approve',
		'deny',
		'rules',
	]);
	const approveWith = requireOneOf('Approve With', options.approveWith ?? 'once', [
		'once',
		'always',
	]);
	if (mode !== 'rules') return { mode, rules: [], defaultDecision: 'ask', approveWith };
	const { rule = [] } = (get('permissionRules') ?? {}) as { rule?: IDataObject[] };
	return {
		mode,
		rules: rule.map(readRule),
		defaultDecision: requireOneOf('When No Rule Matches', get('defaultDecision'), DECISIONS),
		approveWith,
	};
}

/** The node's parameters for one item, checked. Throws a `WorkspaceAutomationError` that names the field. */
export function readJob(context: IExecuteFunctions, itemIndex: number): Job {
	const get = (name: string) =>
		context.getNodeParameter(name, itemIndex, undefined, { extractValue: true }) as unknown;
	const options = (get('options') ?? {}) as IDataObject;
	const pollSeconds = requireNumber('Poll Interval', options.pollInterval ?? 5, 1);
	const maxPollSeconds = requireNumber(
		'Max Poll Interval',
		options.maxPollInterval ?? Math.max(10, pollSeconds),
		pollSeconds,
	);
	return {
		target: readTarget(get, options),
		policy: readPolicy(get, options),
		poll: { pollMs: pollSeconds * 1000, maxPollMs: maxPollSeconds * 1000 },
		maxWaitMs: requireNumber('Max Wait', options.maxWait ?? 30, 0) * 60_000,
		onMaxWait: requireOneOf('On Max Wait', options.onMaxWait ?? 'route', ['route', 'abort']),
		abortOnStop: options.abortOnStop !== false,
		decisionBody: requireJsonObject('Decision Body', options.decisionBody),
	};
}

/** How many items to work on at once; one setting for all of them, read from the first. */
export function readConcurrency(context: IExecuteFunctions): number {
	const { maxConcurrentSessions = 5 } = context.getNodeParameter('options', 0, {}) as IDataObject;
	return Math.floor(requireNumber('Max Concurrent Sessions', maxConcurrentSessions, 1));
}
