import type { GuardedText } from './patterns';

// What a shell would make of a request's text, as far as rules have to know it. Too much is asked rather than too little.

/** What no wildcard of a rule that approves stands for. */
const GUARDED: ReadonlyArray<[what: string, where: RegExp]> = [
	// It would hide what the rule says after its wildcard.
	['a comment', /(?<![^\s;&|()<>])#/gu],
	// fish runs what stands in parentheses, too.
	['a second command', /[;&|()`\n\r\v\f\u0085\u2028\u2029]+|\$(?=\()/gu],
	['a redirection or a variable', /[<>$]+/gu],
	// The shell takes quotes away, and a URL may have the dots encoded.
	['a way out of its folder', /(?<![\p{L}\p{N}.])(?:\.|%2e)['"\\]*(?:\.|%2e)(?![\p{L}\p{N}.])/giu],
	['a wildcard', /[*?[{]+/gu],
	['a control character', /[^\P{Cc}\t\n\r\v\f\u0085]/gu],
];

/** Why a text is not covered by wildcards that would match it otherwise. */
export const findGuarded = (text: string): string[] =>
	GUARDED.filter(([, where]) => text.search(where) >= 0).map(([what]) => what);

/** A text as a rule that approves has to match it. */
export function guardText(text: string): GuardedText {
	const hide = (rest: string, [, where]: (typeof GUARDED)[number]) =>
		rest.replace(where, ({ length }) => '\0'.repeat(length));
	const guarded = [...GUARDED.reduce(hide, text)].map((character) => character === '\0');
	return { characters: [...text], guarded };
}

const SEPARATOR = /[;&|<>()`\n\r\v\f\u0085\u2028\u2029]+|\$(?=[({])|\s-(?:exec|ok)(?:dir)?\s/u;
const RUNNERS = new Set(
	'sudo doas su env command exec builtin eval nohup nice time timeout setsid xargs find bash sh zsh dash ksh fish busybox if then else elif do while until ! {'.split(
		' ',
	),
);
const ASSIGNMENT = /^\w+\+?=/;
/** Words after `sudo` and the like of which each may be the command: there are options with a value of their own. */
const MAX_WORDS = 12;

const removePath = (word: string) => word.replace(/^.*[/\\](?=.)/su, '');

/** A command, and what it runs if it is `sudo`, `env` or the like; each without the path of its first word. */
function* listInvocations(command: string): Generator<string> {
	const words = command.split(/\s+/u).filter(Boolean);
	if (words.length === 0) return;
	const runs = RUNNERS.has(removePath(words[0])) || ASSIGNMENT.test(words[0]);
	const last = runs ? Math.min(words.length - 1, MAX_WORDS) : 0;
	for (let at = 0; at <= last; at++) {
		const rest = words.slice(at).join(' ');
		yield rest;
		const name = removePath(words[at]);
		if (name !== words[at]) yield name + rest.slice(words[at].length);
	}
}

/** A text and all that it may run, in lower case, as a rule that denies or asks has to look at it. */
export function* listCommands(text: string): Generator<string> {
	const lower = text.toLowerCase();
	yield lower;
	const joined = lower.replace(/\\\r?\n/g, '').replace(/\$(?:ifs|\{ifs\})/g, ' ');
	for (const part of joined.split(SEPARATOR).filter((each) => each.trim() !== '')) {
		const unquoted = part.replace(/['"\\]/g, '');
		// As it stands, as it is without quotes, and with the words between braces apart
		for (const read of new Set([part, unquoted, unquoted.replace(/[{},]/g, ' ')]))
			yield* listInvocations(read);
	}
}
