import { WorkspaceAutomationError } from '../../shared/errors';
import {
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
import { isEntered, readParameter, type Field, type Panel } from '../../shared/n8n/fields';
import { isRecord } from '../../shared/values';
import type { Approver, TeamSettings } from '../requests/ballots';
import {
	approvalsNeeded,
	approvers,
	askBackupsAfter,
	maxReminders,
	remindAfter,
	teamOptions,
} from './teamFields';

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
