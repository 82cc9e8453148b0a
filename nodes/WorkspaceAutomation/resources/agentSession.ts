import type { IDataObject } from 'n8n-workflow';

import {
	fetchSession,
	readOptionWords,
	requireSession,
	readNewSessionId,
} from '../../shared/client/sessions';
import type { ApiClient, Values } from '../../shared/client/operations';
import { WorkspaceAutomationError } from '../../shared/errors';
import { requireAnyId, requireJsonObject, requireText } from '../../shared/validation';
import { toText, tryParseJson, quote } from '../../shared/values';
import { collection, field, prompt, sessionLocator, simplify } from '../../shared/n8n/fields';
import { type Field, toJsonItem, type Operation } from '../../shared/n8n/declarative';
import { readOptions, chooseOption } from '../../shared/approvals/options';
import { NOT_A_LIST, requireSessionId, type Interaction } from '../../shared/client/session';
import { quoteVisible } from '../../shared/approvals/visibleText';
import { choiceField, projectField, simplifyOutput, textField } from '../fields';

const sessionField: Field = { ...sessionLocator, check: requireSessionId };

/** Additional fields with a JSON body, for what the API document does not show. */
const additionalBody = (description: string, more: Field[] = []): Field =>
	collection<Field>('Additional Fields', 'additionalFields', 'Add Field', [
		{
			...field('Body', 'body', 'json', '{}', { description }),
			check: requireJsonObject,
			isExtra: true,
		},
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
			'What the session waits for cannot be read',
			`The service gives it in another form than the API document: ${quoteVisible(toText(pendingInteractions[0].pendingInteractions), 200)}. Answer the request in the dashboard.`,
		);
	throw new WorkspaceAutomationError(
		'The interaction is not pending',
		"It was resolved already, or 'Interaction ID' belongs to another session. Get the session to see what it waits for.",
	);
}

/** The value of the interaction's own option that stands for the decision. */
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
		`None of the request's options clearly stands for "${decision}"`,
		`Set 'Decision' to Choose an Option and enter one of its values in 'Option Value': ${quote(offered) || 'it offers none; use Body under Additional Fields'}.`,
	);
}

/** Holds the pending request against what the person who decides was shown. */
function checkExpected(
	{ permission, patterns }: Interaction,
	{ expectedPermission = permission, expectedPatterns = patterns }: Values,
): void {
	const pending = { permission, patterns };
	const expected = { permission: expectedPermission, patterns: expectedPatterns };
	if (JSON.stringify(expected) === JSON.stringify(pending)) return;
	throw new WorkspaceAutomationError(
		'The pending request is not the expected one',
		`Expected: ${quoteVisible(toText(expected), 500)}. Pending: ${quoteVisible(toText(pending), 500)}. Nothing was answered. Decide again on what is pending.`,
	);
}

/** Patterns as a list: from JSON, from lines, or one alone. */
function requirePatterns(field: string, value: unknown): string[] {
	const fromText = (text: string): unknown =>
		(text.trim().startsWith('[') && tryParseJson(text)) || text.split('\n').filter(Boolean);
	const list = Array.isArray(value) ? value : fromText(requireText(field, value));
	if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
	throw new WorkspaceAutomationError(
		`'${field}' is not a list of texts`,
		`Enter the patterns of the request in '${field}', one on each line or as a JSON list.`,
	);
}

const resolveInteraction: Operation = {
	action: 'Resolve interaction of agent session',
	description:
		'Answer a permission request, or another interaction, that an agent session waits for',
	request: 'resolveInteraction',
	fields: [
		sessionField,
		textField('Interaction ID', 'interactionId', {
			required: true,
			placeholder: 'e.g. 123e4567-e89b-12d3-a456-426614174000',
			description: 'The pending request, such as the first of pendingInteractions that Get returns',
			check: requireAnyId,
		}),
		{
			// Nobody approves by leaving a field alone.
			...choiceField('Decision', 'decision', '', 'How to answer', {
				'': ['- Choose -'],
				approve: ['Approve', 'Choose the option that allows it this time'],
				option: ['Choose an Option', 'Choose the option with a given value'],
				deny: ['Deny', 'Choose the option that refuses it'],
			}),
			required: true,
		},
		textField('Option Value', 'optionValue', {
			placeholder: 'e.g. always',
			description:
				"The value of one of the request's options. May stay empty when Body says it all.",
			displayOptions: { show: { decision: ['option'] } },
			check(field, value) {
				if (value === '') return undefined;
				return typeof value === 'number' ? value : requireText(field, value);
			},
		}),
		additionalBody(
			'More fields for the answer, as a JSON object, for kinds of interactions that are not documented',
			[
				textField('Expected Patterns', 'expectedPatterns', {
					typeOptions: { rows: 2 },
					placeholder: 'e.g. npm run build',
					description:
						'The patterns that the answer is meant for, one on each line. If the pending request has others, nothing is answered.',
					check: requirePatterns,
				}),
				textField('Expected Permission', 'expectedPermission', {
					placeholder: 'e.g. bash',
					description:
						'The permission that the answer is meant for. If the pending request is for another, nothing is answered.',
					check: requireText,
				}),
			],
		),
	],
	async prepare({ values, extra }, api) {
		const { decision, optionValue, expectedPermission, expectedPatterns } = values;
		if (decision === 'option' && optionValue === undefined && Object.keys(extra).length === 0)
			requireText('Option Value', optionValue);
		const chosen = decision === 'approve' || decision === 'deny' ? decision : undefined;
		let option = optionValue;
		if (chosen || expectedPermission !== undefined || expectedPatterns !== undefined) {
			const interaction = await findPendingInteraction(api, values);
			checkExpected(interaction, values);
			if (chosen) option = findOption(api, interaction, chosen);
		}
		return { type: 'permission', option, approved: chosen && chosen === 'approve' };
	},
};

export const agentSession: Record<string, Operation> = {
	abort: {
		description: 'Abort an agent session; aborting it twice does no harm',
		request: 'abortAgentSession',
		fields: [sessionField],
	},
	create: {
		description: 'Start an agent session without waiting for it; the Run Agent Session node waits',
		request: 'createAgentSession',
		fields: [
			{ ...projectField, description: 'The project that the agent works in' },
			{ ...prompt, check: requireText },
			additionalBody('More fields for the request that starts the session, as a JSON object'),
		],
		// Whatever name the service has for the ID, the next node finds it under this one.
		result: (response, values, api) => ({
			json: {
				sessionId: readNewSessionId(api, response),
				...toJsonItem('createAgentSession', response.body, values),
			},
		}),
	},
	get: {
		description: 'Get the status of an agent session and what it waits for',
		request: 'getAgentSession',
		fields: [sessionField, simplify],
		// Wherever the service puts it, the next node finds it in one place.
		result({ body }, { sessionId: id }, api) {
			if (this.getNodeParameter('simplify', true) !== true) return { json: body as IDataObject };
			return { json: { ...requireSession(api, body, String(id)) } as IDataObject };
		},
		output: simplifyOutput(({ error, latestMessage, ...session }) => ({
			sessionId: session.sessionId,
			dashboardUrl: session.dashboardUrl,
			status: session.status,
			text: (latestMessage as IDataObject | undefined)?.text,
			pendingInteractions: session.pendingInteractions,
			// Not `error`: n8n takes an item that has one for a failure.
			failure: error,
			lastActivityAt: session.lastActivityAt,
		})),
	},
	resolveInteraction,
	sendMessage: {
		action: 'Send message to agent session',
		description: 'Send a message to an agent session, which starts a new turn',
		request: 'sendAgentMessage',
		fields: [
			sessionField,
			textField('Message', 'message', {
				typeOptions: { rows: 4 },
				required: true,
				placeholder: 'e.g. Now do the same for the blog',
				description: 'What the agent should do next, in plain words',
			}),
			additionalBody('More fields for the message, as a JSON object'),
		],
		prepare: ({ values: { message } }) => ({ text: message }),
	},
};
