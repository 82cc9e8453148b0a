import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { requireSessionId } from '../shared/session/session';
import { WorkspaceAutomationError } from '../shared/base/errors';
import {
	requireId,
	requireJsonObject,
	requireNumber,
	requireOneOf,
	requireString,
	requireText,
} from '../shared/base/validation';
import { isTool } from '../shared/n8n/aiTool';
import { readAnswer } from './answer';
import { readAsked } from './askedInteractions';
import {
	checkRules,
	type AppliedAnswer,
	type Decision,
	type Policy,
	type Rule,
} from './permissionPolicy';
import type { Patience } from './durable';
import type { Job, Target } from './runSession';

const DECISIONS: readonly Decision[] = ['approve', 'deny', 'ask'];

function readTarget(
	get: (name: string) => unknown,
	options: IDataObject,
	started: string | undefined,
): Target {
	const operation = requireOneOf('Operation', get('operation'), ['start', 'continue']);
	if (started !== undefined) return { operation: 'continue', sessionId: started };
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
			`Choose Approve, Deny or Ask a Human in rule ${index + 1} of 'Rules'.`,
		);
	}
	const globs = (field: string, value: unknown) => {
		if (value === undefined || value === null || typeof value === 'string') return value ?? '';
		throw new WorkspaceAutomationError(
			`'${field}' of rule ${index + 1} is not a text`,
			`Enter a text such as git * for '${field}' in rule ${index + 1} of 'Rules'.`,
		);
	};
	return {
		permission: globs('Permission', rule.permission),
		pattern: globs('Pattern', rule.pattern),
		decision: rule.decision as Decision,
	};
}

/** Values of options as the user lists them, separated by commas */
const valueList = (field: string, value: unknown): string[] =>
	value === undefined || value === null
		? []
		: requireString(field, value)
				.split(',')
				.map((each) => each.trim())
				.filter(Boolean);

function readRules(get: (name: string) => unknown): Pick<Policy, 'rules' | 'defaultDecision'> {
	const { rule = [] } = (get('permissionRules') ?? {}) as { rule?: IDataObject[] };
	const rules = rule.map(readRule);
	checkRules(rules);
	return {
		rules,
		defaultDecision: requireOneOf('When No Rule Matches', get('defaultDecision'), DECISIONS),
	};
}

function readAppliedAnswer(get: (name: string) => unknown): AppliedAnswer {
	const answer = readAnswer(get('answer'));
	const appliesTo = requireOneOf('Applies To', get('answerAppliesTo'), ['asked', 'session']);
	return {
		...answer,
		appliesTo,
		asked: appliesTo === 'asked' ? readAsked(get('askedInteractions')) : [],
	};
}

const MODES = {
	start: ['ask', 'approve', 'deny', 'rules'],
	continue: ['ask', 'approve', 'deny', 'rules', 'answer'],
	tryRules: ['ask', 'approve', 'deny', 'rules'],
} as const satisfies Record<string, ReadonlyArray<Policy['mode']>>;

function readPolicy(
	get: (name: string) => unknown,
	options: IDataObject,
	operation: keyof typeof MODES,
): Policy {
	const allowed: readonly Policy['mode'][] = MODES[operation];
	const mode = requireOneOf('Permission Policy', get('permissionPolicy'), allowed);
	return {
		mode,
		rules: [],
		defaultDecision: 'ask',
		...(mode === 'rules' && readRules(get)),
		...(mode === 'answer' && { answer: readAppliedAnswer(get) }),
		approveWith: requireOneOf('Approve With', options.approveWith ?? 'once', ['once', 'always']),
		approveValues: valueList('Approve Values', options.approveValues),
		denyValues: valueList('Deny Values', options.denyValues),
	};
}

const getter = (context: IExecuteFunctions, itemIndex: number) => (name: string) =>
	context.getNodeParameter(name, itemIndex, undefined, { extractValue: true }) as unknown;

/** What an item of the operation Try Rules asks for. */
export function readTrial(
	context: IExecuteFunctions,
	itemIndex: number,
): { requests: unknown; policy: Policy } {
	const get = getter(context, itemIndex);
	const options = (get('options') ?? {}) as IDataObject;
	return { requests: get('requests'), policy: readPolicy(get, options, 'tryRules') };
}

/** Whether n8n parks the execution while sessions run; one setting for all items. */
export const isDurable = (context: IExecuteFunctions): boolean =>
	!isTool(context) &&
	context.getNodeParameter('operation', 0) !== 'tryRules' &&
	context.getNodeParameter('wait', 0, 'memory') === 'database';

const HOUR = 3_600_000;

function readPatience(options: IDataObject): Patience {
	const { giveUpAfter = 24, onGiveUp = 'abort' } = options;
	const { ifNobodyAnswers = 'wait', unansweredAfter = 24 } = options;
	return {
		giveUpAfterMs: requireNumber('Give Up After', giveUpAfter, 0) * HOUR,
		onGiveUp: requireOneOf('On Give Up', onGiveUp, ['abort', 'error']),
		ifNobodyAnswers: requireOneOf('If Nobody Answers', ifNobodyAnswers, ['wait', 'deny', 'abort']),
		unansweredAfterMs: requireNumber('If Nobody Answers After', unansweredAfter, 0) * HOUR,
	};
}

/**
 * The node's parameters for one item, checked. Throws a `WorkspaceAutomationError` that names the field.
 * @param started the session that was started for the item already, which goes on instead
 */
export function readJob(context: IExecuteFunctions, itemIndex: number, started?: string): Job {
	const get = getter(context, itemIndex);
	const options = (get('options') ?? {}) as IDataObject;
	const target = readTarget(get, options, started);
	const pollSeconds = requireNumber('Poll Interval', options.pollInterval ?? 5, 1);
	const maxPollSeconds = requireNumber(
		'Max Poll Interval',
		options.maxPollInterval ?? Math.max(10, pollSeconds),
		pollSeconds,
	);
	return {
		target,
		policy: readPolicy(get, options, target.operation),
		poll: { pollMs: pollSeconds * 1000, maxPollMs: maxPollSeconds * 1000 },
		maxWaitMs: requireNumber('Max Wait', options.maxWait ?? 30, 0) * 60_000,
		onMaxWait: requireOneOf('On Max Wait', options.onMaxWait ?? 'route', ['route', 'abort']),
		abortOnStop: options.abortOnStop !== false,
		decisionBody: requireJsonObject('Decision Body', options.decisionBody),
		patience: isDurable(context) ? readPatience(options) : undefined,
	};
}

/** How many items to work on at once; one setting for all of them, read from the first. */
export function readConcurrency(context: IExecuteFunctions): number {
	const { maxConcurrentSessions = 5 } = context.getNodeParameter('options', 0, {}) as IDataObject;
	return Math.floor(requireNumber('Max Concurrent Sessions', maxConcurrentSessions, 1));
}
