import { isRecord, toText } from '../../shared/values';
import { ComparedAddress } from './addresses';
import { ComparedPart } from './commands';
import { kindOf, type Kind } from './kinds';
import { ComparedPath } from './paths';
import { readPlainCommand, type PlainCommand } from './plainCommand';
import type { RememberedRequest } from './remembered';

/** Characters of a text, and patterns and parts of a request, that rules compare */
export const MAX_TEXT = 4_096;
export const MAX_TEXTS = 100;
/** Characters of all texts of a request */
const MAX_CHARACTERS = 10 * MAX_TEXT;

export const TOO_LONG = "it's too long for rules";

/** A text of a request, or a part of its command. What a rule needs is read once. */
export interface ComparedText {
	permission: string;
	/** The whole text. Undefined if the request has too many to compare each. */
	text: string | undefined;
	shown: string;
	kind: Kind;
	isTooLong: boolean;
	/** The part of a plain command */
	part?: ComparedPart;
	/** Why a command isn't plain */
	problem?: string;
	path?: ComparedPath;
	address?: ComparedAddress;
	/** The request that the text belongs to */
	request?: RememberedRequest;
}

const listCommands = ({ command, metadata }: Record<string, unknown>): unknown[] =>
	[command, isRecord(metadata) ? metadata.command : undefined].filter(
		(each) => each !== undefined && each !== null && each !== '',
	);

/** Returns why rules can't read a request, or undefined. */
export function findUnreadable(request: Record<string, unknown>): string | undefined {
	const { permission, patterns } = request;
	if (permission === undefined) return 'its permission is missing';
	if (typeof permission !== 'string') return "its permission isn't a text";
	if (patterns === undefined) return 'its patterns are missing';
	if (!Array.isArray(patterns) || !patterns.every((pattern) => typeof pattern === 'string'))
		return "its patterns aren't a list of texts";
	if (patterns.length === 0) return 'it has no patterns';
	return listCommands(request).every((command) => typeof command === 'string')
		? undefined
		: "its command isn't a text";
}

const readShort = (text: string): PlainCommand =>
	text.length > MAX_TEXT ? { problem: 'too many characters' } : readPlainCommand(text);

/** Returns the commands beside the patterns that don't consist of them. */
function listHidden(request: Record<string, unknown>, patterns: readonly string[]): string[] {
	const isListed = (command: string) => {
		if (patterns.includes(command) || patterns.includes(command.trim())) return true;
		const read = readShort(command);
		return 'parts' in read && read.parts.every(({ text }) => patterns.includes(text));
	};
	return listCommands(request)
		.map(toText)
		.filter((command) => command.trim() !== '' && !isListed(command));
}

function readText(base: ComparedText): ComparedText[] {
	const { kind, text = '', isTooLong } = base;
	if (isTooLong) return [base];
	if (kind === 'paths') return [{ ...base, path: new ComparedPath(text) }];
	if (kind === 'addresses') return [{ ...base, address: new ComparedAddress(text) }];
	if (kind === 'searches') return [base];
	const read = readPlainCommand(text);
	return 'problem' in read
		? [{ ...base, problem: read.problem }]
		: read.parts.map((part) => ({ ...base, shown: part.text, part: new ComparedPart(part) }));
}

/** Returns the texts that rules compare: the patterns, and a command that doesn't consist of them, each with its parts. */
export function readTexts(
	request: Record<string, unknown>,
	whole: RememberedRequest | undefined,
): ComparedText[] {
	const { permission, patterns } = request as { permission: string; patterns: string[] };
	const base = { permission, request: whole };
	const all: ComparedText = {
		...base,
		text: undefined,
		shown: patterns.slice(0, 1).join(),
		kind: kindOf(permission, ''),
		isTooLong: true,
	};
	if (patterns.length > MAX_TEXTS) return [all];
	const given = [...new Set(patterns)];
	const hidden = listHidden(request, patterns);
	const isTooMuch = [...given, ...hidden].join('').length > MAX_CHARACTERS;
	const read = (text: string, kind: Kind) =>
		readText({ ...base, text, shown: text, kind, isTooLong: isTooMuch || text.length > MAX_TEXT });
	const texts = [
		...given.flatMap((text) => read(text, kindOf(permission, text))),
		...hidden.flatMap((text) => read(text, 'commands')),
	];
	if (texts.length <= MAX_TEXTS) return texts;
	// Exact texts and `*` still decide.
	return [...new Map(texts.map((each) => [each.text, each])).values()].map((each) => ({
		...each,
		shown: each.text ?? '',
		isTooLong: true,
	}));
}
