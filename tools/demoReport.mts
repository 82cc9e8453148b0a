// The outcome of a Run Agent Session item, as a person would want to read it.
import { styleText } from 'node:util';
import { tableLines } from './table.mts';

export interface SessionItem {
	sessionId: string;
	dashboardUrl: string;
	status: string;
	text: string;
	decisions: Array<{
		permission: string;
		patterns: string[];
		decision: string;
		decidedBy: string;
		at: string;
	}>;
}

/** The lines that tell how a session went. */
export function reportSession(item: SessionItem): string[] {
	return [
		...facts([
			['Status', styleText(item.status === 'completed' ? 'green' : 'yellow', item.status)],
			['Agent', styleText('bold', item.text)],
			['Session', item.sessionId],
			['Dashboard', item.dashboardUrl],
		]),
		'',
		...(item.decisions.length === 0
			? ['No permission was asked for.']
			: decisionTable(item.decisions)),
	];
}

function facts(rows: Array<[string, string]>): string[] {
	return rows.map(
		([name, value]) => `${name.padEnd(11)}${value.replaceAll('\n', `\n${' '.repeat(11)}`)}`,
	);
}

function decisionTable(decisions: SessionItem['decisions']): string[] {
	const rows = decisions.map((one) => [
		one.permission,
		one.patterns.join(', '),
		one.decision,
		one.decidedBy,
		one.at,
	]);
	const table = tableLines(['Permission', 'For', 'Decision', 'Decided by', 'At'], rows);
	return [styleText('dim', table.head), styleText('dim', table.rule), ...table.rows];
}
