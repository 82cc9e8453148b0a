// How much the nodes read. Each limit is enforced in one place.

const MEBIBYTE = 2 ** 20;

/** Bytes of a response, after unpacking */
export const MAX_RESPONSE_BYTES = 16 * MEBIBYTE;

/** Bytes of a session, which is polled every few seconds */
export const MAX_SESSION_BYTES = MEBIBYTE;

/** Bytes of an analytics result: the rows that a query returns at most (API document, Limits) */
export const MAX_ANALYTICS_BYTES = 256 * MEBIBYTE;

/** Bytes of a file that is created (API document, Limits) */
export const MAX_FILE_BYTES = 10 * MEBIBYTE;

/** Bytes of a response with the text of a file, with every character escaped */
export const MAX_FILE_TEXT_BYTES = 64 * MEBIBYTE;

/** Bytes of a download: ten times the limit on created files */
export const MAX_DOWNLOAD_BYTES = 100 * MEBIBYTE;

/** Entries of a page of a list (API document, Limits) */
export const MAX_PAGE_SIZE = 100;

/** Pages of a list */
export const MAX_PAGES = 10_000;

/** Entries that the trigger watches, and reads at each poll */
export const MAX_WATCHED_ENTRIES = 20_000;

/** Entries of a list in the panel, and characters of its JSON */
export const MAX_LIST_ENTRIES = 1_000;
export const MAX_LIST_CHARACTERS = 8 * MEBIBYTE;

/** Rules of a policy, of all its fields together */
export const MAX_RULES = 1_000;

/** Characters of a rule's pattern */
export const MAX_PATTERN_CHARACTERS = 4_096;

/** Different texts that rules are compared with, in one reading of a session or one call of Try Rules */
export const MAX_TEXTS = 500;

/** Characters of each of these texts */
export const MAX_TEXT_CHARACTERS = 4_096;

/** Patterns of a request, and parts of its commands, that rules are compared with */
export const MAX_REQUEST_TEXTS = 100;

/** Levels of a session's body */
export const MAX_SESSION_LEVELS = 20;

/** Bytes of one pending request's JSON */
export const MAX_REQUEST_BYTES = 65_536;

/** Pending requests of a session at once */
export const MAX_PENDING = 100;

/** Characters of JSON of the requests of other sessions that an approval page shows */
export const MAX_OTHERS_CHARACTERS = 65_536;

/** Bytes and fields of the approval page's form */
export const MAX_FORM_BYTES = 65_536;
export const MAX_FORM_FIELDS = 200;
