import { isRecord, limitEntries, toText } from '../../shared/values';
import { readPermission, type ShownAs } from '../policy/kinds';
import { isLongRequest } from './requestLength';

// Takes a request apart for an approver. Leaves nothing out: unknown fields become one text. Of a long request, it counts the fields that it leaves out.

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
	permission: Fact;
	/** Commands, files or patterns */
	targets: Fact[];
	/** Patterns of a request whose command isn't one of them */
	covers: Fact[];
	folder?: string;
	/** All other fields, the most important first */
	more: Fact[];
	options: OptionFact[];
	/** Number of fields and entries of a long request that no fact shows */
	hidden: number;
}

/** Fields of each object and entries of each list of a long request */
const MAX_ENTRIES_SHOWN = 1_000;

/** Lists fields and entries up to a limit, and counts the others. */
class Listing {
	hidden = 0;
	readonly longest: number;

	constructor(longest: number) {
		this.longest = longest;
	}

	take<T>(entries: readonly T[]): readonly T[] {
		this.hidden += Math.max(0, entries.length - this.longest);
		return entries.slice(0, this.longest);
	}

	limit(value: unknown): unknown {
		if (this.longest === Infinity) return value;
		const limited = limitEntries(value, this.longest);
		this.hidden += limited.left;
		return limited.value;
	}

	toText(value: unknown): string {
		return toText(this.limit(value));
	}

	/** Returns a copy without some fields, with limited values. */
	without(
		thing: Record<string, unknown>,
		names: readonly string[],
	): Record<string, unknown> | undefined {
		const others = this.take(Object.keys(thing).filter((name) => !names.includes(name)));
		return others.length > 0
			? Object.fromEntries(others.map((name) => [name, this.limit(thing[name])]))
			: undefined;
	}
}

const TARGET_LABELS: Record<RequestKind, string> = {
	command: 'Command',
	edit: 'File',
	read: 'File',
	other: 'Pattern',
	unreadable: 'Pattern',
};

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
function describeRest(interaction: Record<string, unknown>, listing: Listing): string {
	const { response } = interaction;
	const { options } = isRecord(response) ? response : {};
	const foreign = Array.isArray(options)
		? options
				.slice(0, listing.longest)
				.flatMap((option: unknown) =>
					isRecord(option)
						? (listing.without(option, KNOWN_OPTION_FIELDS) ?? [])
						: [listing.limit(option)],
				)
		: listing.limit(options);
	const isEmpty = foreign === undefined || (Array.isArray(foreign) && foreign.length === 0);
	const around = isRecord(response)
		? {
				...listing.without(response, KNOWN_RESPONSE_FIELDS),
				...(!isEmpty && { options: foreign }),
			}
		: listing.limit(response);
	const isKnown = around === undefined || (isRecord(around) && Object.keys(around).length === 0);
	const rest = {
		...listing.without(interaction, KNOWN_FIELDS),
		...(!isKnown && { response: around }),
	};
	return Object.keys(rest).length > 0 ? toText(rest) : '';
}

function describeOptions(response: unknown, listing: Listing): OptionFact[] {
	const { options } = isRecord(response) ? response : {};
	const listed = listing.take(Array.isArray(options) ? (options as unknown[]) : []);
	return listed.flatMap((option): OptionFact[] => {
		if (!isRecord(option)) return [];
		const { value, label, description } = option;
		const word = [label, value]
			.filter((each) => each !== undefined)
			.map((each) => listing.toText(each));
		const name = word.length > 1 ? `${word[0]} (${word[1]})` : (word[0] ?? '');
		const isDescribed = description !== undefined && description !== '';
		const text = isDescribed ? `${name}: ${listing.toText(description)}` : name;
		return [{ label: 'Option', text, isDescribed }];
	});
}

const numbered = (label: string, texts: readonly string[]): Fact[] =>
	texts.map((text, index) => ({
		label: texts.length === 1 ? label : `${label} ${index + 1} of ${texts.length}`,
		text,
	}));

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

const described = new WeakMap<object, RequestDetails>();

/** Describes a request. Reads each once. */
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
			hidden: 0,
		};
	}
	const details = described.get(interaction) ?? readDetails(interaction);
	described.set(interaction, details);
	return details;
}

function readDetails(interaction: Record<string, unknown>): RequestDetails {
	const listing = new Listing(isLongRequest(interaction) ? MAX_ENTRIES_SHOWN : Infinity);
	const { type, permission, patterns, response, metadata, command, cwd } = interaction;
	const isPermission = type === 'permission';
	const name = listing.toText(permission ?? '');
	const list = Array.isArray(patterns) ? patterns : patterns === undefined ? [] : [patterns];
	const texts = list.map((each) => listing.toText(each));
	const run = findTexts(interaction, 'command').filter((text) => !texts.includes(text));
	const isNamed = run.length === 0;
	const kind = findRequestKind(type, name, !isNamed);
	const { instruction, scope } = isRecord(response) ? response : {};
	const fields = {
		...(!isPermission && { Permission: permission }),
		Instruction: instruction,
		Scope: scope,
		...(typeof command !== 'string' && { Command: command }),
		...(typeof cwd !== 'string' && { Folder: cwd }),
		Metadata: metadata,
		'Other details': describeRest(interaction, listing),
	};
	const more = Object.entries(fields).map(([label, value]) => ({
		label,
		text: value === undefined ? '' : listing.toText(value),
	}));
	const optionFacts = describeOptions(response, listing);
	return {
		kind,
		permission: isPermission
			? { label: 'Permission', text: name }
			: { label: 'Not a permission but', text: listing.toText(type) },
		targets: isNamed ? numbered(TARGET_LABELS[kind], texts) : numbered('Command', run),
		covers: isNamed ? [] : numbered('Pattern', texts),
		folder: findTexts(interaction, 'cwd')[0],
		more: more.filter(({ text }) => text !== '' && text !== '{}'),
		options: optionFacts,
		hidden: listing.hidden,
	};
}
