// Phrases that must not come back, with the words to use: the table of the style guide.

/** Each phrase, and what to write instead */
const PHRASES: Array<[phrase: RegExp, instead: string]> = [
	[/\b(go(es|ing)?|went|gone) on\b/i, 'continue, resume, next'],
	[/\b(take|takes|taking|took|taken) up\b/i, 'resume'],
	[/\b(come|comes|coming|came) (back|out)\b/i, 'return, resume'],
	[/\b(lead|leads|leading|led) (back|into|somewhere|nowhere)\b/i, 'connect'],
	[/\bwir(ed|ing)\b/i, 'connected, connection'],
	[/\b(hand|hands|handed|handing) on\b/i, 'pass, return'],
	[/\bpark(s|ed|ing)?\b/i, 'pause, paused'],
	[/\bput(s|ting)? off\b/i, 'pause, postpone'],
	[/\b(look|looks|looked|looking) (at|after|whether)\b/i, 'poll, check'],
	[/\bnot known (whether|what|yet)\b/i, 'may have'],
	[/\btime is over\b|\bin its time\b/i, 'times out'],
	[/\bwhat (is|was) (asked|watched|decided|to be done|left)\b/i, 'name the thing'],
	[/\bwhat(ever)? follows\b/i, 'the next node'],
	[/\b(whoever|somebody|whomever)\b/i, 'the approver, someone, anyone'],
	[/\b(whatever|whichever)\b/i, 'any, every, even if'],
	[/\bsay(s|ing)? (yes|no)\b/i, 'approve, deny'],
	[/\bpermit(s|ted|ting)?\b/i, 'approve, allow'],
	[/\bdeclin(e|es|ed|ing)\b/i, 'deny'],
	[/\bpermission requests?\b/i, 'approval request'],
	[/\b(a|the) human\b/i, 'the approver'],
	[/\bswitch(es|ed)? (it |them )?on\b/i, 'publish, turn on'],
	[/\bstand-in\b|\blocal service\b/i, 'local mock service'],
	[/\bblip\b|\bnonsense\b/i, 'network error, invalid response'],
	[/\bweakness(es)?\b/i, 'vulnerability'],
	[/\bmistakes?\b/i, 'invalid value, error'],
	[/\bmails?\b/i, 'email'],
	[/\bseveral machines\b/i, 'queue mode'],
	[/\b(is|are|was|were) told\b/i, 'name who says it'],
	[/\bspeaks? (of|about|against)\b/i, 'match, mention'],
	[/\bstand(s)? (for|in|between)\b/i, 'represent, is in'],
	[/\bwait(s|ed|ing)? out\b/i, 'retry after'],
	[/\bof (its|their|your|his) own\b/i, 'own, separate'],
	[/\bas well\b/i, 'also'],
	[/\bbroke(n)? off\b|\bbreaks? off\b/i, 'fail, end'],
	[/\bshall\b/i, 'must, should'],
	[
		/\b(behaviour|colou?red by|colour|favour|recognise|cancelled|cancelling|honour)\w*/i,
		'American spelling',
	],
];

/** Texts in which a phrase is right, with the reason */
const ALLOWED: Array<[text: string, reason: string]> = [
	['decline and declined', 'words of an answer that the node understands'],
];

const withoutAllowed = (text: string): string =>
	ALLOWED.reduce((rest, [allowed]) => rest.replaceAll(allowed, ''), text);

/** Returns the phrases in texts, with the place and the words to use. */
export const findPhrases = (texts: Map<string, string[]>): string[] =>
	[...texts].flatMap(([where, blocks]) =>
		blocks.flatMap((block) =>
			PHRASES.flatMap(([phrase, instead]) => {
				const found = phrase.exec(withoutAllowed(block));
				return found ? [`${where}: "${found[0]}" (use ${instead}) in: ${block.slice(0, 120)}`] : [];
			}),
		),
	);
