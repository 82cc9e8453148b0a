import { isQuestion, readQuestion } from '../../shared/approvals/agentQuestion';
import { defuseLinks, quoteVisible, visibleText } from '../../shared/approvals/visibleText';
import { MAX_LINK_LENGTH } from '../../shared/client/safeLink';
import { pluralize } from '../../shared/values';
import { describeCounts, readChange } from '../changes/change';
import { describeRequest } from '../requests/details';
import type { RequestOrigin } from '../requests/request';
import type { AnswerDeadline } from '../requests/times';
import {
	describeOther,
	formatDeadline,
	formatLink,
	formatObstacle,
	isMixed,
	LINE_END,
	MIXED_REMARK,
} from './requests';
import type { Quiet } from '../requests/record';
import { quietLines } from './quiet';

interface MessageDetails extends Partial<RequestOrigin> {
	interactions: readonly unknown[];
	/** For each, why it can't be decided here */
	obstacles?: ReadonlyArray<string | undefined>;
	/** Number of requests left for other messages */
	more: number;
	deadline?: AnswerDeadline;
	isReminder: boolean;
	/** True if earlier answers don't count, because a request has changed */
	hasChanged: boolean;
	/** Set if it's about a quiet session */
	quiet?: Quiet;
	approvalUrl: string;
}

const MAX_TEXT_LENGTH = 200;
const MAX_NAME_LENGTH = 80;

/**
 * Returns the few lines that tell an approver what waits, with the link to the page, which shows the rest. They're to be read, not to be
 * approved: a button in a channel needs `formatRequests`.
 */
export function formatMessage(details: MessageDetails): string {
	const { projectName, projectId, interactions, deadline, timeZone } = details;
	const { previewUrl, approvalUrl, quiet, isReminder } = details;
	const project = projectName ?? projectId;
	const questions = interactions.filter(isQuestion).length;
	return [
		...(quiet
			? [quietLines(quiet, { isReminder, timeZone }).join(' ')]
			: [formatWish(details), ...formatObstacle(details.obstacles?.[0])]),
		project && `Project: ${quoteVisible(project, MAX_NAME_LENGTH, defuseLinks)}`,
		deadline && formatDeadline(deadline, timeZone, [interactions.length, questions]),
		previewUrl !== undefined && `Preview: ${formatLink(previewUrl, MAX_LINK_LENGTH)}`,
		approvalUrl,
	]
		.filter(Boolean)
		.join(LINE_END);
}

/** Returns the sentence about the first request, and the number of the others. */
function formatWish({ interactions, more, isReminder, hasChanged }: MessageDetails): string {
	const { verb, texts, counts = '' } = describeWish(interactions[0]);
	const [text = '', ...otherTexts] = texts;
	const others = interactions.length - 1 + more;
	return [
		isReminder
			? 'Reminder: the agent '
			: hasChanged
				? 'A request has changed. The agent '
				: 'The agent ',
		verb,
		text && `: ${quoteFirstLine(text)}${counts}`,
		otherTexts.length > 0 && ` and ${otherTexts.length} more`,
		isMixed([text]) && ` (${MIXED_REMARK})`,
		others > 0 && `, and ${pluralize(others, 'more request')}`,
	]
		.filter(Boolean)
		.join('');
}

function describeWish(interaction: unknown): { verb: string; texts: string[]; counts?: string } {
	if (isQuestion(interaction)) {
		const { text } = readQuestion(interaction);
		return { verb: text === '' ? 'asks a question' : 'asks', texts: [text] };
	}
	const { kind, verb, permission, targets } = describeRequest(interaction);
	const texts = targets.map(({ text }) => text);
	if (verb === undefined) {
		const named = kind === 'other' ? [[permission.text, ...texts].join(' ')] : [];
		return { verb: `wants to ${describeOther(kind)}`, texts: named };
	}
	const file = readChange(interaction).find(({ path }) => path === texts[0]);
	const counts = file && describeCounts(file);
	return { verb: `wants to ${verb}`, texts, counts: counts && ` (${counts})` };
}

/** Quotes the first line that isn't blank, and counts what follows. */
function quoteFirstLine(text: string): string {
	const whole = text.trim();
	const [line] = whole.split('\n', 1);
	const { shown, hidden } = visibleText(line, MAX_TEXT_LENGTH, defuseLinks);
	const rest = hidden + whole.length - line.length;
	return `«${shown}»${rest > 0 ? ` (cut off, ${rest} more characters)` : ''}`;
}
