import { isRecord, toText } from '../../shared/values';

// What a request asks for, taken apart for an approver. Nothing of it is left out: the fields that nobody knows are one compact text.

/** Foreign text, and our name for it */
export interface Fact {
	label: string;
	text: string;
}

/** What a request is for, by its permission. */
type RequestKind = 'command' | 'edit' | 'read' | 'other' | 'unreadable';

interface OptionFact extends Fact {
	/** Whether the service describes it beside its name */
	isDescribed: boolean;
}

export interface RequestDetails {
	kind: RequestKind;
	/** The permission, or what is there instead */
	permission: Fact;
	/** The commands, files or patterns, in the order of the request */
	targets: Fact[];
	/** The patterns of a request whose command is not one of them */
	covers: Fact[];
	/** The folder in which the agent wants to do it */
	folder?: string;
	/** Everything else, the most important first */
	more: Fact[];
	/** The options as the service words them */
	options: OptionFact[];
}

const permissionNames = (kind: RequestKind, names: string) =>
	names.split(' ').map((name): [string, RequestKind] => [name, kind]);

/** Permissions of agents whose names are well known. Any other is called by its name. */
const KINDS = new Map([
	...permissionNames('command', 'bash shell sh exec execute command terminal'),
	...permissionNames('edit', 'edit write patch multiedit'),
	...permissionNames('read', 'read'),
]);

const TARGET_LABELS: Record<RequestKind, string> = {
	command: 'Command',
	edit: 'File',
	read: 'File',
	other: 'Pattern',
	unreadable: 'Pattern',
};

/** The entries of a thing without those of these names; undefined where nothing is left. */
function withoutKeys(
	thing: Record<string, unknown>,
	names: readonly string[],
): Record<string, unknown> | undefined {
	const entries = Object.entries(thing).filter(([name]) => !names.includes(name));
	return entries.length > 0 ? Object.fromEntries(entries) : undefined;
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

/** The fields of a request that nothing else shows, as one compact text; empty where there are none. */
function describeRest(interaction: Record<string, unknown>): string {
	const { response } = interaction;
	const { options } = isRecord(response) ? response : {};
	const foreign = Array.isArray(options)
		? options.flatMap((option: unknown) =>
				isRecord(option) ? (withoutKeys(option, KNOWN_OPTION_FIELDS) ?? []) : [option],
			)
		: options;
	const isEmpty = foreign === undefined || (Array.isArray(foreign) && foreign.length === 0);
	const around = isRecord(response) ? withoutKeys(response, KNOWN_RESPONSE_FIELDS) : response;
	const rest = {
		...withoutKeys(interaction, KNOWN_FIELDS),
		...(around !== undefined && { response: around }),
		...(!isEmpty && { options: foreign }),
	};
	return Object.keys(rest).length > 0 ? toText(rest) : '';
}

/** Returns what each option is called, and how the service describes it. */
function describeOptions(response: unknown): OptionFact[] {
	const { options } = isRecord(response) ? response : {};
	return (Array.isArray(options) ? options : []).flatMap((option: unknown): OptionFact[] => {
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

/** A field of a request, or of its metadata, where it is a text. */
function findText(interaction: Record<string, unknown>, name: string): string | undefined {
	const { metadata } = interaction;
	const places = [interaction, isRecord(metadata) ? metadata : {}];
	const found = places.map((place) => place[name]).find((value) => value !== undefined);
	return typeof found === 'string' && found !== '' ? found : undefined;
}

/** Returns everything that belongs to a request, whatever it is. */
export function describeRequest(interaction: unknown): RequestDetails {
	if (!isRecord(interaction)) {
		const permission = { label: 'Not readable', text: toText(interaction) };
		return { kind: 'unreadable', permission, targets: [], covers: [], more: [], options: [] };
	}
	const { type, permission, patterns, response, metadata, command, cwd } = interaction;
	const isPermission = type === 'permission';
	const name = toText(permission ?? '');
	const kind = isPermission ? (KINDS.get(name.trim().toLowerCase()) ?? 'other') : 'unreadable';
	const list = Array.isArray(patterns) ? patterns : patterns === undefined ? [] : [patterns];
	const texts = list.map(toText);
	const run = findText(interaction, 'command');
	const isNamed = run === undefined || texts.includes(run);
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
	return {
		kind,
		permission: isPermission
			? { label: 'Permission', text: name }
			: { label: 'Not a permission but', text: toText(type) },
		targets: isNamed ? numbered(TARGET_LABELS[kind], texts) : [{ label: 'Command', text: run }],
		covers: isNamed ? [] : numbered('Pattern', texts),
		folder: findText(interaction, 'cwd'),
		more: more.filter(({ text }) => text !== '' && text !== '{}'),
		options: describeOptions(response),
	};
}
