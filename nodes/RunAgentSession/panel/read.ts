import type { IExecuteFunctions } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../../shared/errors';
import { isTool } from '../../shared/n8n/aiTool';
import {
	openPanel,
	isEntered,
	readParameter,
	type Field,
	type Panel,
} from '../../shared/n8n/fields';
import { requireNumber } from '../../shared/validation';
import { isRecord, nonEmptyText, toText } from '../../shared/values';
import { readOrigin } from '../approval/request';
import type { WaitMode } from '../outputs';
import { outputIndex } from '../outputs';
import type { AppliedAnswer, Policy } from '../policy/rules';
import { isConnectedBack } from '../session/pause';
import type { ItemSettings, Target } from '../session/types';
import type { Timeouts } from '../session/schedule';
import * as option from './options';
import * as policy from './policy';
import { checkAnswer, checkMoreRules, checkRequestsShown, checkRuleFields } from './policyChecks';
import * as session from './session';
import { readTeam } from './teamChecks';

const readOptionField = <T>(panel: Panel, declared: Field<T>): T =>
	readParameter(panel, declared, 'options.');

export interface EarlierWork {
	sessionId: string;
	isMessageSent: boolean;
}

function readTarget(panel: Panel, earlier: EarlierWork | undefined): Target {
	const operation = readParameter(panel, session.operation);
	if (earlier) {
		const isUnsent = operation === 'continue' && !earlier.isMessageSent;
		const message = isUnsent ? readParameter(panel, session.message) : undefined;
		return { operation: 'continue', sessionId: earlier.sessionId, message };
	}
	if (operation === 'start') {
		return {
			operation,
			projectId: readParameter(panel, session.sessionProject),
			prompt: readParameter(panel, session.prompt),
			extra: readOptionField(panel, option.body),
		};
	}
	return {
		operation: 'continue',
		sessionId: readParameter(panel, session.session),
		message: readParameter(panel, session.message),
	};
}

function readAppliedAnswer(panel: Panel): AppliedAnswer {
	if (isTool(panel)) {
		throw new WorkspaceAutomationError(
			"'Apply an Answer' isn't for tools of an AI agent",
			'Let the workflow ask the approver and continue the session with the answer, because a model must not answer. Or put the node Workspace Automation with Resolve Interaction under Human review.',
		);
	}
	const appliesTo = readParameter(panel, policy.answerAppliesTo);
	return {
		...readParameter(panel, { ...policy.answer, check: checkAnswer }),
		appliesTo,
		asked:
			appliesTo === 'asked'
				? readParameter(panel, { ...policy.requestsShown, check: checkRequestsShown })
				: [],
		sessionId: readParameter(panel, session.session),
	};
}

function readPolicy(panel: Panel, isExisting: boolean): Policy {
	const mode = readParameter(
		panel,
		isExisting ? policy.existingSessionPolicy : policy.newSessionPolicy,
	);
	const isByRules = mode === 'rules';
	// Also read if the policy is an expression with another value, because a model must not fill it in.
	const moreRules = isEntered(panel, policy.moreRules, 'options.')
		? readOptionField(panel, { ...policy.moreRules, check: checkMoreRules })
		: undefined;
	return {
		mode,
		rules: isByRules ? readParameter(panel, { ...policy.rules, check: checkRuleFields }) : [],
		defaultDecision: isByRules ? readParameter(panel, policy.defaultDecision) : 'ask',
		...(isByRules && moreRules && { moreRules }),
		...(mode === 'answer' && { answer: readAppliedAnswer(panel) }),
		approveWith: readOptionField(panel, policy.approveWith),
		approveValues: readOptionField(panel, policy.approveValues),
		denyValues: readOptionField(panel, policy.denyValues),
	};
}

function readRequestOrigin(
	panel: Panel,
	target: Target,
	{ answer }: Policy,
): ItemSettings['origin'] {
	if (target.operation === 'continue') {
		const about = readOrigin(answer?.asked ?? []);
		return { ...about, job: target.message ?? about.job };
	}
	const project = panel.getNodeParameter(session.sessionProject.name, {}, { rawExpressions: true });
	const { mode, value, cachedResultName } = isRecord(project) ? project : {};
	const isChosen = mode === 'list' && toText(value).toLowerCase() === target.projectId;
	const projectName = isChosen ? nonEmptyText(cachedResultName) : undefined;
	return { projectName, projectId: target.projectId, job: target.prompt };
}

export function readTrial(
	context: IExecuteFunctions,
	itemIndex: number,
): { requests: unknown; policy: Policy } {
	const panel = openPanel(context, itemIndex);
	return { requests: readParameter(panel, session.requests), policy: readPolicy(panel, false) };
}

/** The same for all items. A tool never pauses. */
export const readWaitMode = (context: IExecuteFunctions): WaitMode =>
	!isTool(context) &&
	context.getNodeParameter(session.wait.name, 0, session.wait.default) === 'database'
		? 'database'
		: 'memory';

export const readHasOutputParser = (context: IExecuteFunctions): boolean =>
	!isTool(context) && readParameter(openPanel(context, 0), session.hasOutputParser);

const HOUR_MS = 3_600_000;

function readTimeouts(context: IExecuteFunctions, panel: Panel): Timeouts {
	return {
		giveUpAfterMs: readOptionField(panel, option.giveUpAfter) * HOUR_MS,
		onGiveUp: readOptionField(panel, option.onGiveUp),
		ifNobodyAnswers: readOptionField(panel, option.ifNobodyAnswers),
		unansweredAfterMs: readOptionField(panel, option.unansweredAfter) * HOUR_MS,
		waitsForApprovers: isConnectedBack(context, outputIndex('needsApproval')),
	};
}

/** @throws WorkspaceAutomationError if the approvers' settings aren't valid, or if the node can't wait for them */
function readTeamSettings(context: IExecuteFunctions, panel: Panel): ItemSettings['team'] {
	const team = readTeam(panel);
	if (!team || readWaitMode(context) !== 'database') return undefined;
	if (isConnectedBack(context, outputIndex('needsApproval'))) return team;
	throw new WorkspaceAutomationError(
		"'Needs Approval' isn't connected back to this node",
		"Nothing was sent. Connect 'Needs Approval' to a node that sends the link to the approver, and connect that node back to this node. Or remove the option 'Approvers'.",
	);
}

/** Returns an error instead of throwing it, because requests that were already asked have their own settings. */
function readLaterTeamSettings(context: IExecuteFunctions, panel: Panel): ItemSettings['team'] {
	try {
		return readTeamSettings(context, panel);
	} catch (error) {
		return error as Error;
	}
}

function readPollLimits(panel: Panel): ItemSettings['poll'] {
	const least = readOptionField(panel, option.pollInterval);
	const { displayName } = option.maxPollInterval;
	const most = readOptionField(panel, option.maxPollInterval);
	const isGiven = isEntered(panel, option.maxPollInterval, 'options.');
	const seconds = isGiven ? requireNumber(displayName, most, least) : Math.max(most, least);
	return { pollMs: least * 1000, maxPollMs: seconds * 1000 };
}

/** Returns an item's parameters, checked. `earlier` is its session so far. @throws WorkspaceAutomationError that names the field */
export function readItemSettings(
	context: IExecuteFunctions,
	itemIndex: number,
	earlier?: EarlierWork,
): ItemSettings & { returnTogether: boolean } {
	const panel = openPanel(context, itemIndex);
	const target = readTarget(panel, earlier);
	const decided = readPolicy(panel, target.operation === 'continue');
	return {
		target,
		policy: decided,
		origin: readRequestOrigin(panel, target, decided),
		poll: readPollLimits(panel),
		maxWaitMs: readParameter(panel, session.maxWait) * 60_000,
		onMaxWait: readParameter(panel, session.onMaxWait),
		abortOnStop: readOptionField(panel, option.abortOnStop),
		sendComments: readOptionField(panel, option.sendComments),
		returnTogether: readOptionField(panel, option.returnTogether),
		decisionBody: readOptionField(panel, option.decisionBody),
		team: (earlier ? readLaterTeamSettings : readTeamSettings)(context, panel),
		timeouts: readWaitMode(context) === 'database' ? readTimeouts(context, panel) : undefined,
	};
}

export const readConcurrency = (context: IExecuteFunctions): number =>
	readOptionField(openPanel(context, 0), option.maxConcurrentSessions);
