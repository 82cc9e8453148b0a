import {
	readPermission,
	REQUEST_WORDS,
	type RequestWords,
	type ShownAs,
} from '../../shared/approvals/permissions';
import { isRecord, omit, toText } from '../../shared/values';

// Takes a request apart for an approver. Leaves nothing out: unknown fields become one text.

/** Foreign text with this package's label */
export interface Fact {
	label: string;
	text: string;
}

type RequestKind = ShownAs | 'unreadable';

interface OptionFact extends Fact {
	isDescribed: boolean;
}

export interface RequestDetails {
	kind: RequestKind;
	/** What the agent wants to do, for "The agent wants to …". Missing if only the permission says it */
	verb?: string;
	permission: Fact;
	/** Commands, files or patterns */
	targets: Fact[];
	/** Patterns of a request whose command isn't one of them */
	covers: Fact[];
	folder?: string;
	/** All other fields, the most important first */
	more: Fact[];
	options: OptionFact[];
}

const KNOWN_FIELDS = [
	'type',
	'id',
	'permission',
	'patterns',
	'command',
	'cwd',
	'response',
	'metadata',
];
const KNOWN_RESPONSE_FIELDS = ['type', 'options', 'instruction', 'scope'];
const KNOWN_OPTION_FIELDS = ['value', 'label', 'description'];

/** Returns the fields that no other fact shows as one text. Empty if there are none. */
function describeRest(interaction: Record<string, unknown>): string {
	const { response } = interaction;
	const { options } = isRecord(response) ? response : {};
	const foreign = Array.isArray(options)
		? options
				.map((option: unknown) =>
					isRecord(option) ? omit(option, ...KNOWN_OPTION_FIELDS) : option,
				)
				.filter((option) => !isRecord(option) || Object.keys(option).length > 0)
		: options;
	const isEmpty = foreign === undefined || (Array.isArray(foreign) && foreign.length === 0);
	const around = isRecord(response)
		? {
				...omit(response, ...KNOWN_RESPONSE_FIELDS),
				...(!isEmpty && { options: foreign }),
			}
		: response;
	const isKnown = around === undefined || (isRecord(around) && Object.keys(around).length === 0);
	const rest = {
		...omit(interaction, ...KNOWN_FIELDS),
		...(!isKnown && { response: around }),
	};
	return Object.keys(rest).length > 0 ? toText(rest) : '';
}

function describeOptions(response: unknown): OptionFact[] {
	const { options } = isRecord(response) ? response : {};
	const listed = Array.isArray(options) ? (options as unknown[]) : [];
	return listed.flatMap((option): OptionFact[] => {
		if (!isRecord(option)) return [];
		const { value, label, description } = option;
		const word = [label, value].filter((each) => each !== undefined).map(toText);
		const name = word.length > 1 ? `${word[0]} (${word[1]})` : (word[0] ?? '');
		const isDescribed = description !== undefined && description !== '';
		const text = isDescribed ? `${name}: ${toText(description)}` : name;
		return [{ label: 'Option', text, isDescribed }];
	});
}

const numbered = (label: string, texts: readonly string[]): Fact[] =>
	texts.map((text, index) => ({
		label: texts.length === 1 ? label : `${label} ${index + 1} of ${texts.length}`,
		text,
	}));

/** Describes the fields of a question. Their names are the agent's words too. */
export const describeFields = (fields: ReadonlyArray<{ name: string; text: string }>): Fact[] =>
	fields.map(({ name, text }) => ({ label: 'Field', text: `${name}: ${text}` }));

function findTexts(interaction: Record<string, unknown>, name: string): string[] {
	const { metadata } = interaction;
	const found = [interaction, isRecord(metadata) ? metadata : {}].map((place) => place[name]);
	return [...new Set(found)].filter(
		(each): each is string => typeof each === 'string' && each !== '',
	);
}

/** Returns a request's kind. A command is never shown as a file. */
function findRequestKind(type: unknown, permission: string, hasCommand: boolean): RequestKind {
	if (type !== 'permission') return 'unreadable';
	const kind = readPermission(permission)?.shownAs ?? 'other';
	return hasCommand && kind !== 'command' ? 'other' : kind;
}

/** Takes a request apart. */
export function describeRequest(interaction: unknown): RequestDetails {
	if (!isRecord(interaction)) {
		const permission = { label: 'Not readable', text: toText(interaction) };
		return {
			kind: 'unreadable',
			permission,
			targets: [],
			covers: [],
			more: [],
			options: [],
		};
	}
	const { type, permission, patterns, response, metadata, command, cwd } = interaction;
	const isPermission = type === 'permission';
	const name = toText(permission ?? '');
	const list = Array.isArray(patterns) ? patterns : patterns === undefined ? [] : [patterns];
	const texts = list.map(toText);
	const run = findTexts(interaction, 'command').filter((text) => !texts.includes(text));
	const isNamed = run.length === 0;
	const kind = findRequestKind(type, name, !isNamed);
	const { label, verbs }: RequestWords = REQUEST_WORDS[kind === 'unreadable' ? 'other' : kind];
	const targets = isNamed ? numbered(label, texts) : numbered('Command', run);
	const { instruction, scope } = isRecord(response) ? response : {};
	const fields = {
		...(!isPermission && { Permission: permission }),
		Instruction: instruction,
		Scope: scope,
		...(typeof command !== 'string' && { Command: command }),
		...(typeof cwd !== 'string' && { Folder: cwd }),
		Metadata: metadata,
		'Other details': describeRest(interaction),
	};
	const more = Object.entries(fields).map(([label, value]) => ({
		label,
		text: value === undefined ? '' : toText(value),
	}));
	const optionFacts = describeOptions(response);
	return {
		kind,
		verb: verbs?.[targets.length > 1 ? 1 : 0],
		permission: isPermission
			? { label: 'Permission', text: name }
			: { label: 'Not a permission but', text: toText(type) },
		targets,
		covers: isNamed ? [] : numbered('Pattern', texts),
		folder: findTexts(interaction, 'cwd')[0],
		more: more.filter(({ text }) => text !== '' && text !== '{}'),
		options: optionFacts,
	};
}
