import {
	isQuestion,
	readQuestion,
	type AgentQuestion,
	readPermission,
	REQUEST_WORDS,
	type RequestWords,
	type ShownAs,
} from '../../shared/approvals/interaction';
import type { OptionPreferences } from '../../shared/approvals/options';
import { quoteVisible } from '../../shared/approvals/visibleText';
import type { Interaction } from '../../shared/client/session';
import { capitalize, isObject, isRecord, omit, pluralize, toText } from '../../shared/values';
import { readChange, type FileChange } from '../changes/change';
import { listChoices, type Choice } from './choices';
import type { AnswerDeadline } from './ballots';
import type { UndecidedRequest } from './decisions';
import { ABORT, describeSilence, MESSAGE, QUIET_CHOICES } from './quietRequest';
import type { Quiet } from './requestRecord';

// What a person is told of one request of any kind. Page, `question` and `message` render it, so all show the same. Leaves
// nothing out: unknown fields become one text.

/** Foreign text with this package's label */
export interface Fact {
	label: string;
	text: string;
	/** The object or list that the text is the JSON of */
	value?: object;
	/** True if only the page shows it */
	isMinor?: true;
}

/** Takes an answer in the approver's own words */
interface TextField {
	label: string;
	hint?: string;
}

export interface Sheet {
	kind: 'permission' | 'question' | 'quiet';
	/** What the agent or the session does, such as "wants to run this command" */
	says: string;
	/** Heads the request among others */
	heading: string;
	/** The permission, if only its name says what the agent wants */
	named?: Fact;
	/** The commands, the files, the question, or what a quiet session did last */
	wants: Fact[];
	folder?: string;
	/** Patterns of a request whose command isn't one of them */
	covers: Fact[];
	/** Since when a session is quiet */
	quietSince?: number;
	/** The files that an edit changes */
	change: FileChange[];
	/** What is missing, in this package's words */
	remarks: string[];
	/** All other fields, the most important first */
	facts: Fact[];
	choices: Choice[];
	field?: TextField;
	/** Why it can't be decided here */
	obstacle?: string;
}

export interface OfferedChoices {
	preferences?: OptionPreferences;
	offersFromNowOn?: boolean;
}

const ONCE: OptionPreferences = { approveWith: 'once' };

const choicesOf = (
	{ interaction }: UndecidedRequest,
	{ preferences = ONCE, offersFromNowOn }: OfferedChoices,
): Choice[] => listChoices(interaction, preferences, offersFromNowOn);

/** Returns why a request can't be decided here, or undefined. */
export function readObstacle(
	request: UndecidedRequest,
	offered: OfferedChoices,
): string | undefined {
	const { interaction, isBlocked, because } = request;
	if (isBlocked) return because;
	const isUnclear = !isQuestion(interaction) && choicesOf(request, offered).length === 0;
	return isUnclear ? 'none of its options is clear' : undefined;
}

export function createSheet(request: UndecidedRequest, offered: OfferedChoices): Sheet {
	const { quiet } = request.record;
	const { interaction } = request;
	const obstacle = readObstacle(request, offered);
	const sheet = quiet
		? quietSheet(quiet)
		: isQuestion(interaction)
			? questionSheet(interaction)
			: permissionSheet(interaction, choicesOf(request, offered));
	return obstacle === undefined ? sheet : { ...omit(sheet, 'field'), choices: [], obstacle };
}

export const explainObstacle = ({ kind }: Sheet, because: string): string =>
	kind === 'permission'
		? `You can’t decide this here: ${because}. Decide it in the dashboard.`
		: `You can’t answer this here: ${because}. Answer it in the dashboard.`;

const NOTHING = { covers: [], change: [], remarks: [], facts: [] };

const ABORT_HINT = 'Ends the agent’s work. The workflow gets an error.';

const quietSheet = (quiet: Quiet): Sheet => ({
	...NOTHING,
	kind: 'quiet',
	says: describeSilence(quiet),
	heading: 'What should happen to the quiet session?',
	wants: quiet.latest ? [quiet.latest] : [],
	quietSince: quiet.since,
	choices: QUIET_CHOICES.map((name): Choice => ({
		name,
		...(name === MESSAGE && { takesText: true }),
		...(name === ABORT && { hint: ABORT_HINT }),
		vote: { decision: 'answer', option: name, choice: 'Answer' },
	})),
	field: { label: 'Message', hint: 'The agent gets it.' },
});

const minor = (label: string, text: string): Fact => ({ label, text, isMinor: true });

const optionChoice = ({ value, label, description }: AgentQuestion['options'][number]): Choice => ({
	words: label,
	...(description !== undefined && { description }),
	vote: { decision: 'answer', option: value, choice: 'Answer' },
});

function questionSheet(interaction: Interaction): Sheet {
	const { text, others, options } = readQuestion(interaction);
	const hasText = text !== '';
	// The names of fields are the agent's words too.
	const fields = others.map(({ name, value }) => ({
		label: 'Field',
		text: `${name}: ${toText(value)}`,
		...(isObject(value) && { value: { [name]: value } }),
	}));
	return {
		...NOTHING,
		kind: 'question',
		says: 'asks a question',
		heading: 'Answer this question',
		wants: hasText ? [{ label: 'Question', text }] : [],
		remarks: hasText ? [] : ['The question has no text'],
		facts: [...fields, minor('Type', interaction.type), minor('Request ID', interaction.id)],
		choices: options.map(optionChoice),
		...(options.length === 0 && { field: { label: 'Your answer' } }),
	};
}

const numbered = (label: string, texts: readonly string[]): Fact[] =>
	texts.map((text, index) => ({
		label: texts.length === 1 ? label : `${label} ${index + 1} of ${texts.length}`,
		text,
	}));

function findTexts(interaction: Interaction, name: string): string[] {
	const { metadata } = interaction;
	const found = [interaction, isRecord(metadata) ? metadata : {}].map((place) => place[name]);
	return [...new Set(found)].filter(
		(each): each is string => typeof each === 'string' && each !== '',
	);
}

/** Returns the commands or files of a permission request. Its other patterns are apart if it has a command. */
export function findTargets(interaction: Interaction): Pick<Sheet, 'wants' | 'covers'> & {
	shownAs: ShownAs;
} {
	const { permission, patterns } = interaction;
	const list = Array.isArray(patterns) ? patterns : patterns === undefined ? [] : [patterns];
	const texts = list.map(toText);
	const commands = findTexts(interaction, 'command').filter((text) => !texts.includes(text));
	const known = readPermission(toText(permission))?.shownAs ?? 'other';
	if (commands.length === 0)
		return { shownAs: known, wants: numbered(REQUEST_WORDS[known].label, texts), covers: [] };
	return {
		// A command is never shown as a file.
		shownAs: known === 'command' ? known : 'other',
		wants: numbered('Command', commands),
		covers: numbered('Pattern', texts),
	};
}

function permissionSheet(interaction: Interaction, choices: Choice[]): Sheet {
	const permission = { label: 'Permission', text: toText(interaction.permission ?? '') };
	const { shownAs, wants, covers } = findTargets(interaction);
	const { verbs }: RequestWords = REQUEST_WORDS[shownAs];
	const verb = verbs?.[wants.length > 1 ? 1 : 0] ?? 'do this';
	const [folder] = findTexts(interaction, 'cwd');
	const change = readChange(interaction);
	return {
		kind: 'permission',
		says: `wants to ${verb}`,
		heading: capitalize(verb),
		...(!verbs && { named: permission }),
		wants,
		...(folder !== undefined && { folder }),
		covers,
		change,
		remarks: [
			...(wants.length === 0 ? ['No command or path given'] : []),
			...(shownAs === 'edit' && change.length === 0
				? ['The change isn’t shown here, because the service didn’t send it']
				: []),
		],
		facts: [permission, ...listFacts(interaction)],
		choices,
	};
}

/** Returns all fields of a permission request that nothing else shows as a text. */
function listFacts(interaction: Interaction): Fact[] {
	const { response, metadata, command, cwd } = interaction;
	const { instruction, scope } = isRecord(response) ? response : {};
	const fields = {
		Instruction: instruction,
		Scope: scope,
		...(typeof command !== 'string' && { Command: command }),
		...(typeof cwd !== 'string' && { Folder: cwd }),
		Metadata: metadata,
		'Other details': listRest(interaction),
	};
	const facts = Object.entries(fields).flatMap(([label, value]): Fact[] => {
		const text = value === undefined ? '' : toText(value);
		return text === '' || text === '{}' ? [] : [{ label, text, ...(isObject(value) && { value }) }];
	});
	return [...facts, minor('Request ID', interaction.id), ...describeOptions(response)];
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

/** Returns the fields that no other fact shows. */
function listRest(interaction: Interaction): object {
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
	return {
		...omit(interaction, ...KNOWN_FIELDS),
		...(!isKnown && { response: around }),
	};
}

function describeOptions(response: unknown): Fact[] {
	const { options } = isRecord(response) ? response : {};
	const listed = Array.isArray(options) ? options.filter(isRecord) : [];
	return listed.map(({ value, label, description }): Fact => {
		const [name = '', other] = [label, value].filter((each) => each !== undefined).map(toText);
		const words = other === undefined ? name : `${name} (${other})`;
		return description === undefined || description === ''
			? minor('Option', words)
			: { label: 'Option', text: `${words}: ${toText(description)}` };
	});
}

const AFTER_TEXTS: Record<AnswerDeadline['after'], [one: string, several: string]> = {
	deny: ['the request is denied', 'open requests are denied'],
	abort: ['the session is aborted', 'the session is aborted'],
	error: ['the workflow stops with an error', 'the workflow stops with an error'],
};

const MAX_ANSWER_SHOWN = 80;

/** Returns what happens after a deadline. @param questions how many of the requests are questions, which can't be denied */
export function describeAfter(
	{ after, answer }: AnswerDeadline,
	requests: number,
	questions = 0,
): string {
	if (after !== 'deny' || questions === 0) return AFTER_TEXTS[after][requests === 1 ? 0 : 1];
	const [ends] = AFTER_TEXTS.error;
	const answered =
		answer !== undefined &&
		`a question is answered with ${quoteVisible(answer, MAX_ANSWER_SHOWN)}, or ${ends}`;
	if (questions === requests) return answered || ends;
	return `open requests are denied, and ${answered || `for an open question, ${ends}`}`;
}

export const formatLimit = (ms: number): string =>
	ms < 3_600_000
		? pluralize(Math.round(ms / 6_000) / 10, 'minute')
		: pluralize(Math.round(ms / 36_000) / 100, 'hour');

function createFormat(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
	try {
		return new Intl.DateTimeFormat('en-US', { ...options, timeZone });
	} catch {
		return new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' });
	}
}

/** Returns a time such as `6:00 PM`, with the date unless it's the day of `today`, and the zone. Unknown zones count as UTC. */
export function formatMoment(
	at: number,
	timeZone = 'UTC',
	today?: number,
): { time: string; zone: string } {
	const date = createFormat(timeZone, { year: 'numeric', month: 'short', day: 'numeric' });
	const hours = createFormat(timeZone, { hour: 'numeric', minute: '2-digit' });
	const { timeZone: zone } = date.resolvedOptions();
	if (!Number.isFinite(at) || Math.abs(at) > 8.64e15) return { time: 'an unknown time', zone };
	const isToday = today !== undefined && date.format(at) === date.format(today);
	const year = today !== undefined && date.format(at).slice(-4) === date.format(today).slice(-4);
	const day = year ? date.format(at).replace(/, \d+$/, '') : date.format(at);
	const time = hours.format(at).replace(/\s/g, ' ');
	return { time: isToday ? time : `${day}, ${time}`, zone };
}
