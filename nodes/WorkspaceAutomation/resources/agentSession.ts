import type { IDataObject } from 'n8n-workflow';

import {
	fetchSession,
	readOptionWords,
	requireSession,
	readNewSessionId,
} from '../../shared/client/sessions';
import type { ApiClient, Values } from '../../shared/client/operations';
import { resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { requireAnyId, requireString, requireText } from '../../shared/validation';
import { isRecord, isTooDeep, quote, toText, tryParseJson } from '../../shared/values';
import { isTool } from '../../shared/n8n/aiTool';
import { projectLocator, prompt, sessionLocator, simplify } from '../../shared/n8n/commonFields';
import { choice, collection, jsonField, textField, type Field } from '../../shared/n8n/fields';
import { toJsonItem, type Operation } from '../../shared/n8n/declarative';
import { readOptions, chooseOption } from '../../shared/approvals/options';
import {
	fingerprintContent,
	isBlank,
	NOT_A_LIST,
	type Interaction,
} from '../../shared/client/session';
import { quoteVisible } from '../../shared/approvals/visibleText';
import { simplifyOutput } from '../fields';

/** Additional fields with a JSON body, for what the API document does not show. */
const additionalBody = (description: string, more: Field[] = []): Field =>
	collection('Additional Fields', 'additionalFields', 'Add Field', [
		jsonField('Body', 'body', description, { isExtra: true }),
		...more,
	]);

/** The interaction as it is pending now. */
async function findPendingInteraction(
	api: ApiClient,
	{ sessionId: session, interactionId }: Values,
): Promise<Interaction> {
	const { pendingInteractions } = await fetchSession(api, String(session));
	const interaction = pendingInteractions.find(({ id }) => id === String(interactionId));
	if (interaction) return interaction;
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

const EXPECTED_FIELDS = ['permission', 'patterns', 'metadata', 'instruction'] as const;
type ExpectedFields = Partial<Record<(typeof EXPECTED_FIELDS)[number], unknown>>;

/** Returns what the panel says about the pending request, or undefined if it says nothing. */
function readExpected(values: Values): ExpectedFields | undefined {
	const { expectedPermission: permission, expectedPatterns: patterns } = values;
	const { expectedMetadata: metadata, expectedInstruction: instruction } = values;
	const expected = { permission, patterns, metadata, instruction };
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
	const pending: ExpectedFields = { permission, patterns, metadata, instruction };
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

/** Patterns as a list: from JSON, from lines, or one alone. */
function requirePatterns(field: string, value: unknown): string[] {
	const fromText = (text: string): unknown =>
		(text.trim().startsWith('[') && tryParseJson(text)) || text.split('\n').filter(Boolean);
	const list = Array.isArray(value) ? value : fromText(requireText(field, value));
	if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
	throw new WorkspaceAutomationError(
		`'${field}' isn't a list of texts`,
		`Enter the patterns of the request in '${field}', one on each line or as a JSON list.`,
	);
}

const resolveInteraction: Operation = {
	action: 'Resolve interaction of agent session',
	description: 'Approve, deny, or answer a pending request of an agent session',
	request: 'resolveInteraction',
	fields: [
		sessionLocator,
		textField<string | number>('Interaction ID', 'interactionId', {
			required: true,
			placeholder: 'e.g. 123e4567-e89b-12d3-a456-426614174000',
			description: 'The pending request, such as the first of pendingInteractions that Get returns',
			check: requireAnyId,
		}),
		{
			// Nobody approves by leaving a field alone.
			...choice('Decision', 'decision', '', 'How to answer', {
				'': ['- Choose -'],
				approve: ['Approve', 'Choose the option that approves the request this time'],
				option: ['Choose an Option', 'Choose the option with a given value'],
				deny: ['Deny', 'Choose the option that denies the request'],
			}),
			required: true,
		},
		textField<string | number | undefined>('Option Value', 'optionValue', {
			placeholder: 'e.g. always',
			description: "The value of one of the request's options. Can stay empty if Body is set.",
			displayOptions: { show: { decision: ['option'] } },
			check(field, value) {
				if (value === '') return undefined;
				return typeof value === 'number' ? value : requireText(field, value);
			},
		}),
		additionalBody(
			'More fields for the answer, as a JSON object, for undocumented kinds of requests',
			[
				textField('Expected Instruction', 'expectedInstruction', {
					placeholder: 'e.g. Push the release?',
					description:
						'The instruction that the approver saw. If the request has another, nothing is sent.',
					// A request may have none.
					check: (name, value) => requireString(name, value ?? ''),
				}),
				jsonField(
					'Expected Metadata',
					'expectedMetadata',
					'The metadata that the approver saw. If the request has other metadata, nothing is sent.',
				),
				textField<string[]>('Expected Patterns', 'expectedPatterns', {
					typeOptions: { rows: 2 },
					placeholder: 'e.g. npm run build',
					description: 'The patterns that the approver saw, one per line. Required as a tool.',
					check: requirePatterns,
				}),
				textField('Expected Permission', 'expectedPermission', {
					placeholder: 'e.g. bash',
					description: 'The permission that the approver saw. Required as a tool.',
					check: requireText,
				}),
			],
		),
	],
	async prepare({ values, extra }, api) {
		const { decision, optionValue } = values;
		const expected = readExpected(values);
		if (isTool(this)) requireExpected(expected);
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
	},
};

/** The agent's latest message. The latest message of a session can also be the user's prompt. */
const readAgentText = (message: unknown): IDataObject['text'] =>
	isRecord(message) && message.role !== 'user' ? (message.text as string | undefined) : undefined;

export const agentSession: Record<string, Operation> = {
	abort: {
		description: 'Abort an agent session. Aborting it twice does no harm.',
		request: 'abortAgentSession',
		fields: [sessionLocator],
	},
	create: {
		description: 'Start an agent session without waiting for it. The Run Agent Session node waits.',
		request: 'createAgentSession',
		fields: [
			{ ...projectLocator, description: 'The project that the agent works in' },
			prompt,
			additionalBody('More fields for the request that starts the session, as a JSON object'),
		],
		// The next node finds the ID under this name, even if the service uses another one.
		result: (response, values, api) => ({
			json: {
				sessionId: readNewSessionId(api, response),
				...toJsonItem('createAgentSession', response.body, values),
			},
		}),
	},
	get: {
		description: 'Get the status of an agent session and its pending requests',
		request: 'getAgentSession',
		fields: [sessionLocator, simplify],
		// Wherever the service puts it, the next node finds it in one place.
		result({ body }, { sessionId: id }, api, settings) {
			if (settings.simplify !== true) return { json: body as IDataObject };
			return { json: { ...requireSession(api, body, String(id)) } as IDataObject };
		},
		output: simplifyOutput(({ error, latestMessage, ...session }) => ({
			sessionId: session.sessionId,
			dashboardUrl: session.dashboardUrl,
			status: session.status,
			text: readAgentText(latestMessage),
			pendingInteractions: session.pendingInteractions,
			error,
			lastActivityAt: session.lastActivityAt,
		})),
	},
	resolveInteraction,
	sendMessage: {
		action: 'Send message to agent session',
		description: 'Send a message to an agent session, which starts a new turn',
		request: 'sendAgentMessage',
		fields: [
			sessionLocator,
			textField('Message', 'message', {
				typeOptions: { rows: 4 },
				required: true,
				placeholder: 'e.g. Now do the same for the blog',
				description: 'The next task for the agent, in plain words',
			}),
			additionalBody('More fields for the message, as a JSON object'),
		],
		prepare: ({ values: { message } }) => ({ text: message }),
	},
};
