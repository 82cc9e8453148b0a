import { isRecord, toText } from '../../shared/values';
import { ComparedAddress } from './addresses';
import { readCommand, type ComparedCommand, type ComparedPart } from './comparedCommand';
import type { RequestWords } from './commandObjection';
import { approvedKind, EVERY_WAY, readPermission, type Kind } from './kinds';
import type { MatchBudget } from './globs';
import { lazily } from './lazily';
import { ComparedPath } from './paths';
import type { RememberedRequest } from './remembered';
import { Words } from './words';

/** Characters of a text, and patterns and parts of a request, that rules compare */
export const MAX_TEXT = 4_096;
export const MAX_TEXTS = 100;
/** Characters of all texts of a request */
const MAX_CHARACTERS = 10 * MAX_TEXT;
/** What reading a character costs, in comparisons */
const READING_COST = 8;

export const TOO_LONG = "it's too long for rules";

/** A text of a request, or a part of its command. What a rule needs is read once. */
export interface ComparedText {
	permission: string;
	/** The whole text. Undefined if the request has too many to compare each. */
	text: string | undefined;
	shown: string;
	isTooLong: boolean;
	/** How an approval reads it. A denial reads it in each of the ways below. */
	approvedAs: Kind;
	/** The part of a plain command */
	part?: ComparedPart;
	/** Why a command isn't plain */
	problem?: string;
	command?: ComparedCommand;
	path?: ComparedPath;
	address?: ComparedAddress;
	isSearch?: boolean;
}

/** What rules compare of a request */
export interface ComparedRequest {
	texts: ComparedText[];
	words: () => RequestWords;
	/** All of it, for remembered requests */
	whole: () => RememberedRequest | undefined;
}

/** Fields that are texts like the patterns, and how a known permission reads them */
const FIELDS: Record<string, Kind> = {
	command: 'commands',
	cmd: 'commands',
	path: 'paths',
	filePath: 'paths',
	file_path: 'paths',
	url: 'addresses',
};

interface FieldText {
	name: string;
	kind: Kind;
	value: unknown;
}

function listFields(request: Record<string, unknown>): FieldText[] {
	const records = [request, request.metadata].filter(isRecord);
	const places = records.flatMap((each) => [each, each.input, each.args]).filter(isRecord);
	return places.flatMap((place) =>
		Object.entries(FIELDS).flatMap(([name, kind]) => {
			const value = Object.hasOwn(place, name) ? place[name] : undefined;
			const isEmpty = value === undefined || value === null || toText(value).trim() === '';
			return isEmpty ? [] : [{ name, kind, value }];
		}),
	);
}

/** Returns why rules can't read a request, or undefined. */
export function findUnreadable(request: Record<string, unknown>): string | undefined {
	const { permission, patterns } = request;
	if (permission === undefined) return 'its permission is missing';
	if (typeof permission !== 'string') return "its permission isn't a text";
	if (patterns === undefined) return 'its patterns are missing';
	if (!Array.isArray(patterns) || !patterns.every((pattern) => typeof pattern === 'string'))
		return "its patterns aren't a list of texts";
	if (patterns.length === 0) return 'it has no patterns';
	const odd = listFields(request).find(({ value }) => typeof value !== 'string');
	return odd && `its ${odd.name} isn't a text`;
}

/** Returns whether the patterns say a field's text already. */
function isListed({ kind, value }: FieldText, permission: string, patterns: Set<string>): boolean {
	const text = value as string;
	const known = readPermission(permission)?.kind;
	if (known !== undefined && known !== kind) return false;
	if (patterns.has(text) || patterns.has(text.trim())) return true;
	if (kind !== 'commands' || text.length > MAX_TEXT) return false;
	const read = readCommand(text);
	return 'parts' in read && read.parts.every((part) => patterns.has(part.text));
}

/** Reads a text in each of the ways in which a rule can read it. */
function readText(base: ComparedText, kinds: readonly Kind[]): ComparedText[] {
	const { text = '', isTooLong } = base;
	if (isTooLong) return [base];
	const read: ComparedText = {
		...base,
		...(kinds.includes('paths') && { path: new ComparedPath(text) }),
		...((kinds.includes('addresses') || base.approvedAs === 'addresses') && {
			address: new ComparedAddress(text),
		}),
		...(kinds.includes('searches') && { isSearch: true }),
	};
	if (!kinds.includes('commands')) return [read];
	const command = readCommand(text);
	return 'problem' in command
		? [{ ...read, ...command }]
		: command.parts.map((part) => ({ ...read, shown: part.text, part, command: part }));
}

function collectWords(texts: readonly ComparedText[]): RequestWords {
	const all = new Words();
	const commands = texts.flatMap(({ command }) => command ?? []);
	for (const command of commands) {
		all.addAll(command.elsewhere());
		if ('program' in command) all.add((command as ComparedPart).words[0]);
	}
	return { all, commands, isAnywhere: commands.some((command) => command.isAnywhere) };
}

/** Returns the texts that rules compare: the patterns, and fields that they don't have, each with its parts. */
export function readRequest(
	request: Record<string, unknown>,
	whole: () => RememberedRequest | undefined,
	budget: MatchBudget,
): ComparedRequest {
	const texts = readTexts(request, budget);
	return { texts, words: lazily(() => collectWords(texts)), whole };
}

function readTexts(request: Record<string, unknown>, budget: MatchBudget): ComparedText[] {
	const { permission, patterns } = request as { permission: string; patterns: string[] };
	const base = { permission, isTooLong: true, approvedAs: approvedKind(permission, '') };
	if (patterns.length > MAX_TEXTS) return [{ ...base, text: undefined, shown: patterns[0] }];
	const given = new Set(patterns);
	const isKnown = readPermission(permission) !== undefined;
	const listed = [
		...[...given].map((text) => ({ text, approvedAs: approvedKind(permission, text) })),
		...listFields(request)
			.filter((field) => !isListed(field, permission, given))
			.map(({ value, kind }) => ({
				text: value as string,
				approvedAs: isKnown ? kind : approvedKind(permission, value as string),
			})),
	];
	const characters = listed.reduce((sum, { text }) => sum + text.length, 0);
	const cost = characters * READING_COST;
	const isTooMuch = characters > MAX_CHARACTERS || cost > budget.left;
	if (!isTooMuch) budget.left -= cost;
	const texts = listed.flatMap(({ text, approvedAs }) =>
		readText(
			{
				permission,
				text,
				shown: text,
				approvedAs,
				isTooLong: isTooMuch || text.length > MAX_TEXT,
			},
			isKnown ? [approvedAs] : EVERY_WAY,
		),
	);
	if (texts.length <= MAX_TEXTS) return texts;
	// Exact texts and `*` still decide.
	return listed.map((each) => ({ ...base, ...each, shown: each.text }));
}
