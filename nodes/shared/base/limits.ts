// Every bound on what somebody else could make endless: the service, an agent, or a workflow that hands on what they wrote.
// Limits that the service itself sets (entries of a page, bytes of a new file) stand where they are checked.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const MIB = 1024 * 1024;

export const LIMITS = {
	// Times in milliseconds
	/** One attempt at a request, from its first byte to its last */
	attemptMs: MINUTE,
	/** The least that an attempt gets, however little is left */
	shortestAttemptMs: SECOND,
	/** A request with all that is tried again; a poll goes on until Max Wait */
	callMs: 5 * MINUTE,
	/** A wait between two attempts: ours, where the service asks for none; never less than the first */
	firstDelayMs: SECOND,
	longestDelayMs: 30 * SECOND,
	/** What a timer takes; a longer delay would fire at once */
	timerMs: 2 ** 31 - 1,
	/** Reading a session: a poll that hangs is worth less than the next one */
	sessionReadMs: 30 * SECOND,
	/** A look at one that n8n parks in between, with what is tried again: n8n that is killed during it needs a retry */
	lookMs: 15 * SECOND,
	/** Starting one, however short Max Wait is: cut off, it would leave a session that nobody knows */
	sessionStartMs: 2 * MINUTE,
	/** Deciding what the last look before the end of Max Wait found */
	decisionsMs: 30 * SECOND,
	/** Aborting one, when nobody waits for it any more */
	abortMs: 30 * SECOND,
	/** A look into an open list, in front of which somebody waits */
	pickerMs: 20 * SECOND,
	/** All of a download: what takes longer would outlast its URL soon */
	downloadMs: 5 * MINUTE,
	/** How long a new turn, a resolved interaction and a new file may take to show */
	turnMs: 30 * SECOND,
	resolvedMs: 10 * SECOND,
	fileMs: 30 * SECOND,

	// Counts
	/** Attempts at a request; a 429 does not count, its waits end with the time */
	callAttempts: 5,
	abortAttempts: 3,
	downloadAttempts: 4,
	/** Pages of a list: more than any workflow could hold */
	listPages: 10_000,
	/** Empty ones in a row: a service may filter a page down to nothing, but not for ever */
	emptyPages: 20,
	/** Pages that one look into a list may cost; the editor asks for more when somebody scrolls */
	pickerPages: 20,
	/** Decisions of a session: an agent that asks more often has lost its way */
	decisions: 1_000,
	/** Interactions that are looked at in one reading of a session */
	interactions: 100,
	/** Polls after which a resolved interaction that is still listed is one that the service waits for */
	pollsResolved: 4,
	/** Polls without it that bear out that an interaction was resolved, where the answer to its decision was lost */
	pollsConcluded: 2,
	/** Options of an interaction that a person could choose from */
	options: 1_000,
	/** Comparisons of a character for the rules of one reading: about a fifth of a second */
	comparisons: 10_000_000,

	// Sizes in bytes, as they are after unpacking
	/** A response: a file as text, of 10 MiB at most (API document, Limits), with every character escaped */
	responseBytes: 64 * MIB,
	/** The 100,000 rows that a query returns at most (API document, Limits) */
	rowsBytes: 256 * MIB,
	/** A download: ten times what a file may have when it is created */
	downloadBytes: 100 * MIB,

	// Lengths in UTF-16 units
	/** Foreign text in an error or a line of the log */
	excerpt: 200,
	/** The service's own words in an error */
	message: 500,
	/** A value of the execution's custom data */
	customData: 512,
	id: 255,
	url: 2_000,
	/** A permission request that is compared with rules: permission and patterns together */
	request: 100_000,
	/** The value or label of an option; it is unclear what a longer one says */
	option: 1_000,
	/** A person's answer; most need a word */
	answer: 200,
	/** A question: Slack refuses a section of more (Telegram and WhatsApp one of 4,096) */
	question: 3_000,
} as const;

export const inMib = (bytes: number): string => `${bytes / MIB} MiB`;
export const inSeconds = (ms: number): string => `${ms / SECOND} seconds`;
