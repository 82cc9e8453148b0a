import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { Client } from '../../../shared/client';
import { choicesOf, chooseOption } from '../../../shared/agentSession/interactionOptions';
import { Problem } from '../../../shared/problem';
import { checked, clientOf, PATIENCE, step, wire } from '../../../shared/routed';
import { fetchSession } from '../../../shared/unrepeatable';
import { requireId, requireJsonObject, requireOneOf, requireText } from '../../../shared/validate';
import { extraBody } from './extraBody';
import { sessionId } from './sessionId';

const showOnlyForResolve = { resource: ['agentSession'], operation: ['resolveInteraction'] };

/** The value of the interaction's own option that says the decision. */
async function optionFor(
	client: Client,
	session: string,
	interactionId: string,
	decision: 'approve' | 'deny',
): Promise<string | number> {
	const { pendingInteractions } = await fetchSession(client, session, PATIENCE);
	const interaction = pendingInteractions.find(({ id }) => id === interactionId);
	if (!interaction) {
		throw new Problem(
			'The interaction is not pending',
			'It was resolved already, or Interaction ID belongs to another session. Get the session to see what it waits for.',
		);
	}
	const value = chooseOption(choicesOf(interaction), decision, { approveWith: 'once' });
	if (value !== undefined) return value;
	const offered = choicesOf(interaction).map((choice) => choice.value);
	throw new Problem(
		`None of the interaction's options clearly says "${decision}"`,
		`Set Decision to Choose an Option and enter one of its values in Option Value: ${offered.join(', ') || 'it offers none; use Body under Additional Fields'}.`,
	);
}

export const operation: INodePropertyOptions = {
	name: 'Resolve Interaction',
	value: 'resolveInteraction',
	action: 'Resolve an interaction of an agent session',
	description:
		'Answer a permission request, or another interaction, that an agent session waits for',
	routing: {
		request: {
			method: 'POST',
			url: '/agent/sessions/{sessionId}/interactions/{interactionId}/resolve',
		},
		send: {
			paginate: true,
			preSend: [
				checked('Session ID', 'sessionId', requireId),
				checked('Interaction ID', 'interactionId', requireText),
				step(async function (request) {
					const decision = requireOneOf('Decision', this.getNodeParameter('decision'), [
						'approve',
						'deny',
						'option',
					]);
					const extra = requireJsonObject(
						'Body',
						this.getNodeParameter('additionalFields.body', '{}'),
					);
					const given =
						decision === 'option' ? this.getNodeParameter('optionValue', '') : undefined;
					if (decision === 'option' && Object.keys(extra).length > 0 && given === '') {
						return { ...request, body: { type: 'permission', ...extra } };
					}
					const value =
						decision === 'option'
							? requireText('Option Value', given)
							: await optionFor(
									await clientOf(this),
									String(this.getNodeParameter('sessionId')).trim(),
									String(this.getNodeParameter('interactionId')).trim(),
									decision,
								);
					return { ...request, body: { type: 'permission', [wire('decision')]: value, ...extra } };
				}),
			],
		},
	},
};

export const fields: INodeProperties[] = [
	sessionId(showOnlyForResolve),
	{
		displayName: 'Interaction ID',
		name: 'interactionId',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. b2f7c0de-1f5e-4a3b-9c55-0f2d8f3f6a10',
		description:
			'The pending interaction, such as the first of pendingInteractions that Get puts out',
		displayOptions: { show: showOnlyForResolve },
	},
	{
		displayName: 'Decision',
		name: 'decision',
		type: 'options',
		options: [
			{
				name: 'Approve',
				value: 'approve',
				description: 'Take the option that allows it this time',
			},
			{
				name: 'Choose an Option',
				value: 'option',
				description: 'Take the option with a given value',
			},
			{ name: 'Deny', value: 'deny', description: 'Take the option that refuses it' },
		],
		default: 'approve',
		description: 'How to answer',
		displayOptions: { show: showOnlyForResolve },
	},
	{
		displayName: 'Option Value',
		name: 'optionValue',
		type: 'string',
		default: '',
		placeholder: 'e.g. always',
		description:
			"The value of one of the interaction's options. May stay empty when Body says it all.",
		displayOptions: { show: { ...showOnlyForResolve, decision: ['option'] } },
	},
	extraBody(
		showOnlyForResolve,
		'More fields for the answer, as a JSON object, for kinds of interactions that are not documented',
	),
];
