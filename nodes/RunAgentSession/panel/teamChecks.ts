import { WorkspaceAutomationError } from '../../shared/errors';
import { isEntered, readParameter, type Field, type Panel } from '../../shared/n8n/fields';
import { isRecord, parseList, quote, toText, tryParseJson } from '../../shared/values';
import type { Approver, TeamSettings } from '../requests/ballots';
import {
	approvalsNeeded,
	approvers,
	askBackupsAfter,
	maxReminders,
	remindAfter,
	teamOptions,
} from './team';

const MAX_APPROVERS = 50;
const MAX_APPROVER_NAME_LENGTH = 100;
const MAX_CONTACT_LENGTH = 500;

const isBlankText = (value: unknown): boolean =>
	value === undefined || value === null || toText(value).trim() === '';

function readApprover(entry: unknown, index: number): Approver {
	const refuse = (problem: string): never => {
		throw new WorkspaceAutomationError(
			`Approver ${index + 1} ${problem}`,
			`Nothing was sent. Correct this entry of 'Approvers': ${quote(entry)}. An approver looks like {"name": "Anna", "contact": "anna@example.com", "isBackup": false}.`,
		);
	};
	if (!isRecord(entry)) return refuse('is not an object');
	const { name, contact, isBackup = false } = entry;
	if (typeof name !== 'string' || isBlankText(name)) return refuse('has no name');
	if (name.trim().length > MAX_APPROVER_NAME_LENGTH)
		return refuse(`has a name of more than ${MAX_APPROVER_NAME_LENGTH} characters`);
	const isText = isBlankText(contact) || ['string', 'number'].includes(typeof contact);
	if (!isText) return refuse('has a contact that is not a text');
	const text = isBlankText(contact) ? '' : toText(contact).trim();
	if (text.length > MAX_CONTACT_LENGTH)
		return refuse(`has a contact of more than ${MAX_CONTACT_LENGTH} characters`);
	if (!isBlankText(isBackup) && typeof isBackup !== 'boolean')
		return refuse("has an 'isBackup' that is neither true nor false");
	return { name: name.trim(), contact: text, ...(isBackup === true && { isBackup }) };
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
		const known = byPerson.get(key);
		if (!known || (known.isBackup && !approver.isBackup)) byPerson.set(key, approver);
	}
	return [...byPerson.values()];
}

export function readApprovers(value: unknown): Pick<TeamSettings, 'approvers' | 'merged'> {
	const { approver = [], list = [] } = (isRecord(value) ? value : {}) as Record<string, unknown>;
	const lists = [list].flat().map((each) => {
		const given = isRecord(each) ? each.approvers : undefined;
		const plain = typeof given === 'string' ? given : tryParseJson(JSON.stringify(given ?? []));
		const entries = parseList(plain);
		if (entries) return entries;
		throw new WorkspaceAutomationError(
			"'Approvers' has no list of approvers",
			`Nothing was sent. Enter a JSON list such as [{"name": "Anna", "contact": "anna@example.com"}], or an expression that returns one.`,
		);
	});
	const entries = [...[approver].flat(), ...lists.flat()];
	// An expression that finds no rows may return the empty item that Always Output Data adds.
	const given = entries.filter((each) => !isRecord(each) || Object.keys(each).length > 0);
	if (given.length > MAX_APPROVERS)
		throw new WorkspaceAutomationError(
			`'Approvers' has more than ${MAX_APPROVERS} entries`,
			`Nothing was sent. It has ${given.length}. Remove some of them.`,
		);
	const all = given.map(readApprover);
	const approvers = mergeSamePerson(all);
	const merged = all.filter((each) => !approvers.includes(each)).map(({ name }) => name);
	return { approvers, ...(merged.length > 0 && { merged }) };
}

const HOURS_TO_MS = 3_600_000;
const APPROVALS_PATH = 'approvals.';

function checkTeam({ approvers: all, needed, askBackupsAfterMs }: TeamSettings): void {
	const backups = all.filter(({ isBackup }) => isBackup).length;
	const most = all.length - backups;
	if (all.length === 0)
		throw new WorkspaceAutomationError(
			"'Approvers' is empty",
			"Nothing was sent. Add approvers, or remove the option. If it's an expression, check that the item it reads from has approvers.",
		);
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
	const read = <T>(declared: Field<T>): T => readParameter(panel, declared, APPROVALS_PATH);
	const entered = teamOptions.filter((each) => isEntered(panel, each, APPROVALS_PATH));
	if (entered.length === 0) return undefined;
	const toMs = (declared: Field<number>) =>
		entered.includes(declared) ? read(declared) * HOURS_TO_MS : undefined;
	const team: TeamSettings = {
		...readApprovers(read({ ...approvers, check: (_label, value) => value as never })),
		needed: read(approvalsNeeded),
		remindAfterMs: toMs(remindAfter),
		maxReminders: read(maxReminders),
		askBackupsAfterMs: toMs(askBackupsAfter),
	};
	if (!entered.includes(approvers))
		throw new WorkspaceAutomationError(
			`'${entered[0].displayName}' requires 'Approvers'`,
			`Nothing was sent. Add the option 'Approvers' with the people who approve, or remove '${entered[0].displayName}'.`,
		);
	checkTeam(team);
	return team;
}
