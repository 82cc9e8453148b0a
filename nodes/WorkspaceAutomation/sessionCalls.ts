import type { IDataObject, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ApiClient, Values } from '../shared/client/operations';
import type { ApiResponse } from '../shared/client/apiTypes';
import { resultOrError, WorkspaceAutomationError } from '../shared/errors';
import { requireText } from '../shared/validation';
import { isRecord, quote, sortedJson, toText } from '../shared/values';
import { isTool } from '../shared/n8n/aiTool';
import type { Entered } from '../shared/n8n/fields';
import { toJsonItem } from '../shared/n8n/sendOperation';
import {
	answerValues,
	checkQuestionAnswer,
	isQuestion,
	readQuestion,
	type AgentQuestion,
	findShapeProblem,
} from '../shared/approvals/interaction';
import { readOptions, chooseOption } from '../shared/approvals/options';
import { readOptionWords } from '../shared/client/overrides';
import {
	latestAgentText,
	type Interaction,
	fetchSession,
	readSession,
	readNewSessionId,
} from '../shared/client/session';
import { quoteVisible } from '../shared/approvals/visibleText';

async function findPendingInteraction(
	api: ApiClient,
	{ sessionId: session, interactionId }: Values,
): Promise<Interaction> {
	const { pendingInteractions } = await fetchSession(api, String(session));
	const found = pendingInteractions.find(({ id }) => id === String(interactionId));
	const problem = found && findShapeProblem(found);
	if (problem !== undefined)
		throw new WorkspaceAutomationError(
			"The request can't be answered here",
			`Nothing was answered, because ${problem}. Decide it in the dashboard.`,
		);
	if (found) return found;
	throw new WorkspaceAutomationError(
		"The interaction isn't pending",
		"It was already resolved, or 'Interaction ID' belongs to another session. Get the session to see its pending requests.",
	);
}

function isQuestionError({ text, options }: AgentQuestion): WorkspaceAutomationError {
	const labels = options.map(({ label }) => label).join(', ');
	const offered = labels === '' ? '' : ` Its options: ${quoteVisible(labels, 300)}.`;
	return new WorkspaceAutomationError(
		'The interaction is a question',
		`Nothing was sent. Set 'Decision' to Answer. The agent asks: ${quoteVisible(text, 300)}.${offered}`,
	);
}

function findOption(
	api: ApiClient,
	interaction: Interaction,
	decision: 'approve' | 'deny',
): string | number {
	const choices = readOptions(interaction);
	const value = chooseOption(choices, decision, {
		approveWith: 'once',
		...readOptionWords(api),
	});
	if (value !== undefined) return value;
	const offered = choices.map((choice) => choice.value).join(', ');
	if (isQuestion(interaction)) throw isQuestionError(readQuestion(interaction));
	throw new WorkspaceAutomationError(
		`None of the request's options clearly means "${decision}"`,
		`Set 'Decision' to Choose an Option and enter one of its values in 'Option Value': ${quote(offered) || "none. Use 'Body' under 'Additional Fields'"}.`,
	);
}

const EXPECTED_FIELDS = [
	'permission',
	'patterns',
	'metadata',
	'instruction',
	'otherFields',
] as const;
type ExpectedFields = Partial<Record<(typeof EXPECTED_FIELDS)[number], unknown>>;

function readExpected(values: Values): ExpectedFields | undefined {
	const { expectedPermission: permission, expectedPatterns: patterns } = values;
	const { expectedMetadata: metadata, expectedInstruction: instruction } = values;
	const { expectedOtherFields: otherFields } = values;
	const expected: ExpectedFields = { permission, patterns, metadata, instruction, otherFields };
	return EXPECTED_FIELDS.some((name) => expected[name] !== undefined) ? expected : undefined;
}

/** The parts of a request that are compared one by one, or identify it */
const NAMED_PARTS = ['id', 'type', 'permission', 'patterns', 'metadata', 'response'];

/** Returns all parts of a request that an approver sees, except its options. */
function readShown(interaction: Interaction): ExpectedFields {
	const { permission, patterns, metadata, response, command } = interaction;
	const { instruction } = isRecord(response) ? response : {};
	const isListed = Array.isArray(patterns) && patterns.includes(command);
	const left = isListed ? [...NAMED_PARTS, 'command'] : NAMED_PARTS;
	const others = Object.entries(interaction).filter(([name]) => !left.includes(name));
	return { permission, patterns, metadata, instruction, otherFields: Object.fromEntries(others) };
}

const isEmpty = (value: unknown): boolean =>
	value === undefined || ['', 'null', '{}', '[]'].includes(toText(value));

/** Refuses a request that differs from what the approver saw. Unset metadata, instruction or other fields mean none. @throws WorkspaceAutomationError */
function checkExpected(interaction: Interaction, expected: ExpectedFields): void {
	const pending = readShown(interaction);
	const { permission, patterns } = pending;
	// If unset, the permission and the patterns aren't compared.
	const whole: ExpectedFields = {
		...expected,
		permission: expected.permission ?? permission,
		patterns: expected.patterns ?? patterns,
	};
	const isSame = EXPECTED_FIELDS.every((name) => {
		const [one, other] = [whole[name], pending[name]].map((value) =>
			isEmpty(value) ? '' : sortedJson(value),
		);
		return one !== undefined && one === other;
	});
	if (isSame) return;
	throw new WorkspaceAutomationError(
		"The pending request isn't the expected one",
		`Nothing was answered. Decide again on the pending request. Expected: ${quoteVisible(toText(whole), 500)}. Pending: ${quoteVisible(toText(pending), 500)}.`,
	);
}

/** Refuses a model's decision that doesn't name the approved request, because a reviewer would see only an ID. */
function requireExpected({ permission, patterns }: ExpectedFields = {}): void {
	const missing = [
		...(permission === undefined ? ["'Expected Permission'"] : []),
		...(patterns === undefined ? ["'Expected Patterns'"] : []),
	];
	if (missing.length === 0) return;
	throw new WorkspaceAutomationError(
		`As a tool, Resolve Interaction needs ${missing[0]}`,
		`Add ${missing.join(' and ')} under 'Additional Fields', from the pending request, so that a reviewer sees the request. Nothing was answered.`,
	);
}

const NO_TOOL = "As a tool, Resolve Interaction can't answer a question";
const NO_TOOL_HELP = 'Only an approver answers. Use Approve, Deny or Choose an Option.';

async function prepareAnswer(values: Values, api: ApiClient): Promise<Values> {
	const answer = requireText('Answer', values.answer);
	const found = await findPendingInteraction(api, values);
	const expected = readExpected(values);
	if (expected) checkExpected(found, expected);
	if (!isQuestion(found))
		throw new WorkspaceAutomationError(
			"The interaction isn't a question",
			"It asks for an approval. Set 'Decision' to Approve, Deny or Choose an Option.",
		);
	const checked = checkQuestionAnswer(readQuestion(found), answer);
	if ('reason' in checked)
		throw new WorkspaceAutomationError("'Answer' can't be sent", checked.reason);
	return answerValues(found, checked);
}

/** Returns the values of a decision or an answer, after it checks the pending request. */
export async function prepareResolution(
	context: IExecuteSingleFunctions,
	{ values, extra }: Entered,
	api: ApiClient,
): Promise<Values> {
	const { decision, optionValue } = values;
	if (decision === 'answer') {
		if (isTool(context)) throw new WorkspaceAutomationError(NO_TOOL, NO_TOOL_HELP);
		return await prepareAnswer(values, api);
	}
	const expected = readExpected(values);
	if (isTool(context)) requireExpected(expected);
	// A reviewer of a tool's call has to see the decision in its own field.
	const canBeInBody = Object.keys(extra).length > 0 && !isTool(context);
	if (decision === 'option' && optionValue === undefined && !canBeInBody)
		requireText('Option Value', optionValue);
	const chosen = decision === 'approve' || decision === 'deny' ? decision : undefined;
	let option = optionValue;
	const found = await resultOrError(findPendingInteraction(api, values));
	if (found instanceof WorkspaceAutomationError) {
		if (chosen || expected) throw found;
	} else {
		if (expected) checkExpected(found, expected);
		if (chosen) option = findOption(api, found, chosen);
	}
	const known = 'type' in found && found.type;
	const type = known || ('type' in extra ? undefined : 'permission');
	return { type, option, decision: chosen, approved: chosen && chosen === 'approve' };
}

/** Returns a new session's item, with its ID under `sessionId` for any name that the service has for it. */
export const readStarted = (
	response: ApiResponse,
	values: Values,
	api: ApiClient,
): INodeExecutionData => {
	const id = { sessionId: readNewSessionId(api, response) };
	return { json: { ...id, ...toJsonItem('createAgentSession', response.body, values), ...id } };
};

/** Returns the response as an item or, without one, the current session. */
export async function readResolved(
	body: unknown,
	values: Values,
	api: ApiClient,
): Promise<INodeExecutionData> {
	const { sessionId, interactionId } = values;
	if (body !== undefined && body !== null)
		return { json: toJsonItem('resolveInteraction', body, values) };
	const session = await resultOrError(fetchSession(api, String(sessionId)));
	if (session instanceof WorkspaceAutomationError)
		return { json: { sessionId, interactionId } as IDataObject };
	return { json: { ...session } as IDataObject };
}

export function readFound(body: unknown, sessionId: string): INodeExecutionData {
	const session = readSession(body, sessionId);
	const text = latestAgentText(session) || undefined;
	return { json: { ...session, text } as IDataObject };
}
