import { lazily, isRecord, toText } from '../../shared/values';
import { readPermission, type Kind } from '../../shared/approvals/interaction';
import { readWholeRequest } from '../../shared/approvals/rememberedRequest';
import { compareAddress, HAS_SCHEME, type ComparedAddress } from './addresses';
import { comparePath, type ComparedPath } from './paths';
import { readCommand, Words, type ComparedCommand } from './words';

// Reads the texts of a request as rules compare them.

/** A text of a request, or a part of its command. What a rule needs is read once. */
export interface ComparedText {
	text: string;
	shownText: string;
	/** How an approval reads it. A denial reads it in each of the ways below. */
	approvedAs: Kind;
	command?: ComparedCommand;
	path?: ComparedPath;
	address?: ComparedAddress;
}

const COMPARED_FIELDS: Array<[name: string, kind: Kind]> = [
	['command', 'commands'],
	['cmd', 'commands'],
	['path', 'paths'],
	['filePath', 'paths'],
	['file_path', 'paths'],
	['url', 'addresses'],
];

/** Returns the fields with texts, without empty ones. */
const listComparedFields = (request: Record<string, unknown>) =>
	[request, request.metadata]
		.filter(isRecord)
		.flatMap((place) => [place, place.input, place.args])
		.filter(isRecord)
		.flatMap((place) =>
			COMPARED_FIELDS.filter(([name]) => Object.hasOwn(place, name)).map(([name, kind]) => {
				return { name, kind, value: place[name] };
			}),
		)
		.filter(({ value }) => value !== undefined && value !== null && toText(value).trim() !== '');

/** Returns why rules can't read a request, or undefined. */
export function findUnreadable(request: Record<string, unknown>): string | undefined {
	const { permission, patterns } = request;
	if (permission === undefined) return 'its permission is missing';
	if (typeof permission !== 'string') return "its permission isn't a text";
	if (patterns === undefined) return 'its patterns are missing';
	if (!Array.isArray(patterns) || !patterns.every((pattern) => typeof pattern === 'string'))
		return "its patterns aren't a list of texts";
	if (patterns.length === 0) return 'it has no patterns';
	const odd = listComparedFields(request).find(({ value }) => typeof value !== 'string');
	return odd && `its ${odd.name} isn't a text`;
}

/** Returns the texts that rules compare, each once: the patterns, and fields. */
function listComparedTexts(request: Record<string, unknown>): ComparedText[] {
	const { permission, patterns } = request as { permission: string; patterns: string[] };
	const kindOfPermission = readPermission(permission)?.kind;
	const describe = (text: string, kindOfField?: Kind): ComparedText => {
		const unknown = HAS_SCHEME.test(text) ? 'addresses' : 'commands';
		return {
			text,
			shownText: text,
			approvedAs: kindOfPermission ? (kindOfField ?? kindOfPermission) : unknown,
		};
	};
	const all = [
		...patterns.map((text) => describe(text)),
		...listComparedFields(request).map(({ value, kind }) => describe(value as string, kind)),
	];
	return [...new Map(all.map((each) => [`${each.approvedAs} ${each.text}`, each])).values()];
}

/** Reads the texts of a request when they're compared. */
export function readRequest(request: Record<string, unknown>) {
	const permission = request.permission as string;
	const isKnown = readPermission(permission) !== undefined;
	const { cwd } = isRecord(request.metadata) && !('cwd' in request) ? request.metadata : request;
	const folder = typeof cwd === 'string' ? cwd : undefined;
	const texts = listComparedTexts(request);
	const hasCommands = !isKnown || texts.some(({ approvedAs }) => approvedAs === 'commands');
	const commands = hasCommands ? texts.map(({ text }) => text) : [];
	/** Reads a text in each of the ways in which rules can read it. A command has each of its parts. */
	function readText(text: ComparedText): ComparedText[] {
		const isKind = (kind: Kind) => kind === text.approvedAs || !isKnown;
		const base: ComparedText = {
			...text,
			...(isKind('paths') && { path: comparePath(text.text) }),
			...(isKind('addresses') && { address: compareAddress(text.text) }),
		};
		if (!isKind('commands')) return [base];
		return readCommand(text.text, folder).map((command) => {
			return { ...base, shownText: command.text, command };
		});
	}
	return {
		permission,
		/** True if the table has its permission */
		isKnown,
		texts,
		readText,
		/** The same in requests whose texts are compared with the same others */
		context: JSON.stringify([
			permission,
			...(hasCommands ? [folder, ...[...commands].sort()] : []),
		]),
		commands: lazily(() => texts.flatMap(readText).flatMap(({ command }) => command ?? [])),
		/** Of all its commands */
		words: lazily(() => new Words(commands.join('\n'))),
		/** All of it, for remembered requests */
		whole: lazily(() => readWholeRequest(request)),
	};
}

export type ComparedRequest = ReturnType<typeof readRequest>;
