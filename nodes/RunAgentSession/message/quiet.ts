import { defuseLinks, quoteVisible } from '../../shared/approvals/visibleText';
import { formatQuiet, QUIET_CHOICES } from '../requests/quiet';
import type { Quiet } from '../requests/record';
import type { RequestOrigin } from '../requests/request';
import { formatMoment, type AnswerDeadline } from '../requests/times';
import {
	formatDeadline,
	formatReader,
	LINE_END,
	linkLines,
	originLines,
	type Reader,
} from './requests';

// What approvers are told of a quiet session.

const MAX_TEXT_LENGTH = 200;

interface Told {
	isReminder: boolean;
	timeZone?: string;
}

/** Returns for how long the session has been quiet, and what it did last. */
export function quietLines(quiet: Quiet, { isReminder, timeZone }: Told): string[] {
	const { since, latest } = quiet;
	const { time, zone } = formatMoment(since, timeZone);
	const did = latest && quoteVisible(latest.text, MAX_TEXT_LENGTH, defuseLinks);
	return [
		`${isReminder ? 'Reminder: ' : ''}${formatQuiet(quiet)}.`,
		`No activity since ${time} (${zone}).${latest ? ` ${latest.label}: ${did}` : ''}`,
	];
}

interface QuietDetails extends Partial<RequestOrigin>, Told {
	quiet: Quiet;
	dashboardUrl?: string;
	deadline?: AnswerDeadline;
	reader?: Reader;
	/** True if approvers get a link to the approval page */
	hasPage: boolean;
}

/** Returns everything that an approver has to know, for a message to any channel. */
export function formatQuietRequest(details: QuietDetails): string {
	const { quiet, deadline, reader, hasPage, timeZone } = details;
	return [
		...quietLines(quiet, details),
		...(deadline ? [formatDeadline(deadline, timeZone, [1, 0])] : []),
		hasPage
			? `Choices on the approval page: ${QUIET_CHOICES.join(', ')}`
			: 'There’s no approval page while the execution runs. Timeouts or the dashboard decide.',
		...(reader ? formatReader(reader) : []),
		...originLines(details),
		...linkLines(details),
	].join(LINE_END);
}
