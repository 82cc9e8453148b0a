import { isRecord, toText } from '../../shared/values';
import { ComparedAddress } from './addresses';
import { readCommand } from './comparedCommand';
import type { MatchBudget } from './globs';
import { approvedKind, EVERY_WAY, readPermission, type Kind } from './kinds';
import { lazily } from './lazily';
import type { ComparedRequest, ComparedText } from './matcher';
import { ComparedPath } from './paths';
import { readWholeRequest } from './remembered';
import { Words } from './words';

// Reads the texts of a request.

/** Characters of a text, and patterns and parts of a request, that rules compare */
export const MAX_TEXT = 4_096;
export const MAX_TEXTS = 100;
/** Characters of all texts of a request */
const MAX_CHARACTERS = 10 * MAX_TEXT;
/** What reading a character costs, in comparisons */
const READING_COST = 8;

export const TOO_LONG = "it's too long for rules";

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

/** Reads a text in each of the ways in which a rule can read it. */
function readText(base: ComparedText, kinds: readonly Kind[]): ComparedText[] {
	const { text = '', isTooLong, approvedAs } = base;
	if (isTooLong) return [base];
	const isKind = (kind: Kind) => kind === approvedAs || kinds.includes(kind);
	const read: ComparedText = {
		...base,
		...(isKind('paths') && { path: new ComparedPath(text) }),
		...(isKind('addresses') && { address: new ComparedAddress(text) }),
	};
	if (!isKind('commands')) return [read];
	return readCommand(text).map((command) => ({ ...read, shown: command.text, command }));
}

/** Returns the texts that rules compare, each once: the patterns, and fields. */
function listTexts(request: Record<string, unknown>): Array<{ text: string; approvedAs: Kind }> {
	const { permission, patterns } = request as { permission: string; patterns: string[] };
	const isKnown = readPermission(permission) !== undefined;
	const found = new Map<string, { text: string; approvedAs: Kind }>();
	const add = (text: string, kind?: Kind) => {
		const approvedAs = (isKnown && kind) || approvedKind(permission, text);
		found.set(`${approvedAs} ${text}`, { text, approvedAs });
	};
	for (const text of patterns) add(text);
	for (const { value, kind } of listFields(request)) add(value as string, kind);
	return [...found.values()];
}

function readTexts(request: Record<string, unknown>, budget: MatchBudget): ComparedText[] {
	const { permission, patterns } = request as { permission: string; patterns: string[] };
	const base = { permission, isTooLong: true, approvedAs: approvedKind(permission, '') };
	if (patterns.length > MAX_TEXTS) return [{ ...base, text: undefined, shown: patterns[0] }];
	const isKnown = readPermission(permission) !== undefined;
	const listed = listTexts(request);
	const characters = listed.reduce((sum, { text }) => sum + text.length, 0);
	const cost = characters * READING_COST;
	const isTooMuch = characters > MAX_CHARACTERS || cost > budget.left;
	if (!isTooMuch) budget.left -= cost;
	const texts = listed.flatMap(({ text, approvedAs }) => {
		const isTooLong = isTooMuch || text.length > MAX_TEXT;
		return readText(
			{ permission, text, shown: text, approvedAs, isTooLong },
			isKnown ? [] : EVERY_WAY,
		);
	});
	// Exact texts and `*` still decide.
	return texts.length <= MAX_TEXTS
		? texts
		: listed.map((each) => ({ ...base, ...each, shown: each.text }));
}

/** Reads the texts of a request, each with its parts. */
export function readRequest(
	request: Record<string, unknown>,
	budget: MatchBudget,
): ComparedRequest {
	const texts = readTexts(request, budget);
	const commands = new Set(texts.flatMap(({ text, command }) => (command && text) ?? []));
	return {
		texts,
		words: lazily(() => new Words([...commands].join('\n'))),
		whole: lazily(() => readWholeRequest(request)),
	};
}
