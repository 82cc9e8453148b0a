import type { RememberedRequest } from '../../shared/approvals/rememberedRequest';
import { WorkspaceAutomationError } from '../../shared/errors';
import { escapePattern } from '../../shared/globs';
import { MAX_PATTERN_CHARACTERS, MAX_RULES } from '../../shared/limits';
import {
	entryChoice,
	entrySwitch,
	entryText,
	isBlank,
	listEntries,
	listRows,
	readEntries,
	readValues,
	type EntryList,
	type ReadValue,
	type RefuseEntry,
} from '../../shared/n8n/entries';
import {
	type FieldSource,
	isEntered,
	readParameter,
	type Field,
	type Panel,
} from '../../shared/n8n/fields';
import { isRecord, isString } from '../../shared/values';
import { hasOpenHost } from '../policy/addresses';
import type { Decision, Rule } from '../policy/rule';
import type { Approver, TeamSettings } from '../requests/ballots';
import {
	approvalsNeeded,
	approvers,
	askBackupsAfter,
	maxReminders,
	remindAfter,
	teamOptions,
} from './teamFields';

// Reads the lists of entries: Rules, More Rules and Approvers.

const RULES: EntryList = {
	label: 'Rules',
	noun: 'rule',
	help: 'Enter a permission, or * for every permission, and a pattern, or * for everything. Then choose a decision.',
};

const MORE_RULES: EntryList = {
	label: 'More Rules',
	noun: 'rule',
	help: 'A rule looks like {"permission": "bash", "pattern": "git status", "decision": "approve"}. It can have "wildcard": true and "expires": "2027-01-31T00:00:00Z", with a time zone. A remembered request from rulesToRemember or suggestedRule is also a rule.',
};

const RULE = {
	permission: entryText(),
	pattern: entryText(MAX_PATTERN_CHARACTERS),
	decision: entryChoice<Decision>(['approve', 'deny', 'ask']),
};

/** @throws WorkspaceAutomationError if both fields together have too many rules */
export function checkRuleCount(rules: readonly Rule[], moreRules: readonly Rule[]): void {
	if (rules.length + moreRules.length <= MAX_RULES) return;
	throw new WorkspaceAutomationError(
		"'Rules' and 'More Rules' have too many rules together",
		`Nothing was sent. Together, they can have ${MAX_RULES}. 'Rules' has ${rules.length}, and 'More Rules' ${moreRules.length}. Remove rules that have expired, or replace several by one with a wildcard.`,
	);
}

/** Refuses to approve hosts that anybody can register. */
function refuseOpenHost({ decision, pattern }: Rule, refuse: RefuseEntry): void {
	if (decision !== 'approve' || !hasOpenHost(pattern)) return;
	refuse(
		'has a host that ends with a wildcard',
		'Enter the whole host, such as https://docs.example.com/*. A wildcard at its end also matches other hosts.',
	);
}

/** Returns the pattern for a value after fixed text. A backslash at the end of that text stays one. */
const literalAfter = (before: string, value: string): string => {
	let backslashes = 0;
	while (before[before.length - 1 - backslashes] === '\\') backslashes++;
	return (backslashes % 2 === 1 ? '\\' : '') + escapePattern(value);
};

const isMissing = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

const isExpression = (raw: unknown): raw is string =>
	typeof raw === 'string' && raw.startsWith('=');

/** Treats fixed text as a pattern. Each value of an expression matches only itself, and an expression without a value nothing. */
const evaluated =
	(readFixed: ReadValue<string>, evaluate: FieldSource['evaluate']): ReadValue<string> =>
	(raw, refuse, name) => {
		if (!isExpression(raw)) return readFixed(raw, refuse, name);
		const advice = 'Check that the item that the expression reads from has that field.';
		const text = raw.slice(1).replace(/\{\{[^]*?\}\}/g, (expression, at: number, all: string) => {
			const value = evaluate(expression);
			if (isMissing(value)) return refuse(`has a ${name} without a value`, advice);
			// A date is a text between others, and a list or an object isn't.
			const valueText = String(value);
			return Array.isArray(value) || valueText.startsWith('[object ')
				? refuse(`needs a text as '${name}'`, advice)
				: literalAfter(all.slice(0, at), valueText);
		});
		return readFixed(text, refuse, name);
	};

/** Reads the field Rules. @throws WorkspaceAutomationError that names the rule, counted from 1 */
export function readRules(_label: string, value: unknown, { raw, evaluate }: FieldSource): Rule[] {
	const [rows, rawRows] = [value, raw].map((rules) => listRows(rules, 'rule').filter(isRecord));
	const unresolved = rows.map(({ decision, ...row }, index) => {
		const { permission, pattern } = rawRows[index] ?? row;
		return { permission, pattern, decision };
	});
	const schema = {
		permission: evaluated(RULE.permission, evaluate),
		pattern: evaluated(RULE.pattern, evaluate),
		decision: RULE.decision,
	};
	return readEntries(RULES, unresolved, (entry, refuse, index) => {
		const rule: Rule = readValues(schema, entry, refuse);
		refuseOpenHost(rule, refuse);
		return { ...rule, ...(isExpression(unresolved[index].pattern) && { hasValues: true }) };
	});
}

const DATE_TIME =
	/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** Returns whether a day exists. `Date.parse` reads February 30 as March 2. */
function isDay(day: string): boolean {
	const at = Date.parse(day);
	return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

const readExpiry: ReadValue<number | undefined> = (value, refuse) => {
	if (isMissing(value)) return undefined;
	const isRead = typeof value === 'string' && DATE_TIME.test(value) && isDay(value.slice(0, 10));
	const at = isRead ? Date.parse(value) : NaN;
	return Number.isNaN(at) ? refuse("needs an 'expires' with a date, a time and a time zone") : at;
};

const readRemembered: ReadValue<RememberedRequest> = (value, refuse) => {
	const { permission, patterns, hash } = isRecord(value) ? value : {};
	const isList = Array.isArray(patterns) && patterns.length > 0 && patterns.every(isString);
	return isList && !isBlank(permission) && isString(permission) && !isBlank(hash) && isString(hash)
		? { permission, patterns, hash }
		: refuse('has a request without permission, patterns or hash');
};

const MORE_RULE = { ...RULE, wildcard: entrySwitch, expires: readExpiry };
const REMEMBERED_RULE = { request: readRemembered, decision: RULE.decision, expires: readExpiry };

/**
 * Reads the option More Rules: rules from data and remembered requests. Texts match only themselves, unless `wildcard` is true.
 * @throws WorkspaceAutomationError that names the first entry that isn't a rule
 */
export const readMoreRules = (value: unknown): Rule[] =>
	readEntries(MORE_RULES, listEntries(MORE_RULES, value), (entry, refuse, index): Rule => {
		const name = `more rule ${index + 1}`;
		if (isRecord(entry) && !isBlank(entry.request)) {
			const { expires: expiresAt, ...rememberedRule } = readValues(REMEMBERED_RULE, entry, refuse);
			return { permission: '', pattern: '', ...rememberedRule, name, expiresAt };
		}
		const { wildcard, expires: expiresAt, ...rule } = readValues(MORE_RULE, entry, refuse);
		if (wildcard) refuseOpenHost(rule, refuse);
		return { ...rule, name, expiresAt, ...(!wildcard && { isLiteral: true }) };
	});

const MAX_CONTACT_LENGTH = 500;

const APPROVERS: EntryList = {
	label: 'Approvers',
	noun: 'approver',
	help: 'An approver looks like {"name": "Anna", "contact": "anna@example.com", "isBackup": false}.',
	maxEntries: 50,
	isRequired: true,
};

const readContact: ReadValue<string> = (value, refuse, name) => {
	if (isBlank(value)) return '';
	return entryText(MAX_CONTACT_LENGTH)(
		typeof value === 'number' ? `${value}` : value,
		refuse,
		name,
	);
};

const APPROVER = { name: entryText(100), contact: readContact, isBackup: entrySwitch };

function readApprover(entry: unknown, refuse: RefuseEntry): Approver {
	const { name, contact, isBackup } = readValues(APPROVER, entry, refuse);
	return { name: name.trim(), contact: contact.trim(), ...(isBackup && { isBackup }) };
}

const EMAIL = /[^\s<>()[\],;:|"]+@[^\s<>()[\],;:|"?]+/;

/** Returns what identifies a person, however their contact is written: `Ann <ann@x.io>`, `mailto:ann@x.io`, `<@U1>`. */
function personKey({ contact, name }: Approver): string {
	const text = (contact || name)
		.normalize('NFKC')
		.replace(/[\p{Cf}\p{Cc}]/gu, '')
		.toLowerCase();
	return EMAIL.exec(text)?.[0] ?? text.replace(/[\s<>@|]/g, '');
}

/** Keeps each person once. Someone who is listed as a backup and as an approver is an approver. */
function mergeSamePerson(approvers: readonly Approver[]): Approver[] {
	const byPerson = new Map<string, Approver>();
	for (const approver of approvers) {
		const key = personKey(approver);
		const listedApprover = byPerson.get(key);
		if (!listedApprover || (listedApprover.isBackup && !approver.isBackup))
			byPerson.set(key, approver);
	}
	return [...byPerson.values()];
}

/** Reads rows and lists of approvers. @throws WorkspaceAutomationError that names the first entry that isn't an approver */
export function readApprovers(value: unknown): Pick<TeamSettings, 'approvers' | 'merged'> {
	const lists = listRows(value, 'list').map((row) => (isRecord(row) ? row.approvers : row));
	const listedEntries = lists.flatMap((list) => listEntries(APPROVERS, list));
	const entries = [...listRows(value, 'approver'), ...listedEntries];
	const all = readEntries(APPROVERS, entries, readApprover);
	const approvers = mergeSamePerson(all);
	const mergedNames = all.filter((each) => !approvers.includes(each)).map(({ name }) => name);
	return { approvers, ...(mergedNames.length > 0 && { merged: mergedNames }) };
}

const HOURS_TO_MS = 3_600_000;
const APPROVALS_PATH = 'approvals.';

function checkTeam({ approvers: all, needed, askBackupsAfterMs }: TeamSettings): void {
	const backups = all.filter(({ isBackup }) => isBackup).length;
	const most = all.length - backups;
	if (needed > most)
		throw new WorkspaceAutomationError(
			"'Approvals Needed' is higher than the number of approvers",
			`Nothing was sent. It's ${needed}, and the number of approvers who aren't backups is ${most}. Add approvers, or lower 'Approvals Needed'.`,
		);
	if (backups > 0 && askBackupsAfterMs === undefined)
		throw new WorkspaceAutomationError(
			'The backups would never be asked',
			"Nothing was sent. Add the option 'Ask Backups After (Hours)', or turn off 'Backup' for these approvers.",
		);
}

/** Returns undefined if the option isn't used. @throws WorkspaceAutomationError before anything is sent */
export function readTeam(panel: Panel): TeamSettings | undefined {
	const readOption = <T>(declared: Field<T>): T => readParameter(panel, declared, APPROVALS_PATH);
	const enteredFields = teamOptions.filter((each) => isEntered(panel, each, APPROVALS_PATH));
	if (enteredFields.length === 0) return undefined;
	const toMs = (declared: Field<number>) =>
		enteredFields.includes(declared) ? readOption(declared) * HOURS_TO_MS : undefined;
	if (!enteredFields.includes(approvers))
		throw new WorkspaceAutomationError(
			`'${enteredFields[0].displayName}' requires 'Approvers'`,
			`Nothing was sent. Add the option 'Approvers' with the people who approve, or remove '${enteredFields[0].displayName}'.`,
		);
	const team: TeamSettings = {
		...readOption({ ...approvers, check: (_label, value) => readApprovers(value) }),
		needed: readOption(approvalsNeeded),
		remindAfterMs: toMs(remindAfter),
		maxReminders: readOption(maxReminders),
		askBackupsAfterMs: toMs(askBackupsAfter),
	};
	checkTeam(team);
	return team;
}
