// The options of approval requests.
import { usualOptions } from '../../agent/directives.mts';
import { ApiError } from '../../errors.mts';
import { isObject } from '../../json.mts';
import type { OperationId } from '../assumed-requests.mts';
import type { OptionWords } from '../dialect.mts';
import type { ValueCodec } from './codec.mts';

/** The operations that answer with the status object */
export const withSession: OperationId[] = [
	'getAgentSession',
	'sendAgentMessage',
	'abortAgentSession',
	'resolveInteraction',
];

const usualLabels = new Map(usualOptions.map(({ value, label }) => [value, label]));

/** `OptionWords` has a word for each usual option: a test holds the two together. */
const isUsual = (value: unknown): value is keyof OptionWords =>
	typeof value === 'string' && usualLabels.has(value);

/** An option in the dialect's words. What a prompt names stays: another value, or another label. */
function written(option: unknown, words: OptionWords): unknown {
	if (!isObject(option) || !isUsual(option.value)) return option;
	const { value, label } = words[option.value];
	return { value, label: option.label === usualLabels.get(option.value) ? label : option.label };
}

/** An interaction, or the body that resolves it, has a type. The dialects' words are only those of permissions. */
export const isPermission = ({ type }: Record<string, unknown>): boolean => type === 'permission';

function withWords(interaction: unknown, words: OptionWords): unknown {
	if (!isObject(interaction) || !isPermission(interaction)) return interaction;
	if (!isObject(interaction.response)) return interaction;
	const { options } = interaction.response;
	if (!Array.isArray(options)) return interaction;
	const response = {
		...interaction.response,
		options: options.map((option) => written(option, words)),
	};
	return { ...interaction, response };
}

export const optionCodec = (words: OptionWords): ValueCodec => ({
	readBody(operationId, body) {
		if (operationId !== 'resolveInteraction' || !isObject(body) || !isPermission(body)) return body;
		const chosen = Object.entries(words).find(([, { value }]) => value === body.response);
		if (chosen) return { ...body, response: chosen[0] };
		if (isUsual(body.response))
			throw new ApiError('invalid_request', 'The interaction does not offer the chosen option.');
		return body;
	},

	writeBody: (operationId, body) =>
		withSession.includes(operationId) && isObject(body) && Array.isArray(body.pendingInteractions)
			? {
					...body,
					pendingInteractions: body.pendingInteractions.map((interaction) =>
						withWords(interaction, words),
					),
				}
			: body,
});
