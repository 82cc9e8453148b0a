import type { IDataObject, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

import {
	fetchSession,
	readOptionWords,
	requireSession,
	readNewSessionId,
} from '../shared/client/sessions';
import type { ApiClient, Values } from '../shared/client/operations';
import type { ApiResponse } from '../shared/client/types';
import { resultOrError, WorkspaceAutomationError } from '../shared/errors';
import { requireText } from '../shared/validation';
import { isRecord, isTooDeep, quote, toText } from '../shared/values';
import { isTool } from '../shared/n8n/aiTool';
import type { Entered } from '../shared/n8n/fields';
import { toJsonItem } from '../shared/n8n/sendOperation';
import { readOptions, chooseOption } from '../shared/approvals/options';
import {
	fingerprintContent,
	isBlank,
	NOT_A_LIST,
	type Interaction,
} from '../shared/client/session';
import { quoteVisible } from '../shared/approvals/visibleText';

// What the operations of agent sessions do beside their requests.

/** The interaction as it is pending now. */
async function findPendingInteraction(
	api: ApiClient,
	{ sessionId: session, interactionId }: Values,
): Promise<Interaction> {
	const { pendingInteractions } = await fetchSession(api, String(session));
	const found = pendingInteractions.filter(({ id }) => id === String(interactionId));
	if (found.length > 1)
		throw new WorkspaceAutomationError(
			'Several pending requests have this ID',
			`Nothing was answered, because the answer could decide each of them. Answer them in the dashboard: ${quoteVisible(toText(found), 500)}.`,
		);
	if (found.length === 1) return found[0];
	if (pendingInteractions.some(({ type }) => type === NOT_A_LIST))
		throw new WorkspaceAutomationError(
			"The session's requests can't be read",
			`The service uses another form than the API document: ${quoteVisible(toText(pendingInteractions[0].pendingInteractions), 200)}. Answer the request in the dashboard.`,
		);
	throw new WorkspaceAutomationError(
		"The interaction isn't pending",
		"It was already resolved, or 'Interaction ID' belongs to another session. Get the session to see its pending requests.",
	);
}

/** The value of the interaction's own option that represents the decision. */
function findOption(
	api: ApiClient,
	interaction: Interaction,
	decision: 'approve' | 'deny',
): string | number {
	const choices = readOptions(interaction);
	const value = chooseOption(choices, decision, {
		approveWith: 'once',
		approveValues: readOptionWords(api, 'approve'),
		denyValues: readOptionWords(api, 'deny'),
	});
	if (value !== undefined) return value;
	const offered = choices.map((choice) => choice.value).join(', ');
	throw new WorkspaceAutomationError(
		`None of the request's options clearly means "${decision}"`,
		`Set 'Decision' to Choose an Option and enter one of its values in 'Option Value': ${quote(offered) || "none. Use 'Body' under 'Additional Fields'"}.`,
	);
}

const EXPECTED_FIELDS = ['permission', 'patterns', 'metadata', 'instruction', 'command'] as const;
type ExpectedFields = Partial<Record<(typeof EXPECTED_FIELDS)[number], unknown>>;

/** Returns what the panel says about the pending request, or undefined if it says nothing. */
function readExpected(values: Values): ExpectedFields | undefined {
	const { expectedPermission: permission, expectedPatterns: patterns } = values;
	const { expectedMetadata: metadata, expectedInstruction: instruction } = values;
	const expected: ExpectedFields = { permission, patterns, metadata, instruction };
	return EXPECTED_FIELDS.some((name) => expected[name] !== undefined) ? expected : undefined;
}

/**
 * Compares the pending request with the one that the approver saw. A request has no metadata and no instruction unless the panel
 * says otherwise: nobody approves what they didn't see.
 * @throws WorkspaceAutomationError that shows both
 */
function checkExpected(interaction: Interaction, expected: ExpectedFields): void {
	const { permission, patterns, metadata, response } = interaction;
	const { instruction } = isRecord(response) ? response : {};
	const isListed = Array.isArray(patterns) && patterns.includes(interaction.command);
	const command = isListed ? undefined : interaction.command;
	const pending: ExpectedFields = { permission, patterns, metadata, instruction, command };
	// Without a value, the panel leaves the permission or the patterns alone.
	const whole: ExpectedFields = {
		...expected,
		permission: expected.permission ?? permission,
		patterns: expected.patterns ?? patterns,
	};
	const isSame = EXPECTED_FIELDS.every((name) => {
		const [one, other] = [whole[name], pending[name]].map((value) =>
			isBlank(value) ? undefined : fingerprintContent(value),
		);
		return one === other && !isTooDeep(pending[name]);
	});
	if (isSame) return;
	throw new WorkspaceAutomationError(
		"The pending request isn't the expected one",
		`Nothing was answered. Decide again on the pending request. Expected: ${quoteVisible(toText(whole), 500)}. Pending: ${quoteVisible(toText(pending), 500)}.`,
	);
}

/** Refuses a decision by a model that doesn't say what it approves: a reviewer would see an ID. */
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

/** Returns the values of a decision, after a look at the pending request. */
export async function prepareResolution(
	context: IExecuteSingleFunctions,
	{ values, extra }: Entered,
	api: ApiClient,
): Promise<Values> {
	const { decision, optionValue } = values;
	const expected = readExpected(values);
	if (isTool(context)) requireExpected(expected);
	if (decision === 'option' && optionValue === undefined && Object.keys(extra).length === 0)
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
	const type = ('type' in found && found.type) || 'permission';
	return { type, option, approved: chosen && chosen === 'approve' };
}

/** Returns the item of a new session. Whatever name the service has for the ID, the next node finds it under `sessionId`. */
export const readStarted = (
	response: ApiResponse,
	values: Values,
	api: ApiClient,
): INodeExecutionData => {
	const id = { sessionId: readNewSessionId(api, response) };
	return { json: { ...id, ...toJsonItem('createAgentSession', response.body, values), ...id } };
};

/** Returns the item of a resolved request: the response, or the session as it is now if nothing returned. */
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

/** Returns the item of a session that was read. */
export const readFound = (
	body: unknown,
	sessionId: string,
	api: ApiClient,
): INodeExecutionData => ({
	json: { ...requireSession(api, body, sessionId) } as IDataObject,
});
