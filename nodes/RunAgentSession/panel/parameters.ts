import type { IDataObject, IExecuteFunctions, IGetNodeParameterOptions } from 'n8n-workflow';

import { requireSessionId } from '../../shared/client/session';
import { WorkspaceAutomationError } from '../../shared/errors';
import {
	requireId,
	requireJsonObject,
	requireNumber,
	requireOneOf,
	requireString,
	requireText,
} from '../../shared/validation';
import { isRecord, splitList, nonEmptyText } from '../../shared/values';
import { isTool } from '../../shared/n8n/aiTool';
import { isConnectedBack } from '../session/pause';
import { readAnswer } from '../approval/answer';
import { readOrigin, readRequestsShown } from '../approval/request';
import { literalAfter } from '../policy/patterns';
import {
	checkRules,
	type AppliedAnswer,
	type Decision,
	type Policy,
	type Rule,
} from '../policy/rules';
import type { Timeouts } from '../session/schedule';
import type { WaitMode } from '../output';
import { outputIndex } from '../outputs';
import type { ItemSettings, Target } from '../session/run';

const DECISIONS: readonly Decision[] = ['approve', 'deny', 'ask'];

/** The parameters of one item. */
const createReader = (context: IExecuteFunctions, itemIndex: number) => ({
	get: (name: string, options?: IGetNodeParameterOptions): unknown =>
		context.getNodeParameter(name, itemIndex, undefined, { extractValue: true, ...options }),
	/** The value of an expression, given with its braces */
	evaluate: (expression: string): unknown => context.evaluateExpression(expression, itemIndex),
	options: context.getNodeParameter('options', itemIndex, {}) as IDataObject,
	asTool: isTool(context),
});
type ParameterReader = ReturnType<typeof createReader>;

/** @param started the session that was started for the item already, which goes on instead */
function readTarget({ get, options }: ParameterReader, started: string | undefined): Target {
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
	const message = requireString('Message', get('message') ?? '');
	return {
		operation,
		sessionId: requireSessionId('Session', get('sessionId')),
		message: message.trim() === '' ? undefined : message,
	};
}

/** What a rule's field says: a fixed text as it is, an expression with each of its values as a value, no glob of its own. */
function readGlobs(
	field: string,
	index: number,
	raw: unknown,
	{ evaluate }: ParameterReader,
): string {
	if (raw === undefined || raw === null) return '';
	const refuse = (problem: string): never => {
		throw new WorkspaceAutomationError(
			`'${field}' of rule ${index + 1} ${problem}`,
			`Enter a text such as git status for '${field}' in rule ${index + 1} of 'Rules'. If it is an expression, check that the item it reads from has that field.`,
		);
	};
	if (typeof raw !== 'string') return refuse('is not a text');
	if (!raw.startsWith('=')) return raw;
	return raw.slice(1).replace(/\{\{[^]*?\}\}/g, (expression, at: number, whole: string) => {
		const value = evaluate(expression);
		if (value === undefined || value === null || value === '') return refuse('has no value');
		return typeof value === 'object'
			? refuse('is not a text')
			: literalAfter(whole.slice(0, at), String(value));
	});
}

function readRules(from: ParameterReader): Pick<Policy, 'rules' | 'defaultDecision'> {
	const [entered, withExpressions] = [{}, { rawExpressions: true }].map((options) => {
		const rules = from.get('permissionRules', options) as { rule?: IDataObject[] } | undefined;
		return rules?.rule ?? [];
	});
	const rules = entered.map((rule, index): Rule => {
		const raw = withExpressions[index] ?? rule;
		const decision = rule.decision as Decision;
		if (!DECISIONS.includes(decision))
			throw new WorkspaceAutomationError(
				`Rule ${index + 1} has no decision`,
				`Choose Approve, Deny or Ask a Person in rule ${index + 1} of 'Rules'.`,
			);
		return {
			permission: readGlobs('Permission', index, raw.permission, from),
			pattern: readGlobs('Pattern', index, raw.pattern, from),
			decision,
		};
	});
	checkRules(rules);
	return {
		rules,
		defaultDecision: requireOneOf('When No Rule Matches', from.get('defaultDecision'), DECISIONS),
	};
}

function readAppliedAnswer({ get, asTool }: ParameterReader): AppliedAnswer {
	if (asTool) {
		throw new WorkspaceAutomationError(
			"'Apply an Answer' is not for tools of an AI agent: the model would answer for the person",
			'Let the workflow ask the person and continue the session with the answer, or put Resolve Interaction of the node Workspace Automation under Human review.',
		);
	}
	const answer = readAnswer(get('answer'));
	const appliesTo = requireOneOf('Applies To', get('answerAppliesTo'), ['asked', 'session']);
	return {
		...answer,
		appliesTo,
		asked: appliesTo === 'asked' ? readRequestsShown(get('askedInteractions')) : [],
		sessionId: requireSessionId('Session', get('sessionId')),
	};
}

function readPolicy(from: ParameterReader, canBeAnswer: boolean): Policy {
	const { approveWith = 'once', approveValues, denyValues } = from.options;
	const modes: Array<Policy['mode']> = ['ask', 'approve', 'deny', 'rules'];
	if (canBeAnswer) modes.push('answer');
	const mode = requireOneOf('Permission Policy', from.get('permissionPolicy'), modes);
	return {
		mode,
		rules: [],
		defaultDecision: 'ask',
		...(mode === 'rules' && readRules(from)),
		...(mode === 'answer' && { answer: readAppliedAnswer(from) }),
		approveWith: requireOneOf('Approve With', approveWith, ['once', 'always']),
		approveValues: splitList(requireString('Approve Values', approveValues ?? '')),
		denyValues: splitList(requireString('Deny Values', denyValues ?? '')),
	};
}

/** What a question says of the session: of one that is started, the name of the project where it was chosen from the list. */
function readRequestOrigin(
	{ get }: ParameterReader,
	target: Target,
	{ answer }: Policy,
): ItemSettings['origin'] {
	if (target.operation === 'continue') {
		const about = readOrigin(answer?.asked ?? []);
		return { ...about, job: target.message ?? about.job };
	}
	const project = get('projectId', { extractValue: false, rawExpressions: true });
	const { mode, value, cachedResultName } = isRecord(project) ? project : {};
	const isChosen = mode === 'list' && value === target.projectId;
	const projectName = isChosen ? nonEmptyText(cachedResultName) : undefined;
	return { projectName, projectId: target.projectId, job: target.prompt };
}

/** What an item of the operation Try Rules asks for. */
export function readTrial(
	context: IExecuteFunctions,
	itemIndex: number,
): { requests: unknown; policy: Policy } {
	const from = createReader(context, itemIndex);
	return { requests: from.get('requests'), policy: readPolicy(from, false) };
}

/** Where n8n keeps the execution while sessions run; one setting for all items. A tool never parks. */
export const readWaitMode = (context: IExecuteFunctions): WaitMode =>
	!isTool(context) && context.getNodeParameter('wait', 0, 'memory') === 'database'
		? 'database'
		: 'memory';

const HOUR_MS = 3_600_000;

function readTimeouts(context: IExecuteFunctions, options: IDataObject): Timeouts {
	const { giveUpAfter = 24, onGiveUp = 'abort' } = options;
	const { ifNobodyAnswers = 'wait', unansweredAfter = 24 } = options;
	return {
		giveUpAfterMs: requireNumber('Give Up After', giveUpAfter, 0) * HOUR_MS,
		onGiveUp: requireOneOf('On Give Up', onGiveUp, ['abort', 'error']),
		ifNobodyAnswers: requireOneOf('If Nobody Answers', ifNobodyAnswers, ['wait', 'deny', 'abort']),
		unansweredAfterMs: requireNumber('If Nobody Answers After', unansweredAfter, 0) * HOUR_MS,
		waitsForPeople: isConnectedBack(context, outputIndex('needsApproval')),
	};
}

/**
 * The node's parameters for one item, checked. Throws a `WorkspaceAutomationError` that names the field.
 * @param started the session that was started for the item already, which goes on instead
 */
export function readJob(
	context: IExecuteFunctions,
	itemIndex: number,
	started?: string,
): ItemSettings {
	const from = createReader(context, itemIndex);
	const { options } = from;
	// Workflows that were saved before these had fields of their own have them among the options.
	const {
		maxWait = context.getNodeParameter('maxWait', itemIndex, 30),
		onMaxWait = context.getNodeParameter('onMaxWait', itemIndex, 'route'),
	} = options;
	const target = readTarget(from, started);
	const policy = readPolicy(from, target.operation === 'continue');
	const pollSeconds = requireNumber('Poll Interval', options.pollInterval ?? 5, 1);
	const { maxPollInterval = Math.max(10, pollSeconds) } = options;
	const maxPollSeconds = requireNumber('Max Poll Interval', maxPollInterval, pollSeconds);
	return {
		target,
		policy,
		origin: readRequestOrigin(from, target, policy),
		poll: { pollMs: pollSeconds * 1000, maxPollMs: maxPollSeconds * 1000 },
		maxWaitMs: requireNumber('Max Wait', maxWait, 0) * 60_000,
		onMaxWait: requireOneOf('On Max Wait', onMaxWait, ['route', 'abort']),
		abortOnStop: options.abortOnStop !== false,
		sendComments: options.sendComments === true,
		decisionBody: requireJsonObject('Decision Body', options.decisionBody),
		timeouts: readWaitMode(context) === 'database' ? readTimeouts(context, options) : undefined,
	};
}

/** How many items to work on at once; one setting for all of them, read from the first. */
export function readConcurrency(context: IExecuteFunctions): number {
	const { maxConcurrentSessions = 5 } = context.getNodeParameter('options', 0, {}) as IDataObject;
	return Math.floor(requireNumber('Max Concurrent Sessions', maxConcurrentSessions, 1));
}
