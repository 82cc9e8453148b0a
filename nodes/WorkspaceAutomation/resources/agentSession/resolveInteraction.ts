import { choicesOf, chooseOption } from '../../../shared/session/interactionOptions';
import { fetchSession, optionWords } from '../../../shared/api/sessions';
import type { Api } from '../../../shared/api/types';
import { NOT_A_LIST, type Interaction } from '../../../shared/session/session';
import { WorkspaceAutomationError } from '../../../shared/base/errors';
import { requireAnyId, requireOneOf, requireText } from '../../../shared/base/validation';
import { asText, parsedOrUndefined, quote } from '../../../shared/base/values';
import { quoted } from '../../../shared/session/visibleText';
import { additionalBody, sessionId } from '../fields';
import type { Field, Operation } from '../../../shared/n8n/operation';

/** The interaction as it is pending now. */
async function pendingInteraction(
	api: Api,
	session: string,
	interactionId: string,
): Promise<Interaction> {
	const { pendingInteractions } = await fetchSession(api, session);
	const interaction = pendingInteractions.find(({ id }) => id === interactionId);
	if (interaction) return interaction;
	if (pendingInteractions.some(({ type }) => type === NOT_A_LIST))
		throw new WorkspaceAutomationError(
			'What the session waits for cannot be read',
			`The service gives it in another form than the API document: ${quoted(asText(pendingInteractions[0].pendingInteractions), 200)}. Answer the request in the dashboard.`,
		);
	throw new WorkspaceAutomationError(
		'The interaction is not pending',
		"It was resolved already, or 'Interaction ID' belongs to another session. Get the session to see what it waits for.",
	);
}

/** The value of the interaction's own option that stands for the decision. */
function optionFor(
	api: Api,
	interaction: Interaction,
	decision: 'approve' | 'deny',
): string | number {
	const choices = choicesOf(interaction);
	const [approveValues, denyValues] = [optionWords(api, 'approve'), optionWords(api, 'deny')];
	const preferences = { approveWith: 'once', approveValues, denyValues } as const;
	const value = chooseOption(choices, decision, preferences);
	if (value !== undefined) return value;
	const offered = choices.map((choice) => choice.value).join(', ');
	throw new WorkspaceAutomationError(
		`None of the interaction's options clearly stands for "${decision}"`,
		`Set 'Decision' to Choose an Option and enter one of its values in 'Option Value': ${quote(offered) || 'it offers none; use Body under Additional Fields'}.`,
	);
}

/** Holds the pending request against what the person who decides was shown. */
function checkExpected(interaction: Interaction, permission: unknown, patterns: unknown): void {
	const expected = {
		permission: permission === undefined ? interaction.permission : permission,
		patterns: patterns === undefined ? interaction.patterns : patterns,
	};
	const pending = { permission: interaction.permission, patterns: interaction.patterns };
	if (JSON.stringify(expected) === JSON.stringify(pending)) return;
	throw new WorkspaceAutomationError(
		'The pending request is not the expected one',
		`Expected: ${quoted(asText(expected), 500)}. Pending: ${quoted(asText(pending), 500)}. Nothing was answered. Decide again on what is pending.`,
	);
}

/** Patterns as a list: from JSON, from lines, or one alone. */
function patternList(field: string, value: unknown): string[] {
	const text = Array.isArray(value) ? '' : requireText(field, value);
	const json = text.trim().startsWith('[') ? parsedOrUndefined(text) : undefined;
	const list: unknown = text === '' ? value : (json ?? text.split('\n').filter(Boolean));
	if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
	throw new WorkspaceAutomationError(
		`'${field}' is not a list of texts`,
		`Enter the patterns of the request in '${field}', one on each line or as a JSON list.`,
	);
}

const expectations: Field[] = [
	{
		displayName: 'Expected Patterns',
		name: 'expectedPatterns',
		type: 'string',
		typeOptions: { rows: 2 },
		default: '',
		placeholder: 'e.g. npm run build',
		description:
			'The patterns that the answer is meant for, one on each line. If the pending request has others, nothing is answered.',
		check: patternList,
	},
	{
		displayName: 'Expected Permission',
		name: 'expectedPermission',
		type: 'string',
		default: '',
		placeholder: 'e.g. bash',
		description:
			'The permission that the answer is meant for. If the pending request is for another, nothing is answered.',
		check: requireText,
	},
];

export const resolveInteraction: Operation = {
	action: 'Resolve interaction of agent session',
	description:
		'Answer a permission request, or another interaction, that an agent session waits for',
	request: 'resolveInteraction',
	fields: [
		sessionId,
		{
			displayName: 'Interaction ID',
			name: 'interactionId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. b2f7c0de-1f5e-4a3b-9c55-0f2d8f3f6a10',
			description:
				'The pending interaction, such as the first of pendingInteractions that Get returns',
			check: requireAnyId,
		},
		{
			displayName: 'Decision',
			name: 'decision',
			type: 'options',
			// Nobody approves by leaving a field alone.
			options: [
				{ name: '- Choose -', value: '' },
				{
					name: 'Approve',
					value: 'approve',
					description: 'Choose the option that allows it this time',
				},
				{
					name: 'Choose an Option',
					value: 'option',
					description: 'Choose the option with a given value',
				},
				{ name: 'Deny', value: 'deny', description: 'Choose the option that refuses it' },
			],
			default: '',
			required: true,
			description: 'How to answer',
			check: (field, value) => requireOneOf(field, value, ['approve', 'deny', 'option']),
		},
		{
			displayName: 'Option Value',
			name: 'optionValue',
			type: 'string',
			default: '',
			placeholder: 'e.g. always',
			description:
				"The value of one of the interaction's options. May stay empty when Body says it all.",
			displayOptions: { show: { decision: ['option'] } },
		},
		additionalBody(
			'More fields for the answer, as a JSON object, for kinds of interactions that are not documented',
			expectations,
		),
	],
	async prepare({ values, extra }, api) {
		const { decision, expectedPermission, expectedPatterns } = values;
		const isChosen = decision === 'approve' || decision === 'deny';
		const approved = isChosen ? decision === 'approve' : undefined;
		let option: unknown;
		if (!isChosen) {
			const given = this.getNodeParameter('optionValue', '');
			const bodySaysItAll = given === '' && Object.keys(extra).length > 0;
			if (!bodySaysItAll)
				option = typeof given === 'number' ? given : requireText('Option Value', given);
		}
		if (isChosen || expectedPermission !== undefined || expectedPatterns !== undefined) {
			const { sessionId: session, interactionId } = values;
			const interaction = await pendingInteraction(api, String(session), String(interactionId));
			checkExpected(interaction, expectedPermission, expectedPatterns);
			if (isChosen) option = optionFor(api, interaction, decision);
		}
		return { type: 'permission', option, approved };
	},
};
