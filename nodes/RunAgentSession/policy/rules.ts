import { ANY, escapePattern, Glob, hasWildcard, parsePattern } from '../../shared/globs';
import type { OptionPreferences } from '../../shared/approvals/options';
import { type Kind, findObstacle } from '../../shared/approvals/interaction';
import { isSameRequest } from '../../shared/approvals/rememberedRequest';
import { getOrAdd, lazily, oncePer, isRecord, quoteText } from '../../shared/values';
import { MAX_REQUEST_TEXTS, MAX_TEXT_CHARACTERS, MAX_TEXTS } from '../../shared/limits';
import { approveAddresses, denyAddresses } from './addresses';
import { approveCommands, denyCommands } from './commandRules';
import { approvePaths, approveSearches, denyPaths } from './paths';
import { type Decision, type Rule, doubt, NO, YES, type Reach } from './rule';
import { findUnreadable, readRequest, type ComparedRequest, type ComparedText } from './texts';

// Decides requests. Never throws for the service's data: approvers decide requests that rules can't read.

export interface Policy extends OptionPreferences {
	mode: 'ask' | 'approve' | 'deny' | 'rules';
	rules: Rule[];
	/** Evaluated after `rules` */
	moreRules?: readonly Rule[];
	defaultDecision: Decision;
}

/** Returns the policy without rules that have expired: the same one if none has. */
export function withoutExpired(policy: Policy, now: number): Policy {
	const { moreRules = [] } = policy;
	const current = moreRules.filter(({ expiresAt = Infinity }) => now < expiresAt);
	return current.length === moreRules.length ? policy : { ...policy, moreRules: current };
}

export interface SettledRuling {
	decision: 'approve' | 'deny';
	/** `policy`, `rule 2`, `more rule 2`, `rule 1 and rule 2`, `default decision`, `answer` or `page` */
	decidedBy: string;
	/** Which rule decided which part */
	because?: string;
	comment?: string;
}

export interface AskVerdict {
	decision: 'ask';
	because: string;
	/** Missing if no setting could decide */
	decidedBy?: string;
}

export type Ruling = SettledRuling | AskVerdict;

export const askVerdict = (because: string, decidedBy?: string): AskVerdict => ({
	decision: 'ask',
	because,
	...(decidedBy !== undefined && { decidedBy }),
});

const DEFAULT_DECISION = 'default decision';
const DECIDES = { approve: 'approves', deny: 'denies', ask: 'asks for approval of' };
const MAX_NAMED = 3;

/** Decision about one text, or about one part of a command */
interface TextRuling {
	decision: Decision;
	decidedBy: string;
	because: string;
	/** True for a part such as `true` that no rule is about */
	doesNothing?: boolean;
}

interface Matcher {
	/** Words, names or a host, of which a text of a kind has one. Undefined if it's compared with each. */
	keys(kind: Kind): readonly string[] | undefined;
	reach(text: ComparedText, request: ComparedRequest, isDoubted: boolean): Reach;
}

const PERMISSION = /^[\p{L}\p{N}_.:-]*$/u;

/** Compares a pattern with texts that it approves. Each form is made when a text needs it. */
function compileApproval(pattern: string): Matcher {
	const paths = lazily(() => approvePaths(pattern));
	const searches = lazily(() => approveSearches(pattern));
	const addresses = lazily(() => approveAddresses(parsePattern(pattern.trim())));
	const commands = lazily(() => approveCommands(pattern));
	return {
		keys: (kind) => (kind === 'commands' ? commands().keys : undefined),
		reach({ text, approvedAs, path, address, command }, { permission }) {
			if (approvedAs === 'searches') return searches()(text, permission);
			if (approvedAs === 'paths') return path ? paths()(path) : NO;
			if (approvedAs === 'addresses') return address ? addresses().reach(address) : NO;
			return command ? commands().reach(command, text) : NO;
		},
	};
}

/** Compares a pattern with texts that it denies, in each way in which they can be read: one denial is enough. */
function compileDenial(pattern: string): Matcher {
	const parsed = parsePattern(pattern.trim());
	const paths = lazily(() => denyPaths(parsed));
	const addresses = lazily(() => denyAddresses(parsed));
	const commands = lazily(() => denyCommands(pattern));
	const forms = { paths, addresses, commands };
	return {
		keys: (kind) => (kind === 'searches' ? undefined : forms[kind]().keys),
		reach({ approvedAs, path, address, command }, request, isDoubted) {
			const pathReach = path ? paths().reach(path) : NO;
			if (pathReach.reach === 'yes' || (address && addresses().covers(address))) return YES;
			const commandReach = command
				? commands().reach(command, request.commands, request.words, isDoubted)
				: NO;
			if (commandReach.reach !== 'no') return commandReach;
			if (pathReach.reach !== 'no') return pathReach;
			if (approvedAs === 'searches') return doubt('rules compare a search only as a whole');
			// A text that can be anything may be no address.
			return approvedAs === 'addresses' && address && !address.isKnown
				? doubt("its address can't be read")
				: NO;
		},
	};
}

/** Compiles a rule, and spares the next requests that. */
const compileRule = oncePer((rule: Rule) => {
	const { isLiteral, hasValues, request } = rule;
	const isApproval = rule.decision === 'approve';
	const toPattern = (text: string) => (isLiteral ? escapePattern(text) : text);
	const fold = (text: string) => (isApproval ? text : text.trim().toLowerCase());
	const permissionPattern = isLiteral ? toPattern(rule.permission) : rule.permission.trim();
	const permission = new Glob(fold(parsePattern(permissionPattern)));
	const isLimited = isApproval && permission.text !== ANY && hasWildcard(permission.text);
	const pattern = toPattern(rule.pattern);
	const parsed = parsePattern(pattern);
	return {
		rule,
		/** Texts that it matches character by character */
		exact: [...(hasValues ? [] : [rule.pattern]), ...(hasWildcard(parsed) ? [] : [parsed])],
		/** True if it matches any text */
		isEverything: parsed.trim() !== '' && parsed.replaceAll(ANY, '').trim() === '',
		isFor: (requestPermission: string): boolean =>
			request !== undefined ||
			(permission.matches(fold(requestPermission)) &&
				(!isLimited || PERMISSION.test(requestPermission))),
		matcher: lazily(() => (isApproval ? compileApproval : compileDenial)(pattern)),
	};
});

interface IndexedRule extends ReturnType<typeof compileRule> {
	at: number;
	name: string;
}

/** Returns rules in their order, each once. */
const inOrder = (rules: readonly IndexedRule[]): IndexedRule[] =>
	[...rules]
		.sort((one, other) => one.at - other.at)
		.filter(({ at }, index, all) => at !== all[index - 1]?.at);

/** Sorts rules by how a text or a request finds them. */
function sortRules(rules: readonly IndexedRule[], kind: Kind | undefined) {
	const byHash = new Map<string, IndexedRule[]>();
	const byText = new Map<string, IndexedRule[]>();
	const byKey = new Map<string, IndexedRule[]>();
	const always: IndexedRule[] = [];
	for (const each of rules) {
		const { request } = each.rule;
		if (request) {
			getOrAdd(byHash, request.hash, () => []).push(each);
			continue;
		}
		for (const text of each.exact) getOrAdd(byText, text, () => []).push(each);
		const keys = kind && !each.isEverything ? each.matcher().keys(kind) : undefined;
		for (const key of keys ?? []) getOrAdd(byKey, key, () => []).push(each);
		if (!keys) always.push(each);
	}
	return { byHash, byText, byKey, always };
}

/**
 * Returns functions that find the rules that can be about a text, in their order: it isn't compared with each of them.
 * @param kind undefined if a text of this permission can be of each
 */
function indexRules(rules: readonly IndexedRule[], permission: string, kind: Kind | undefined) {
	const applying = rules.filter((each) => each.isFor(permission));
	const { byHash, byText, byKey, always } = sortRules(applying, kind);
	const everything = always.filter(({ isEverything }) => isEverything);
	const denials = applying.filter(({ rule }) => rule.decision !== 'approve');
	const keyGlobs = [...byKey].map(([key, keyRules]) => ({ key: new Glob(key), keyRules }));

	function findKeyed({ command, path, address }: ComparedText) {
		const start = command && (command.words[0] ?? command.text.trim().split(/\s/, 1)[0]);
		if (denials.length === 0) return byKey.get(start ?? '') ?? [];
		// Any denial leaves what can't be read to an approver.
		const isUnread = command?.unread() !== undefined || path?.hasOtherNotation;
		if (isUnread || address?.isKnown === false)
			return [...denials, ...(byKey.get(start ?? '') ?? [])];
		const places = command?.places() ?? path?.places;
		const words = [
			...(command ? [start!, ...command.names, ...command.others().programs] : []),
			...(places?.names ?? []),
			...(address?.hosts ?? []),
		];
		const found = new Set(words.map((word) => byKey.get(word) ?? []));
		const globs = [...(command?.others().globs.values() ?? []), ...(places?.globs.flat() ?? [])];
		if (globs.length > 0)
			for (const { key, keyRules } of keyGlobs)
				if (globs.some((glob) => key.canMeet(glob))) found.add(keyRules);
		return [...found].flat();
	}

	return {
		firstDenial: denials[0] as IndexedRule | undefined,
		find: (text: ComparedText) =>
			inOrder([...always, ...(byText.get(text.text) ?? []), ...findKeyed(text)]),
		/** Returns the rules that match a text whatever it is. */
		findWhole: (text: string) => inOrder([...everything, ...(byText.get(text) ?? [])]),
		findRemembered(whole: ComparedRequest['whole']): IndexedRule[] {
			const request = byHash.size > 0 ? whole() : undefined;
			return (request ? (byHash.get(request.hash) ?? []) : []).filter(({ rule }) =>
				isSameRequest(rule.request!, request!),
			);
		},
	};
}

type RuleIndex = ReturnType<typeof indexRules>;

/** Returns the decision of a rule that covers a text. */
const ruledBy = ({ name, rule }: IndexedRule, text: string): TextRuling => ({
	decision: rule.decision,
	decidedBy: name,
	because: `${name} ${DECIDES[rule.decision]} ${quoteText(text)}`,
});

/**
 * Applies the first rule that reaches a text. Behind a rule that denies or asks, and may reach it, an approver decides unless a later
 * one denies.
 */
function ruleText(
	text: ComparedText,
	rules: readonly IndexedRule[],
	request: ComparedRequest,
	defaultDecision: Decision,
): TextRuling {
	const quotedText = quoteText(text.shownText);
	let doubtRuling: TextRuling | undefined;
	let heldBecause: string | undefined;
	for (const each of rules) {
		const { name, rule, isEverything, exact } = each;
		const { decision, pattern } = rule;
		const isWhole = rule.request ?? (isEverything || exact.includes(text.text));
		const reachOfText = isWhole
			? YES
			: each.matcher().reach(text, request, doubtRuling !== undefined);
		if (reachOfText.reach === 'yes') {
			return doubtRuling && decision !== 'deny' ? doubtRuling : ruledBy(each, text.shownText);
		}
		if (reachOfText.reach === 'doubt')
			doubtRuling ??= {
				decision: 'ask',
				decidedBy: name,
				because: `${name} ${DECIDES[decision]} ${quoteText(pattern)}, and may mean ${quotedText}: ${reachOfText.because}`,
			};
		if (reachOfText.reach === 'held')
			heldBecause ??= `${name} doesn't approve ${quotedText}: ${reachOfText.because}`;
	}
	if (doubtRuling && defaultDecision !== 'deny') return doubtRuling;
	return {
		decision: defaultDecision,
		decidedBy: DEFAULT_DECISION,
		because: heldBecause ?? `no rule covers ${quotedText}`,
		doesNothing: text.command?.doesNothing,
	};
}

/** Applies the rules that need no comparison: exact texts and `*`. */
function ruleTooMuch(text: string, index: RuleIndex, also: IndexedRule[]): TextRuling {
	const { findWhole, firstDenial } = index;
	const [first] = inOrder([...findWhole(text), ...also]);
	if (first && (first.rule.decision !== 'approve' || first.at < (firstDenial?.at ?? Infinity)))
		return ruledBy(first, text);
	const decidedBy = firstDenial?.name ?? DEFAULT_DECISION;
	return { decision: 'ask', decidedBy, because: "it's too much for rules" };
}

/** Joins different texts, and counts those after the first few. */
function joinUnique(rulings: TextRuling[], name: 'decidedBy' | 'because', joint: string): string {
	const unique = [...new Set(rulings.map((each) => each[name]))];
	const others = unique.length - MAX_NAMED;
	return [...unique.slice(0, MAX_NAMED), ...(others > 0 ? [`${others} more`] : [])].join(joint);
}

/** Joins the rulings of a request's texts. One denial denies, and one "ask" asks. */
function joinRulings(rulings: readonly TextRuling[]): Ruling {
	// A part that does nothing needs no rule beside others.
	const doing = rulings.filter(({ doesNothing }) => !doesNothing);
	const counting = doing.length > 0 ? doing : rulings;
	const order: Decision[] = ['deny', 'ask', 'approve'];
	const decision = order.find((each) => counting.some((one) => one.decision === each))!;
	const deciding = counting.filter((one) => one.decision === decision);
	return {
		decision,
		decidedBy: joinUnique(deciding, 'decidedBy', ' and '),
		because: joinUnique(deciding, 'because', ', '),
	};
}

/** Returns a function that decides the requests of one reading or call by rules. Each text is compared once. */
function createRuler(
	{ rules, moreRules = [], defaultDecision }: Policy,
	comparedTexts: Set<unknown>,
) {
	const compiled = [...rules, ...moreRules].map((rule, at): IndexedRule => {
		return { ...compileRule(rule), at, name: rule.name ?? `rule ${at + 1}` };
	});
	const indexes = new Map<string, RuleIndex>();
	/** By what else the texts are compared with */
	const contexts = new Map<string, Map<string, TextRuling[]>>();

	function listRulings(request: ComparedRequest): TextRuling[] {
		const { permission, isKnown, texts, context, whole, readText } = request;
		const indexFor = ({ approvedAs }: ComparedText): RuleIndex => {
			const kind = isKnown ? approvedAs : undefined;
			const make = () => indexRules(compiled, permission, kind);
			return getOrAdd(indexes, `${kind} ${permission}`, make);
		};
		const also = indexFor(texts[0]).findRemembered(whole);
		const others = [context, ...also.map(({ at }) => at)].join(' ');
		const rulings = getOrAdd(contexts, others, () => new Map<string, TextRuling[]>());
		const ruleWhole = (each: ComparedText) => ruleTooMuch(each.text, indexFor(each), also);

		function ruleParts(each: ComparedText): TextRuling[] {
			const parts = readText(each);
			if (parts.length > MAX_REQUEST_TEXTS) return [ruleWhole(each)];
			const { find } = indexFor(each);
			return parts.map((part) =>
				ruleText(part, inOrder([...find(part), ...also]), request, defaultDecision),
			);
		}

		function ruleOnce(each: ComparedText): TextRuling[] {
			const key = `${each.approvedAs} ${each.text}`;
			const knownRulings = rulings.get(key);
			if (knownRulings) return knownRulings;
			const isTooMuch = each.text.length > MAX_TEXT_CHARACTERS || comparedTexts.size >= MAX_TEXTS;
			if (isTooMuch) return [ruleWhole(each)];
			const partRulings = ruleParts(each);
			rulings.set(key, partRulings);
			comparedTexts.add(partRulings);
			return partRulings;
		}

		if (texts.length > MAX_REQUEST_TEXTS) return texts.map(ruleWhole);
		const found = texts.flatMap(ruleOnce);
		return found.length > MAX_REQUEST_TEXTS ? texts.map(ruleWhole) : found;
	}

	return (request: Record<string, unknown>): Ruling => {
		const unreadable = findUnreadable(request);
		if (unreadable !== undefined) return askVerdict(unreadable);
		return joinRulings(listRulings(readRequest(request)));
	};
}

/**
 * Returns a function that applies a policy to the requests of one reading or call. Only rules need a permission and patterns, and
 * leave a request without them to an approver.
 * @param comparedTexts what other policies of the same call have compared
 */
export function createJudge(
	policy: Policy,
	comparedTexts = new Set<unknown>(),
): (interaction: unknown) => Ruling {
	const { mode } = policy;
	const ruleRequest = lazily(() => createRuler(policy, comparedTexts));
	return (interaction) => {
		const obstacle = findObstacle(interaction);
		if (obstacle !== undefined || !isRecord(interaction)) return askVerdict(String(obstacle));
		if (mode === 'ask') return askVerdict('the permission policy asks for approval', 'policy');
		if (mode !== 'rules') return { decision: mode, decidedBy: 'policy' };
		return ruleRequest()(interaction);
	};
}
