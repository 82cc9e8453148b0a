// How much the nodes read. Each limit is enforced in one place.

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
