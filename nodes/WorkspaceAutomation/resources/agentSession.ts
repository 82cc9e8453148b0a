import type { IDataObject } from 'n8n-workflow';

import { requireAnyId, requireString, requireText } from '../../shared/validation';
import { tryParseJson } from '../../shared/values';
import { loadCode } from '../../shared/errors';
import {
	projectLocator,
	prompt,
	sessionLocator,
	simplify,
	simplifyOutput,
} from '../../shared/n8n/commonFields';
import { readEntries, type EntryList } from '../../shared/n8n/entries';
import { choice, collection, jsonField, textField, type Field } from '../../shared/n8n/fields';
import type { Operation } from '../../shared/n8n/sendOperation';

const loadSessionCalls = async () => await loadCode(async () => await import('../sessionCalls.ts'));

/** Adds a JSON body, for fields that the API document doesn't show. */
const additionalBody = (description: string, more: Field[] = []): Field =>
	collection('Additional Fields', 'additionalFields', 'Add Field', [
		jsonField('Body', 'body', description, { isExtra: true }),
		...more,
	]);

/** Takes a list, JSON, lines or a single pattern. */
function readPatterns(label: string, value: unknown): string[] {
	const readLines = (text: string): unknown[] => {
		const parsed = text.trim().startsWith('[') ? tryParseJson(text) : undefined;
		return Array.isArray(parsed) ? parsed : text.split('\n').filter(Boolean);
	};
	const list: EntryList = {
		label,
		noun: 'pattern',
		help: 'Enter the patterns of the request, one on each line or as a JSON list.',
	};
	const patterns = Array.isArray(value) ? value : readLines(requireText(label, value));
	return readEntries(list, patterns, (pattern, refuse) =>
		typeof pattern === 'string' ? pattern : refuse('is not a text'),
	);
}

const resolveInteraction: Operation = {
	action: 'Resolve interaction of agent session',
	description: 'Approve, deny, or answer a pending request of an agent session',
	request: 'resolveInteraction',
	requestFor: ({ decision }) => (decision === 'answer' ? 'answerQuestion' : 'resolveInteraction'),
	fields: [
		sessionLocator,
		textField<string | number>('Interaction ID', 'interactionId', {
			required: true,
			placeholder: 'e.g. 123e4567-e89b-12d3-a456-426614174000',
			description: 'The pending request, such as the first of pendingInteractions that Get returns',
			check: requireAnyId,
		}),
		{
			// No default, so leaving the field alone approves nothing.
			...choice('Decision', 'decision', '', 'What to tell the agent about the request', {
				'': ['- Choose -'],
				approve: ['Approve', 'The agent may do it this time'],
				option: ['Choose an Option', 'Choose the option with a given value'],
				deny: ['Deny', 'The agent continues without it'],
				answer: ['Answer', 'Answer a question of the agent'],
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
		textField('Answer', 'answer', {
			typeOptions: { rows: 2 },
			placeholder: 'e.g. The blue one',
			description: "Your answer: one of the agent's options, or any text if it offers none",
			displayOptions: { show: { decision: ['answer'] } },
			check: (name, value) => requireString(name, value ?? ''),
		}),
		additionalBody(
			'More fields for the answer, as a JSON object, for undocumented kinds of requests',
			[
				textField('Expected Instruction', 'expectedInstruction', {
					placeholder: 'e.g. Push the release?',
					description:
						'The instruction that the approver saw. If the request has another, nothing is sent.',
					check: (name, value) => requireString(name, value ?? ''),
				}),
				jsonField(
					'Expected Metadata',
					'expectedMetadata',
					'The metadata that the approver saw. If the request has other metadata, nothing is sent.',
				),
				jsonField(
					'Expected Other Fields',
					'expectedOtherFields',
					'The undocumented fields that the approver saw. If the request has others, nothing is sent.',
				),
				textField<string[]>('Expected Patterns', 'expectedPatterns', {
					typeOptions: { rows: 2 },
					placeholder: 'e.g. npm run build',
					description: 'The patterns that the approver saw, one per line. Required as a tool.',
					check: readPatterns,
				}),
				textField('Expected Permission', 'expectedPermission', {
					placeholder: 'e.g. bash',
					description: 'The permission that the approver saw. Required as a tool.',
					check: requireText,
				}),
			],
		),
	],
	async prepare(entered, api) {
		return await (await loadSessionCalls()).prepareResolution(this, entered, api);
	},
	result: async ({ body }, values, api) =>
		await (await loadSessionCalls()).readResolved(body, values, api),
};

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
		result: async (response, values, api) =>
			(await loadSessionCalls()).readStarted(response, values, api),
	},
	get: {
		description: 'Get the status of an agent session and its pending requests',
		request: 'getAgentSession',
		fields: [sessionLocator, simplify],
		async result({ body }, { sessionId: id }, _api, settings) {
			const found = (await loadSessionCalls()).readFound(body, String(id));
			return settings.simplify === true ? found : { json: body as IDataObject };
		},
		output: simplifyOutput(({ error, ...session }) => ({
			sessionId: session.sessionId,
			dashboardUrl: session.dashboardUrl,
			status: session.status,
			text: session.text,
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
