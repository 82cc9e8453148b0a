import type { IExecuteFunctions } from 'n8n-workflow';

import { simplify as simplifyField } from '../../shared/n8n/commonFields';
import { WorkspaceAutomationError } from '../../shared/errors';
import { isTool } from '../../shared/n8n/aiTool';
import {
	openPanel,
	isEntered,
	readParameter,
	type Field,
	type Panel,
} from '../../shared/n8n/fields';
import type { Interaction } from '../../shared/client/session';
import {
	entryText,
	listEntries,
	readEntries,
	readValues,
	type EntryList,
} from '../../shared/n8n/entries';
import { isRecord, nonEmptyText, toText } from '../../shared/values';
import { isQuestion } from '../../shared/approvals/interaction';
import type { SessionLimits } from '../plan/plan';
import type { Policy } from '../policy/rules';
import { type AppliedAnswer, readAnswer, readAnswerText } from '../requests/answer';
import type { ItemSettings, Target } from '../session/run';
import type { Timeouts } from '../requests/ballots';
import * as option from './properties';
import * as policy from './policyFields';
import { checkRuleCount, readMoreRules, readRules, readTeam } from './readLists';
import * as session from './sessionFields';

const readFromOptions = <T>(panel: Panel, declared: Field<T>): T =>
	readParameter(panel, declared, 'options.');

const readFromApprovals = <T>(panel: Panel, declared: Field<T>): T =>
	readParameter(panel, declared, 'approvals.');

/** The session of an item so far, which its settings must not start or message again */
interface EarlierWork {
	sessionId: string;
	isMessageSent: boolean;
}

function readTarget(panel: Panel, earlier: EarlierWork | undefined): Target {
	const operation = panel.getNodeParameter(session.operation.name, 'start');
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
			extra: readFromOptions(panel, option.body),
		};
	}
	return {
		operation: 'continue',
		sessionId: readParameter(panel, session.session),
		message: readParameter(panel, session.message),
	};
}

function readPolicy(panel: Panel): Policy {
	const mode = readParameter(panel, policy.permissionPolicy);
	const isByRules = mode === 'rules';
	// Also read if the policy is an expression with another value, because a model must not fill it in.
	const moreRules = isEntered(panel, policy.moreRules, 'approvals.')
		? readFromApprovals(panel, { ...policy.moreRules, check: (_, value) => readMoreRules(value) })
		: undefined;
	const rules = isByRules ? readParameter(panel, { ...policy.rules, check: readRules }) : [];
	checkRuleCount(rules, moreRules ?? []);
	return {
		mode,
		rules,
		defaultDecision: isByRules ? readParameter(panel, policy.defaultDecision) : 'ask',
		// Without rules yet, the page offers to remember the first one.
		...(isByRules && moreRules && { moreRules }),
		approveWith: readFromApprovals(panel, policy.approveWith),
	};
}

function readRequestOrigin(panel: Panel, target: Target, timeZone: string): ItemSettings['origin'] {
	if (target.operation === 'continue') return { prompt: target.message, timeZone };
	const project = panel.getNodeParameter(session.sessionProject.name, {}, { rawExpressions: true });
	const { mode, value, cachedResultName } = isRecord(project) ? project : {};
	const isChosen = mode === 'list' && toText(value).toLowerCase() === target.projectId;
	const projectName = isChosen ? nonEmptyText(cachedResultName) : undefined;
	return { projectName, projectId: target.projectId, prompt: target.prompt, timeZone };
}

/** Returns the policy to try, and its requests or the session that has them. */
export function readTrial(
	context: IExecuteFunctions,
	itemIndex: number,
): { policy: Policy; requests?: unknown; sessionId?: string } {
	const panel = openPanel(context, itemIndex);
	const policy = readPolicy(panel);
	return readParameter(panel, session.requestsFrom) === 'session'
		? { policy, sessionId: readParameter(panel, session.triedSession) }
		: { policy, requests: readParameter(panel, session.requests) };
}

const REQUESTS_SHOWN: EntryList = {
	label: 'Requests Shown',
	noun: 'request',
	help: 'Drag pendingInteractions of the item on To Approve here. The answer decides only these requests.',
	isRequired: true,
};

const SHOWN = { id: entryText(), type: entryText() };

/** Reads `pendingInteractions` of an item on To Approve, or one of them, as JSON or as its text. */
export const readRequestsShown = (value: unknown): Interaction[] =>
	readEntries(REQUESTS_SHOWN, listEntries(REQUESTS_SHOWN, value), (request, refuse) => ({
		...(isRecord(request) && request),
		...readValues(SHOWN, request, refuse),
	}));

/** @throws WorkspaceAutomationError that names the field, and for a tool: a model can't answer for an approver */
export function readAppliedAnswer(context: IExecuteFunctions, itemIndex: number): AppliedAnswer {
	if (isTool(context))
		throw new WorkspaceAutomationError(
			"'Apply an Answer' isn't for tools of an AI agent",
			'A model must not answer. Let the workflow ask the approver and apply the answer. Or put the node Workspace Automation with Resolve Interaction under Human review.',
		);
	const panel = openPanel(context, itemIndex);
	const requests = readParameter(panel, {
		...policy.requestsShown,
		check: (_, value) => readRequestsShown(value),
	});
	const isText = requests.every(isQuestion);
	if (isText && requests.length > 1)
		throw new WorkspaceAutomationError(
			"'Requests Shown' has several questions",
			'Nothing was sent. One answer is for one question: use an item for each of them.',
		);
	return {
		sessionId: readParameter(panel, session.session),
		...readParameter(panel, {
			...policy.answer,
			check: (_, value) => (isText ? readAnswerText(value) : readAnswer(value)),
		}),
		asked: requests,
		comment: nonEmptyText(readParameter(panel, policy.answerComment)),
	};
}

/** Returns whether the execution pauses while sessions run: the same for all items. */
export const readPauses = (context: IExecuteFunctions): boolean =>
	readParameter(openPanel(context, 0), session.whileWaiting) === 'pause';

export const readAbortOnStop = (context: IExecuteFunctions): boolean =>
	readFromOptions(openPanel(context, 0), option.abortOnStop);

/** Returns how many sessions of the node may run at a time: the same for all items. */
export function readSessionLimits(context: IExecuteFunctions): SessionLimits {
	const panel = openPanel(context, 0);
	return {
		total: readFromOptions(panel, option.maxConcurrentSessions),
		perProject: isEntered(panel, option.maxPerProject, 'options.')
			? readFromOptions(panel, option.maxPerProject)
			: Infinity,
	};
}

export const readSimplify = (context: IExecuteFunctions, itemIndex: number): boolean =>
	readFromOptions(openPanel(context, itemIndex), simplifyField);

export const readHasOutputParser = (context: IExecuteFunctions): boolean =>
	!isTool(context) && readParameter(openPanel(context, 0), session.hasOutputParser);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function readTimeouts(panel: Panel, asTool: boolean): Timeouts {
	const isPaused = !asTool && readParameter(panel, session.whileWaiting) === 'pause';
	const minutes = readParameter(panel, isPaused ? session.maxWaitPaused : session.maxWaitRunning);
	return {
		maxWaitMs: minutes === 0 && isPaused ? Infinity : minutes * MINUTE_MS,
		onMaxWait: readParameter(panel, session.onMaxWait),
		ifNobodyAnswers: readFromApprovals(panel, option.ifNobodyAnswers),
		unansweredAfterMs: readFromApprovals(panel, option.unansweredAfter) * HOUR_MS,
		answerIfNobodyAnswers: nonEmptyText(readFromApprovals(panel, option.answerIfNobodyAnswers)),
	};
}

/** Returns undefined if the option isn't used. */
const readQuietMs = (panel: Panel): number | undefined =>
	isEntered(panel, option.askIfQuiet, 'options.')
		? readFromOptions(panel, option.askIfQuiet) * MINUTE_MS
		: undefined;

/** Returns an error instead of throwing it, because requests that were already asked have their own settings. */
function readLaterTeam(panel: Panel): ItemSettings['team'] {
	try {
		return readTeam(panel);
	} catch (error) {
		return error as Error;
	}
}

/** Returns an item's parameters, checked. @throws WorkspaceAutomationError that names the field */
export function readItemSettings(
	context: IExecuteFunctions,
	itemIndex: number,
	{ pauses, asTool, earlier }: { pauses: boolean; asTool: boolean; earlier?: EarlierWork },
): ItemSettings {
	const panel = openPanel(context, itemIndex);
	const target = readTarget(panel, earlier);
	return {
		target,
		policy: readPolicy(panel),
		origin: readRequestOrigin(panel, target, context.getTimezone()),
		timeouts: readTimeouts(panel, asTool),
		sendComments: readFromApprovals(panel, option.sendComments),
		preview: isEntered(panel, option.preview, 'options.')
			? readFromOptions(panel, option.preview)
			: undefined,
		quietMs: readQuietMs(panel),
		hasPage: pauses,
		isTool: asTool,
		team: !pauses ? undefined : earlier ? readLaterTeam(panel) : readTeam(panel),
	};
}
