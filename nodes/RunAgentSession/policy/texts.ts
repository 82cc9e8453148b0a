import { lazily } from '../../shared/lazily';
import { MAX_REQUEST_TEXTS, MAX_TEXT_CHARACTERS } from '../../shared/limits';
import { isRecord, toText } from '../../shared/values';
import { compareAddress } from './addresses';
import { readCommand } from './comparedCommand';
import type { MatchBudget } from './globs';
import { approvedKind, readPermission, type Kind } from './kinds';
import type { ComparedRequest, ComparedText } from './matcher';
import { comparePath } from './paths';
import { readWholeRequest } from './remembered';
import { Words } from './words';

// Reads the texts of a request.

/** Characters of all texts of a request */
const MAX_CHARACTERS = 10 * MAX_TEXT_CHARACTERS;
/** What reading a character costs, in comparisons */
const READING_COST = 8;

export const TOO_LONG = "it's too long for rules";

const FIELDS: Array<[name: string, kind: Kind]> = [
	['command', 'commands'],
	['cmd', 'commands'],
	['path', 'paths'],
	['filePath', 'paths'],
	['file_path', 'paths'],
	['url', 'addresses'],
];

/** Returns the fields with texts, without empty ones. */
function listFields(request: Record<string, unknown>) {
	const records = [request, request.metadata].filter(isRecord);
	const places = records.flatMap((each) => [each, each.input, each.args]).filter(isRecord);
	return places
		.flatMap((place) =>
			FIELDS.map(([name, kind]) => {
				return { name, kind, value: Object.hasOwn(place, name) ? place[name] : undefined };
			}),
		)
		.filter(({ value }) => value !== undefined && value !== null && toText(value).trim() !== '');
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
function readText(base: ComparedText & { text: string }, isKnown: boolean): ComparedText[] {
	const { text, approvedAs } = base;
	const isKind = (kind: Kind) => kind === approvedAs || !isKnown;
	const read: ComparedText = {
		...base,
		...(isKind('paths') && { path: comparePath(text) }),
		...(isKind('addresses') && { address: compareAddress(text) }),
	};
	if (!isKind('commands')) return [read];
	return readCommand(text).map((command) => ({ ...read, shown: command.text, command }));
}

/** Returns the texts that rules compare, each once: the patterns, and fields. */
function readTexts(request: Record<string, unknown>, budget: MatchBudget): ComparedText[] {
	const { permission, patterns } = request as { permission: string; patterns: string[] };
	const isKnown = readPermission(permission) !== undefined;
	const describe = (text: string, kind?: Kind) => {
		const approvedAs = (isKnown && kind) || approvedKind(permission, text);
		return { permission, text, shown: text, approvedAs, isTooLong: true };
	};
	if (patterns.length > MAX_REQUEST_TEXTS) return [{ ...describe(patterns[0]), text: undefined }];
	const all = [
		...patterns.map((text) => describe(text)),
		...listFields(request).map(({ value, kind }) => describe(value as string, kind)),
	];
	const listed = [
		...new Map(all.map((each) => [`${each.approvedAs} ${each.text}`, each])).values(),
	];
	const characters = listed.reduce((sum, { text }) => sum + text.length, 0);
	const cost = characters * READING_COST;
	// Exact texts and `*` still decide.
	if (characters > MAX_CHARACTERS || cost > budget.left) return listed;
	budget.left -= cost;
	const texts = listed.flatMap((each) =>
		each.text.length > MAX_TEXT_CHARACTERS
			? [each]
			: readText({ ...each, isTooLong: false }, isKnown),
	);
	return texts.length <= MAX_REQUEST_TEXTS ? texts : listed;
}

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
